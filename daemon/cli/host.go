package cli

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/rtk"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/daemon/internal/roster"
	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
)

// identity is what an agent is told about this tool.
var identity = core.Identity{Product: "Greenroom", CLI: "greenroom", EnvPrefix: "GREENROOM"}

// found lists the adapters that this invocation may start.
func (a *app) found() ([]roster.Adapter, error) {
	var p roster.Places
	for _, file := range a.adapters {
		p.Files = append(p.Files, a.abs(file))
	}
	for _, dir := range filepath.SplitList(a.env("GREENROOM_ADAPTERS")) {
		if dir != "" {
			p.Dirs = append(p.Dirs, a.abs(dir))
		}
	}
	if a.Executable != "" {
		p.Beside = filepath.Dir(a.Executable)
	}
	var err error
	if p.Installed, err = a.installedAdapters(); err != nil {
		return nil, err
	}
	found, err := roster.Find(p)
	var path *fs.PathError
	if errors.As(err, &path) {
		return nil, refuse(codeBadAdapter, "look at --adapter and GREENROOM_ADAPTERS", "%s: %s", path.Path, path.Err)
	}
	return found, err
}

// source is an adapter as core is told it. One that is pinned to no digest is refused here, where it can be said how
// to pin it.
func (a *app) source(found roster.Adapter) (adapter.Source, error) {
	if found.Err != nil {
		return adapter.Source{}, found.Err
	}
	if found.SHA256 == "" && !a.unsafeAnyDigest {
		return adapter.Source{}, refuse(codeUnpinned,
			"if you trust it, pin it with "+pinning(found.Path)+", or try it with --unsafe-any-digest",
			"the adapter %s is pinned to no digest", filepath.Base(found.Path))
	}
	return adapter.Source{
		Provider: found.Provider, Path: found.Path, SHA256: found.SHA256, UnsafeAnyDigest: a.unsafeAnyDigest,
	}, nil
}

// depotWait bounds how long another process that installs an adapter is waited for.
const depotWait = 10 * time.Second

// installedAdapters are those of the lock file. One that is not believed any more stays in the list with its error, so
// that no other takes its place in silence.
func (a *app) installedAdapters() ([]roster.Adapter, error) {
	state, err := a.stateDir()
	if err != nil {
		return nil, nil // there is no state directory, which is said where one is needed
	}
	if info, err := os.Stat(state); err != nil || !info.IsDir() {
		return nil, nil // nothing is installed in it, and what is wrong with it is said where it is needed
	}
	d, p, err := a.depotAndPolicy()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), depotWait)
	defer cancel()
	held, err := d.Adapters(ctx, p, a.terms())
	if err != nil {
		return nil, err
	}
	var all []roster.Adapter
	for _, h := range held {
		all = append(all, roster.Adapter{Provider: h.ID, Path: h.Source.Path, SHA256: h.Source.SHA256, Err: h.Err})
	}
	return all, nil
}

// pinning is the command that pins an adapter, with all others of its directory.
func pinning(path string) string {
	return "`greenroom adapters pin " + shellenv.Quote(filepath.Dir(path)) + "`"
}

// sources are the adapters that may be started. One that is pinned to no digest is left out, and refused where it is
// the one that is asked for; provider is "" when none is.
func (a *app) sources(provider string) ([]adapter.Source, error) {
	found, err := a.found()
	if err != nil {
		return nil, err
	}
	var sources []adapter.Source
	var unknown bool // an adapter whose name does not tell whom it serves
	names := map[string]bool{}
	attached, err := a.attached()
	if err != nil {
		return nil, err
	}
	if attached != nil {
		sources, names[attached.Provider] = append(sources, *attached), true
	}
	for _, f := range found {
		if attached != nil && f.Provider == attached.Provider {
			continue
		}
		names[f.Provider] = true
		unknown = unknown || f.Provider == ""
		s, err := a.source(f)
		if err == nil {
			sources = append(sources, s)
		} else if provider != "" && (f.Provider == provider || f.Provider == "") {
			return nil, err
		}
	}
	if provider == "" || names[provider] || unknown {
		return sources, nil
	}
	hint := "no adapter at all was found; see `greenroom doctor`"
	if len(names) > 0 {
		hint = "found: " + strings.Join(slices.Sorted(maps.Keys(names)), ", ") + "; name another one with --adapter"
	}
	if trust.ValidID(provider) {
		hint += "; if an extension describes it, install that: `greenroom extension install`"
	}
	return nil, refuse(codeNoAdapter, hint, "there is no adapter for %q", provider)
}

// attached is the adapter of --unsafe-attach, which takes the place of any other of its provider, or nil.
func (a *app) attached() (*adapter.Source, error) {
	if a.unsafeAttach == "" {
		return nil, nil
	}
	provider, address, ok := strings.Cut(a.unsafeAttach, "=")
	if !ok || provider == "" {
		return nil, usage("give what the adapter prints when it is started with --debug", "--unsafe-attach is not of the form PROVIDER=ADDRESS")
	}
	at, err := adapter.ParseAttach(address)
	if err != nil {
		return nil, err
	}
	return &adapter.Source{Provider: provider, UnsafeAttach: at}, nil
}

// hostFor opens a host that has the adapter of a provider. What an extension describes needs none.
func (a *app) hostFor(ctx context.Context, provider string) (*core.Host, error) {
	if described(provider) {
		return a.hostForState(ctx)
	}
	sources, err := a.sources(provider)
	if err != nil {
		return nil, err
	}
	return a.host(ctx, sources)
}

// hostForState opens a host for work on sessions that exist, which starts no adapter.
func (a *app) hostForState(ctx context.Context) (*core.Host, error) {
	sources, err := a.sources("")
	if err != nil {
		return nil, err
	}
	return a.host(ctx, sources)
}

func (a *app) host(ctx context.Context, sources []adapter.Source) (*core.Host, error) {
	state, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	return core.New(ctx, a.config(state, a.Home, a.Environ, sources))
}

func (a *app) config(state, home string, environ []string, sources []adapter.Source) core.Config {
	c := core.Config{
		StateDir: state, Home: home, Environ: environ, Adapters: sources, Identity: identity, Now: a.Now, Commands: command.Fixed(),
	}
	if a.rtk.Path != "" {
		c.RTK = rtk.Fixed(a.rtk)
	}
	if a.Executable != "" {
		c.Path = []string{filepath.Dir(a.Executable)}
	}
	return c
}
