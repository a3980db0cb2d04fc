package extension

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/greenroom-agents/greenroom/core/extension/composer"
	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Overlay is what sessions of the package's agent are prepared by: the value of core.Session.ExtensionRuntimePrep. A
// profile that breaks a rule is an error, and never an agent without a declaration, which would run on the user's own home.
func (p *Package) Overlay() (*overlay.Overlay, error) {
	key := overlayKey{p.ID(), p.verified.Release.Version, p.Digest(), p.unsafe}
	if made, ok := p.content.overlays.Load(key); ok {
		return made.(*overlay.Overlay), nil
	}
	a, err := agentOf(p.manifest, p.files)
	if err != nil {
		return nil, err
	}
	a.Key, a.Version, a.Digest, a.Unsafe = key.id, key.version, key.digest, key.unsafe
	o, err := overlay.New(a)
	if err == nil {
		p.content.overlays.Store(key, o)
	}
	return o, err
}

// overlayKey is what an overlay is made by besides the content of its package.
type overlayKey struct {
	id, version, digest string
	unsafe              bool
}

// Composer is what the package says to a host that shows its agent to a person, nil when it has no such profile.
func (p *Package) Composer() (*composer.Profile, error) {
	data, ok := p.files[p.manifest.Profiles[ProfileComposer]]
	if !ok {
		return nil, nil
	}
	return composer.Decode(data)
}

// agentOf is what the files of a package say of its agent. It is called by what they say themselves.
func agentOf(m Manifest, files map[string][]byte) (overlay.Agent, error) {
	a := overlay.Agent{
		Key: m.AgentKey, Version: m.Version, Digest: "unverified",
		Executables: []string{programName(m.Runtime.Launch.Executable)}, Args: m.Runtime.Launch.Args,
	}
	if data, ok := files[m.Profiles[ProfileComposer]]; ok {
		c, err := composer.Decode(data)
		if err != nil {
			return a, fault.Wrap(err, fault.PackageRules, "read", "package: "+m.Profiles[ProfileComposer], err.Error())
		}
		a.Prep = c.Prep
		if c.Skills != nil {
			a.Roots = c.Skills.Roots
		}
		a.Args, _ = c.Arguments(a.Args, "") // the mode that asks; that one there always is
	}
	for _, arg := range a.Args {
		if strings.Contains(arg, composer.PermissionPlaceholder) {
			return a, fault.New(fault.Invalid, "read", "runtime.launch.args", "hold "+composer.PermissionPlaceholder+", and the composer profile has no launchSettings.permission")
		}
	}
	a.Supported = constraintOf(files[m.Profiles[ProfileDiscovery]])
	for _, c := range m.ClientPlugins {
		a.Plugins = append(a.Plugins, overlay.Plugin{File: c.File, Tell: c.Tell, To: c.To, When: c.When, Enable: c.Enable, Text: string(files[c.File])})
	}
	return a, nil
}

// constraintOf is the range of versions of the agent that a discovery profile names, "" for none.
func constraintOf(profile []byte) string {
	var d struct {
		Constraint string `json:"constraint"`
	}
	if json.Unmarshal(profile, &d) != nil {
		return ""
	}
	return d.Constraint
}

// programName is the name of a program without its directory and the ending that Windows gives it.
func programName(executable string) string {
	name := path.Base(executable)
	for _, ending := range []string{".exe", ".cmd"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}
