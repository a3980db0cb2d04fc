package core

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/client"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/input"
	"github.com/greenroom-agents/greenroom/core/layout"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// answered is what is known of a session before anything of it is written: the facts that were found and the layout
// that the adapter answered for them.
type answered struct {
	session Session
	name    string
	inherit preparer.Inherit
	choices []string // inherit, as it is recorded
	content *capability.Resolved
	// projection is what the commands of the session were narrowed by.
	projection command.Projection
	desc       preparer.Descriptor
	adapter    adapter.Identity
	exe        string
	version    string
	roots      layout.Roots
	homes      []HomeView
	imports    []layout.Import
	inputs     *input.Snapshot
	// endpoint is the one of the session in its clean form, nil for none. fallback says why there is none although the
	// session has one.
	endpoint *modelendpoint.Endpoint
	fallback modelendpoint.Unusable
	// saver is the saver mode as the adapter is told of it, nil for none.
	saver *preparer.Saver
	// program is the digest of the one that the session's commands run through, "" for none.
	program string
	rtkEnv  []EnvVar // see programEnv
	// servers are those of the session, in order and under the names that they got.
	servers []connector.Server
	kind    *kind
	layout  *preparer.Layout
	sets    []*skill.Set // that were put into the store
	notes   []Diagnostic
}

// ask finds the facts, looks at the inputs and gets the layout. It writes nothing.
//
// stored is the projection that the session was first prepared with, where that is known, or nil. before is an earlier
// attempt of the same preparation, or nil: what a session is told is resolved once, however often files change.
func (h *Host) ask(ctx context.Context, s Session, stored *command.Projection, before *answered) (*answered, error) {
	a := &answered{session: s, name: manifest.Name(s.Workspace, s.ID)}
	var err error
	if a.projection, err = projectionOf(s, stored); err != nil {
		return nil, err
	}
	if a.inherit, err = s.Inherit.resolve(); err != nil {
		return nil, err
	}
	a.choices = choices(a.inherit)
	from := h.answers(s)
	if a.desc, a.adapter, err = from.Descriptor(ctx); err != nil {
		return nil, err
	}
	if _, ok := h.checked.Load(a.adapter.Digest + s.Provider); !ok {
		if err := layout.CheckDescriptor(a.desc); err != nil {
			return nil, err
		}
		h.checked.Store(a.adapter.Digest+s.Provider, true)
	}
	if err := a.bind(); err != nil {
		return nil, err
	}
	if a.fallback != "" && before == nil {
		h.cfg.Logger.Warn("model endpoint is not used", "session", a.name, "provider", s.Provider, "endpoint", s.Endpoint.Name,
			"reason", string(a.fallback))
	}
	if a.saver, err = a.saving(); err != nil {
		return nil, err
	}
	if before != nil && before.projection.Equal(a.projection) && before.adapter == a.adapter {
		a.content = before.content
	} else if a.content, err = h.content(ctx, s, a.desc, a.projection); err != nil {
		return nil, err
	}
	if err := h.find(ctx, a); err != nil {
		return nil, err
	}
	a.transcript()
	in := input.Roots{User: h.cfg.Home, Homes: a.roots.Homes, Workspace: s.Cwd}
	if in.Authorities, err = authorities(s, a.desc); err != nil {
		return nil, err
	}
	if a.inputs, err = input.Take(ctx, a.desc.Inputs, in, &h.memo); err != nil {
		return nil, err
	}
	if err := a.serve(); err != nil {
		return nil, err
	}
	if a.kind, err = h.kindOf(a); err != nil {
		return nil, err
	}
	if a.layout, err = from.Ask(ctx, a.kind.question); err != nil {
		return nil, refusal(err, s.Provider)
	}
	if err := a.kind.check(a); err != nil {
		return nil, err
	}
	if err := a.handsOver(a.layout); err != nil {
		return nil, err
	}
	if err := a.takesRoots(); err != nil {
		return nil, err
	}
	a.unconfigured()
	a.copiedLogins()
	return a, nil
}

// refusal gives an adapter's refusal the form of the host's errors.
func refusal(err error, provider string) error {
	r, ok := asRefusal(err)
	if !ok {
		return err
	}
	return fault.Wrap(err, fault.Refused, "prepare", provider, r.Text+" ("+r.Code+")").WithHint(r.Hint)
}

// env looks up a variable of the environment that the host was given.
func (h *Host) env(name string) (string, bool) {
	return lookup(h.cfg.Environ, name, runtime.GOOS == "windows")
}

// find finds the client and the user's homes.
func (h *Host) find(ctx context.Context, a *answered) error {
	c := a.desc.Client
	var err error
	if a.exe, err = client.Find(c, h.cfg.Managed[a.session.Provider], h.env); err != nil {
		return err
	}
	if a.exe == "" {
		if len(c.Executables) > 0 {
			hint := "install " + c.Executables[0]
			if c.Override != "" {
				hint += ", or set " + c.Override
			}
			a.note("client_missing", "no client was found on PATH", hint)
		}
	} else {
		a.version = h.version(ctx, a)
		if ok, err := h.versions.Supported(a.version, c.Supported); err != nil {
			return fault.Wrap(err, fault.AdapterFault, "describe", a.session.Provider, "the range of client versions, "+strconv.Quote(c.Supported)+", is none").
				WithHint("report it to whoever makes the adapter")
		} else if !ok {
			a.note("client_version", "client version "+a.version+" is outside of what the adapter was made for, "+c.Supported,
				"install a version in that range, or a newer adapter")
		} else if a.version == "" {
			a.note("client_version_unknown", "the client does not tell its version", "")
		}
	}
	a.roots = layout.Roots{
		Session: h.store.Dir(a.name), Workspace: a.session.Cwd, User: h.cfg.Home,
		Cache: filepath.Join(h.store.Path(), "cache"), Homes: map[string]string{},
	}
	at := client.Place{OS: runtime.GOOS, User: h.cfg.Home, Cwd: a.session.Cwd, Env: h.env, Ours: manifest.Within}
	for _, d := range a.desc.Homes {
		if v, _ := h.env(d.Env); d.Default == "" && strings.TrimSpace(v) == "" {
			continue // the user has none
		}
		home, err := client.FindHome(d, at)
		if err != nil {
			return err
		}
		if !utf8.ValidString(home.Path) {
			return fault.New(fault.Invalid, "find home", "home:"+d.ID, "its path is not UTF-8, and the files of clients cannot name it").
				WithHint("correct " + d.Env)
		}
		if home.Nested {
			a.note("home_of_session", d.Env+" names the home of another session; the user's own is used", "")
		}
		in, err := fsroot.StatInput(home.Path)
		there := err == nil && in.Kind == fsroot.InputDir
		if !there && home.By == "variable" {
			a.note("home_missing", d.Env+" names a directory that is not there", "correct the variable, or unset it")
		}
		a.homes = append(a.homes, HomeView{ID: d.ID, Path: home.Path, By: home.By, Exists: there})
		a.roots.Homes[d.ID] = home.Path
	}
	return nil
}

// version asks the client for its version, away from the user's homes. Some make themselves a home to answer that: it is
// removed again.
func (h *Host) version(ctx context.Context, a *answered) string {
	temp, _ := h.env("TMPDIR")
	if !filepath.IsAbs(temp) {
		temp = os.TempDir()
	}
	name := ""
	version := h.versions.Of(ctx, a.exe, a.desc.Client.VersionArgs, func() []string {
		name = "greenroom-away-" + rand.Text()
		return client.Away(h.cfg.Environ, a.desc.Homes, filepath.Join(temp, name))
	})
	if name == "" {
		return version // it was known
	}
	if tree, err := fsroot.Open(temp, nil); err == nil {
		defer tree.Close()
		if err := tree.RemoveAll(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.cfg.Logger.Warn("what a client left when it was asked for its version cannot be removed", "code", fault.CodeOf(err))
		}
	}
	return version
}

func (a *answered) note(code, text, hint string) {
	a.notes = append(a.notes, Diagnostic{Severity: preparer.Warning, Code: code, Text: text, Hint: hint})
}

// compile resolves the layout into the tree of the session.
func (h *Host) compile(ctx context.Context, a *answered, prior map[string]string, current func(string) ([]byte, error), bundle bundler) (*layout.Tree, map[string]string, error) {
	n, err := h.names(a, prior)
	if err != nil {
		return nil, nil, err
	}
	a.kind.recall(a.inputs)
	tree, err := layout.Compile(ctx, layout.Source{
		Descriptor: a.desc,
		Layout:     a.layout,
		Handles:    layout.Handles{Roots: a.roots, Inputs: a.inputs, Texts: h.texts(a, n), Secrets: a.secrets(), SecretsInFiles: a.endpoint != nil && a.endpoint.KeyInFile()},
		Marker:     merge.Marker{ID: h.store.ID()},
		Memo:       &h.memo.Documents,
		Current:    current,
		Skills:     a.kind.skills,
		Names:      n.names,
		Catalog:    a.catalog,
		Imports:    a.imports,
		Own:        h.programNodes(a),
		Bundle: func(ctx context.Context, list []skill.Named) (string, string, error) {
			set := n.bundle(list)
			a.sets = append(a.sets, set)
			return bundle(ctx, set)
		},
	})
	if err == nil {
		a.kind.keep(a.inputs)
	}
	return tree, n.names, err
}

// bundler puts skills into the store, or says where they would be.
type bundler func(ctx context.Context, set *skill.Set) (dir, digest string, err error)

// stored puts skills into the store.
func (h *Host) stored(ctx context.Context, set *skill.Set) (string, string, error) {
	store, err := h.skillStore()
	if err != nil {
		return "", "", err
	}
	b, err := store.PutSet(ctx, set)
	if err != nil {
		return "", "", err
	}
	return filepath.Join(h.store.Path(), "store", filepath.FromSlash(b.Rel)), b.Digest, nil
}

// previewed says where skills would be in the store.
func (h *Host) previewed(_ context.Context, set *skill.Set) (string, string, error) {
	digest, _, err := skill.Preview(set.Named())
	return filepath.Join(h.store.Path(), "store", "skills", digest), digest, err
}
