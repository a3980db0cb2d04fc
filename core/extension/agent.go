package extension

import (
	"path"
	"strings"

	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Overlay is what sessions of the package's agent are prepared by: the value of core.Session.ExtensionRuntimePrep. A
// profile that breaks a rule is an error, and never an agent without a declaration, which would run on the user's own home.
func (p *Package) Overlay() (*overlay.Overlay, error) {
	a, err := agentOf(p.manifest, p.files)
	if err != nil {
		return nil, err
	}
	a.Key, a.Version, a.Digest, a.Unsafe = p.ID(), p.verified.Release.Version, p.Digest(), p.unsafe
	return overlay.New(a)
}

// agentOf is what the files of a package say of its agent. It is called by what they say themselves.
func agentOf(m Manifest, files map[string][]byte) (overlay.Agent, error) {
	a := overlay.Agent{
		Key: m.AgentKey, Version: m.Version, Digest: "unverified",
		Executables: []string{programName(m.Runtime.Launch.Executable)}, Args: m.Runtime.Launch.Args,
	}
	if data, ok := files[m.Profiles[ProfileComposer]]; ok {
		c, err := runtimeprep.DecodeComposer(data)
		if err != nil {
			return a, fault.Wrap(err, fault.PackageRules, "read", "package: "+m.Profiles[ProfileComposer], err.Error())
		}
		a.Roots, a.Prep = c.Roots, c.Prep
	}
	for _, c := range m.ClientPlugins {
		a.Plugins = append(a.Plugins, overlay.Plugin{File: c.File, Tell: c.Tell, To: c.To, When: c.When, Enable: c.Enable, Text: string(files[c.File])})
	}
	return a, nil
}

// programName is the name of a program without its directory and the ending that Windows gives it.
func programName(executable string) string {
	name := path.Base(executable)
	for _, ending := range []string{".exe", ".cmd"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
