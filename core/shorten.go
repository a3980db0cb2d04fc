package core

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/layout"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/rtk"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// referenceName is the document of the line that leads to the notes about rtk. Clients of Codex's kind follow such a line.
const referenceName = "rtk-reference"

// RTKLayer is what makes a client run commands through rtk.
type RTKLayer string

// The layers, the strongest first.
const (
	RTKHook         RTKLayer = "hook"         // the client asks a hook before it runs a command
	RTKPlugin       RTKLayer = "plugin"       // a plugin of the client's rewrites commands
	RTKInstructions RTKLayer = "instructions" // the agent is told, and does as it sees fit
)

// rtkTexts say it to people.
var rtkTexts = map[RTKLayer]string{
	RTKHook:         "the client runs shell commands through rtk, by a hook",
	RTKPlugin:       "the client runs shell commands through rtk, by a plugin",
	RTKInstructions: "the agent is told to run shell commands through rtk, and nothing makes it: ",
}

// layer is the one that has an effect in the session's client: what its descriptor says, in a version that heeds it, when
// something in the layout does call the program. why says for people what keeps it from being more than the instructions.
func (h *Host) layer(a *answered) (layer RTKLayer, why string) {
	if !a.session.RTK {
		return "", ""
	}
	switch a.desc.Rewrite {
	case preparer.PretoolHook:
		layer = RTKHook
	case preparer.ClientPlugin:
		layer = RTKPlugin
	default:
		return RTKInstructions, "the client gives us no way to change a command before it runs"
	}
	if !a.kind.callsRTK() {
		return RTKInstructions, "the " + string(layer) + " that would is left out of this session"
	}
	if span := a.desc.RewriteSupported; span != "" {
		if ok, err := h.versions.Supported(a.version, span); err != nil || !ok || a.version == "" {
			return RTKInstructions, "the " + string(layer) + " that would is heeded by versions " + span + " of the client, and this one is not known to be of them"
		}
	}
	return layer, ""
}

// onWindows says whether sessions run on Windows.
const onWindows = runtime.GOOS == "windows"

// shortens is what an adapter is told of rtk, or nil.
func (a *answered) shortens() *preparer.RTK {
	if !a.session.RTK {
		return nil
	}
	return &preparer.RTK{
		Program:   preparer.Session(rtk.Bin).Join(rtk.File(onWindows)),
		Reference: preparer.Document{Name: referenceName},
	}
}

// toldRTK tells kinds of session apart by whether they have rtk.
func (a *answered) toldRTK() string {
	if a.session.RTK {
		return "rtk"
	}
	return ""
}

// programStore opens the store of programs, once.
func (h *Host) programStore() (*rtk.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.programs == nil {
		tree, err := fsroot.Open(filepath.Join(h.store.Path(), "store"), h.seam)
		if err != nil {
			return nil, err
		}
		h.shelf, h.programs = tree, rtk.Open(tree, onWindows)
	}
	return h.programs, nil
}

// keepProgram sees to the program of a session that wants one. m is the session's record, or nil.
func (h *Host) keepProgram(ctx context.Context, a *answered, m *manifest.Manifest) error {
	if !a.session.RTK {
		return nil
	}
	store, err := h.programStore()
	if err != nil {
		return err
	}
	a.program, err = store.Keep(ctx, h.cfg.RTK, pinned(m))
	return err
}

// peekProgram is keepProgram for who writes nothing.
func (h *Host) peekProgram(ctx context.Context, a *answered, m *manifest.Manifest) (err error) {
	if a.session.RTK {
		a.program, err = rtk.Peek(ctx, h.cfg.RTK, pinned(m))
	}
	return err
}

// pinned is the program that a session began with.
func pinned(m *manifest.Manifest) string {
	if m == nil {
		return ""
	}
	return m.Program
}

// programNodes are the program, what is to be read of it, and room for what it writes.
func (h *Host) programNodes(a *answered) []layout.Node {
	if a.program == "" {
		return nil
	}
	link := rtk.Bin + "/" + rtk.File(onWindows)
	room := func(path, why string) layout.Node {
		return layout.Node{Path: path, Kind: manifest.Dir, Mode: 0o700, Custody: manifest.Scratch, Why: why}
	}
	return []layout.Node{
		{Path: link, Kind: manifest.Link, Target: rtk.Path(h.store.Path(), a.program, onWindows), Login: -1, Why: "rtk, by its digest"},
		{Path: rtk.Notes, Kind: manifest.File, Mode: 0o600, Data: []byte(h.cfg.Content.RTK() + "\n"), Why: "about rtk"},
		room(rtk.Data, "what rtk counts"),
		room(rtk.Tee, "whole outputs that rtk keeps"),
	}
}

// texts are the documents that the session's handles stand for: those of its kind, and the line that names a path.
func (h *Host) texts(a *answered, n *named) map[string]layout.Text {
	if !a.session.RTK {
		return n.text
	}
	all := maps.Clone(n.text)
	all[referenceName] = layout.Text{Whole: rtk.Reference(a.roots.Session, onWindows)}
	return all
}

// programEnv is what a session with rtk sets. Its directory comes first on PATH, and holds nothing else.
func (a *answered) programEnv() []EnvVar {
	if !a.session.RTK || a.rtkEnv != nil {
		return a.rtkEnv
	}
	vars := rtk.Environ(a.roots.Session, onWindows)
	env := make([]EnvVar, 0, len(vars)+len(rtk.Unset)+1)
	for _, v := range vars {
		env = append(env, EnvVar{Name: v.Name, Op: preparer.EnvSet, Value: v.Value})
	}
	for _, name := range rtk.Unset {
		env = append(env, EnvVar{Name: name, Op: preparer.EnvUnset})
	}
	dir := rtk.At(a.roots.Session, rtk.Bin, onWindows)
	a.rtkEnv = append(env, EnvVar{Name: "PATH", Op: preparer.EnvPrepend, Value: dir, Separator: listSeparator(onWindows)})
	return a.rtkEnv
}

// collectPrograms removes programs that no session leads to.
func (h *Host) collectPrograms(ctx context.Context, o CollectOptions) ([]string, error) {
	store, err := h.programStore()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return store.Collect(ctx, h.cfg.Now().Add(-o.Grace), func() (map[string]bool, error) {
		return h.held(ctx, func(m *manifest.Manifest) []string {
			if m.Program == "" {
				return nil
			}
			return []string{m.Program}
		})
	})
}

// Terminal is the change that a host makes to the environment of a terminal of its own, so that a person finds the same rtk
// there as new sessions do. It only puts a directory first on PATH. The program is taken into the store when it is not there.
// A terminal holds no program: ask for each new one, since Collect takes a program that no session leads to, open terminals or not.
func (h *Host) Terminal(ctx context.Context) ([]EnvVar, error) {
	end, err := h.beginWriting()
	if err != nil {
		return nil, inTime(ctx, err)
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout)
	defer cancel()
	store, err := h.programStore()
	if err != nil {
		return nil, inTime(ctx, err)
	}
	digest, err := store.Keep(ctx, h.cfg.RTK, "")
	if err != nil {
		return nil, inTime(ctx, err)
	}
	dir := filepath.Dir(rtk.Path(h.store.Path(), digest, onWindows))
	return []EnvVar{{Name: "PATH", Op: preparer.EnvPrepend, Value: dir, Separator: listSeparator(onWindows)}}, nil
}
