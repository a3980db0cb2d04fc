package core

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/layout"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Explanation says what Prepare would do.
type Explanation struct {
	Prepared *Prepared   `json:"prepared"`
	Tree     []Node      `json:"tree"`
	Adapter  AdapterInfo `json:"adapter"`
	Homes    []HomeView  `json:"homes"`
	Reads    []InputView `json:"reads"`
	// Sections and Variables are those that capability packs bring, with the pack. Skills stand in Prepared.
	Sections  []SectionView `json:"sections"`
	Variables []PackVar     `json:"variables"`
}

// SectionView is a section of the instructions that a capability pack brings.
type SectionView struct {
	Pack   string `json:"pack"`
	Key    string `json:"key"`
	Anchor string `json:"anchor"`
}

// PackVar is a variable that a capability pack sets.
type PackVar struct {
	Pack string `json:"pack"`
	Name string `json:"name"`
}

// contributed lists what packs bring to the client's own instructions and to the environment.
func (k *kind) contributed() (sections []SectionView, vars []PackVar) {
	sections, vars = []SectionView{}, []PackVar{}
	for _, s := range k.content.Sections {
		if s.Delivery != capability.SkillBundle {
			sections = append(sections, SectionView{Pack: s.Pack, Key: s.Key, Anchor: string(s.Anchor)})
		}
	}
	for _, v := range k.content.Env {
		vars = append(vars, PackVar{Pack: v.Pack, Name: v.Name})
	}
	return sections, vars
}

// HomeView is a directory of the client's that belongs to the user, and how it was found.
type HomeView struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	By     string `json:"by"` // variable, native or default
	Exists bool   `json:"exists"`
}

// Node is one thing that a session has.
type Node struct {
	Place   string `json:"place"` // e.g. "session:codex/config.toml"
	Kind    string `json:"kind"`  // dir, file, link or block
	Mode    string `json:"mode,omitempty"`
	Target  string `json:"target,omitempty"` // of a link
	Size    int    `json:"size,omitempty"`   // of a file, in bytes
	Custody string `json:"custody,omitempty"`
	Why     string `json:"why,omitempty"`
}

// InputView is one thing of the user's that an adapter has looked at.
type InputView struct {
	Name   string   `json:"name"`
	Source string   `json:"source"`
	Exists bool     `json:"exists"`
	Learns string   `json:"learns"` // exists, values or content
	Names  []string `json:"names,omitempty"`
	Secret bool     `json:"secret,omitempty"`
}

// AdapterInfo is what is known of an adapter.
type AdapterInfo struct {
	Provider   string               `json:"provider"`
	Version    string               `json:"version"`
	Protocol   int                  `json:"protocol"`
	Digest     string               `json:"digest,omitempty"`
	Path       string               `json:"path,omitempty"` // base name
	State      string               `json:"state"`
	Unsafe     bool                 `json:"unsafe,omitempty"`
	Crashes    int                  `json:"crashes,omitempty"`
	Error      string               `json:"error,omitempty"`
	Hint       string               `json:"hint,omitempty"`
	Code       Code                 `json:"code,omitempty"`
	Descriptor *preparer.Descriptor `json:"descriptor,omitempty"`
}

// Explain is Prepare without its effects: it asks the adapter and works out the tree, and writes nothing.
func (h *Host) Explain(ctx context.Context, s Session) (*Explanation, error) {
	s = s.clean()
	if err := s.validate(); err != nil {
		return nil, err
	}
	end, err := h.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout)
	defer cancel()
	if err := s.standing(); err != nil {
		return nil, err
	}
	var prior map[string]string
	var stored *command.Projection
	name := manifest.Name(s.Workspace, s.ID)
	m, err := h.store.Load(name)
	switch {
	case err == nil:
		prior, stored, err = m.Names, &m.Commands, sameSession(name, m, s)
		if err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, inTime(ctx, err)
	}
	a, err := h.ask(ctx, s, stored, nil)
	if err != nil {
		return nil, inTime(ctx, err)
	}
	if stored != nil {
		if err := a.projected(m); err != nil {
			return nil, err
		}
	}
	if err := h.peekProgram(ctx, a, m); err != nil {
		return nil, inTime(ctx, err)
	}
	tree, names, err := h.compile(ctx, a, prior, h.peek(a.name), h.previewed)
	if err != nil {
		return nil, inTime(ctx, err)
	}
	w := &work{h: h, a: a, tree: tree, names: names, out: &outside{}}
	if len(tree.Blocks) > 0 {
		ws, err := h.store.PeekWorkspace(s.Cwd)
		if err != nil {
			return nil, inTime(ctx, err)
		}
		defer ws.Close()
		if _, w.out.spill, err = planBlocks(a, ws, tree); err != nil {
			return nil, inTime(ctx, err)
		}
	}
	if m == nil {
		m = &manifest.Manifest{}
	}
	sections, vars := a.kind.contributed()
	return &Explanation{
		Prepared: w.prepared(m), Tree: nodes(tree), Homes: a.homes, Reads: a.reads(), Sections: sections, Variables: vars,
		Adapter: AdapterInfo{Provider: s.Provider, Version: a.adapter.Version, Digest: a.adapter.Digest, Path: a.adapter.Path, Unsafe: a.adapter.Unsafe},
	}, nil
}

// peek reads files of a session without its lock.
func (h *Host) peek(name string) func(string) ([]byte, error) {
	return func(rel string) ([]byte, error) {
		tree, err := fsroot.Open(h.store.Dir(name), nil)
		if err != nil {
			return nil, err
		}
		defer tree.Close()
		data, _, err := tree.ReadFile(rel, maxCurrent)
		return data, err
	}
}

// skillLink is why there is a link of ours in a workspace.
const skillLink = "skill, taken away at clean-up"

func nodes(t *layout.Tree) []Node {
	var list []Node
	for _, n := range t.Nodes {
		v := Node{Place: "session:" + n.Path, Kind: string(n.Kind), Target: n.Target, Size: len(n.Data), Custody: string(n.Custody), Why: n.Why}
		if n.Kind != manifest.Link {
			v.Mode = fmt.Sprintf("%04o", n.Mode)
		}
		list = append(list, v)
	}
	for _, b := range t.Blocks {
		if b.Link != "" {
			list = append(list, Node{Place: "workspace:" + b.Path, Kind: string(manifest.Link), Target: b.Link, Custody: string(manifest.Ours), Why: skillLink})
			continue
		}
		list = append(list, Node{Place: "workspace:" + b.Path, Kind: "block", Size: len(b.Text), Custody: string(manifest.Ours), Why: "managed block, taken out at clean-up"})
	}
	return list
}

func (a *answered) reads() []InputView {
	var list []InputView
	for _, in := range a.desc.Inputs {
		it := a.inputs.Items[in.Name]
		v := InputView{Name: in.Name, Source: it.Label, Exists: it.Exists, Learns: string(in.Learn), Secret: in.Secret}
		if v.Learns == "" {
			v.Learns = "exists"
		}
		for _, c := range it.Names {
			v.Names = append(v.Names, c.Name)
		}
		if in.Kind == preparer.InputNames {
			v.Exists = len(it.Names) > 0
		}
		list = append(list, v)
	}
	return list
}

// Adapters lists the adapters, asking each to describe itself. One that cannot be used has an Error.
func (h *Host) Adapters(ctx context.Context) ([]AdapterInfo, error) {
	end, err := h.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	infos, err := h.pool.Providers(ctx)
	if err != nil {
		return nil, inTime(ctx, err)
	}
	list := make([]AdapterInfo, len(infos))
	for i, in := range infos {
		list[i] = describe(in)
	}
	return list, nil
}

func describe(in adapter.Info) AdapterInfo {
	v := AdapterInfo{
		Provider: in.Provider, Version: in.Identity.Version, Protocol: in.Protocol, Digest: in.Identity.Digest, Path: in.Identity.Path,
		State: string(in.State), Unsafe: in.Identity.Unsafe, Crashes: in.Crashes,
	}
	if in.Err == nil {
		d := in.Descriptor
		v.Descriptor = &d
		return v
	}
	v.Error, v.Code = in.Err.Error(), CodeOf(in.Err)
	var e *Error
	if errors.As(in.Err, &e) {
		v.Hint = e.Hint
	}
	return v
}

// Descriptor is what the provider's adapter says of its client.
func (h *Host) Descriptor(ctx context.Context, provider string) (preparer.Descriptor, error) {
	end, err := h.begin()
	if err != nil {
		return preparer.Descriptor{}, err
	}
	defer end()
	d, _, err := h.pool.Descriptor(ctx, provider)
	return d, inTime(ctx, err)
}

// AdapterCalls is how many times the provider's adapter was really asked for a layout. Equal requests are answered from
// memory.
func (h *Host) AdapterCalls(provider string) int { return h.pool.Calls(provider) }
