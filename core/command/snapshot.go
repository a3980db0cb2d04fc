package command

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/outside"
)

// Limits of a catalog.
const (
	maxCommands = 4096
	maxWords    = 16
)

// plain says whether text is a word of letters, digits and some marks, and does not begin with one of the marks.
func plain(text, marks string, limit int) bool {
	if text == "" || len(text) > limit {
		return false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !word && (i == 0 || strings.IndexByte(marks, c) < 0) {
			return false
		}
	}
	return true
}

func isID(text string) bool   { return plain(text, "._:-", 128) }
func isWord(text string) bool { return plain(text, "._-", 64) }

// Snapshot is the commands of one preparation. It never changes, whatever the catalog does later.
type Snapshot struct {
	cli        string
	projection Projection
	all        map[string]*entry // also those that the session does not have
	list       []*entry          // those that it has, in the catalog's order
	digest     string
}

type entry struct {
	id             string
	path           []string
	summary, text  string
	appID, appName string
	json, has      bool
	visibility     Visibility
	inputs         []Input // required ones first, in the schema's order, then the others by name
}

// Empty is the snapshot of a host without a tool of its own.
func Empty(cli string) *Snapshot {
	s, err := New(cli, nil, Projection{})
	if err != nil {
		panic(err) // nothing to be wrong about
	}
	return s
}

// Resolve asks a catalog once and makes the snapshot of a session. A nil catalog is a host without commands.
func Resolve(ctx context.Context, c Catalog, cli, workspace string, p Projection) (*Snapshot, error) {
	return (*Memo)(nil).Resolve(ctx, c, cli, workspace, p)
}

func ask(ctx context.Context, c Catalog, workspace string, p Projection) ([]Command, error) {
	if c == nil {
		return nil, nil
	}
	// A rule must not approve a command that only integrations have either, so a dedicated session asks for all.
	list, err := c.Commands(ctx, Query{Workspace: workspace, Integration: p.Dedicated})
	switch {
	case err == nil:
		return list, nil
	case ctx.Err() != nil:
		return nil, fault.Wrap(err, fault.Deadline, "list commands", "catalog", "the time was up, or the caller gave up")
	}
	return nil, fault.Wrap(err, fault.CatalogFailed, "list commands", "catalog", "the host's commands cannot be listed").
		WithHint("no session is prepared without knowing its commands; what the catalog says is the cause of this error")
}

// New makes a snapshot of a list of commands. It takes what it needs, so that the list may change later.
func New(cli string, list []Command, p Projection) (*Snapshot, error) {
	if !isWord(cli) {
		return nil, fault.New(fault.Invalid, "list commands", "tool", "its name is no plain word")
	}
	if len(list) > maxCommands {
		return nil, fault.New(fault.Invalid, "list commands", "catalog", "there are more than 4,096 commands")
	}
	s := &Snapshot{cli: cli, projection: p, all: make(map[string]*entry, len(list))}
	order := make([]*entry, 0, len(list))
	paths := make(map[string]bool, len(list))
	for _, c := range list {
		e, err := compile(c)
		if err != nil {
			return nil, err
		}
		if s.all[e.id] != nil {
			return nil, refuse(e.id, "two commands have this id")
		}
		if key := strings.Join(e.path, " "); paths[key] {
			return nil, refuse(e.id, "another command has its path")
		} else {
			paths[key] = true
		}
		s.all[e.id] = e
		order = append(order, e)
	}
	if err := p.apply(s); err != nil {
		return nil, err
	}
	for _, e := range order {
		if e.has {
			s.list = append(s.list, e)
		}
	}
	s.digest = s.sum(order)
	return s, nil
}

func compile(c Command) (*entry, error) {
	if !isID(c.ID) {
		return nil, refuse(c.ID, "its id is blank, too long or holds other than letters, digits, dots, colons and dashes")
	}
	if len(c.Path) == 0 || len(c.Path) > maxWords {
		return nil, refuse(c.ID, "it has no path, or a very long one")
	}
	for _, word := range c.Path {
		if !isWord(word) {
			return nil, refuse(c.ID, "a word of its path is not made of letters, digits, dots, dashes and underscores, or begins with one of the marks")
		}
	}
	e := &entry{
		id: c.ID, path: slices.Clone(c.Path), json: c.JSON, visibility: c.Visibility, has: c.Visibility.visible(),
		summary: outside.Line(c.Summary, 160), text: outside.Line(c.Description, 600),
		appID: outside.Line(c.AppID, 128), appName: outside.Line(c.AppName, 128),
	}
	if e.summary == "" {
		e.summary = e.id
	}
	var err error
	e.inputs, err = inputs(c)
	return e, err
}

func refuse(id, detail string) error {
	return fault.New(fault.Invalid, "list commands", "command "+shown(id), detail).
		WithHint("the host's catalog is at fault")
}

// shown is an id of unknown make as it can stand in a message.
func shown(id string) string {
	id = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(id, "?"))
	return `"` + outside.Cut(id, 80) + `"`
}

// sum tells snapshots apart by everything that texts and rules are made of.
func (s *Snapshot) sum(order []*entry) string {
	b := make([]byte, 0, 16<<10)
	add := func(list ...string) {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, text := range list {
			b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
		}
	}
	flag := func(v bool) string {
		if v {
			return "1"
		}
		return ""
	}
	p := s.projection
	add(s.cli, string(p.Mode), flag(p.Dedicated))
	for _, list := range [][]string{p.AllowedIDs, p.IncludeIntegration, p.ExcludeIDs} {
		add(list...)
	}
	for _, e := range order {
		add(e.id, e.summary, e.text, e.appID, e.appName, flag(e.json), flag(e.has))
		add(e.path...)
		for _, in := range e.inputs {
			add(in.Name, in.Type, in.Text, in.Default, flag(in.Required))
			add(in.Values...)
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Digest is the same for equal snapshots only.
func (s *Snapshot) Digest() string { return s.digest }

// Projection is what the snapshot was narrowed by.
func (s *Snapshot) Projection() Projection { return s.projection }

// IDs lists what the session has, in the catalog's order.
func (s *Snapshot) IDs() []string {
	list := make([]string, len(s.list))
	for i, e := range s.list {
		list[i] = e.id
	}
	return list
}

// Has says whether the session has a command.
func (s *Snapshot) Has(id string) bool { return s.get(id) != nil }

func (s *Snapshot) get(id string) *entry {
	if e := s.all[id]; e != nil && e.has {
		return e
	}
	return nil
}

// HasAll says whether it has all of several.
func (s *Snapshot) HasAll(ids ...string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { return !s.Has(id) })
}

// Families lists the first words of the paths, each once, in the catalog's order.
func (s *Snapshot) Families() []string {
	var list []string
	for _, e := range s.list {
		if !slices.Contains(list, e.path[0]) {
			list = append(list, e.path[0])
		}
	}
	return list
}

// HasFamily says whether a path begins with a word.
func (s *Snapshot) HasFamily(word string) bool { return slices.Contains(s.Families(), word) }

// Authorize answers whether the session may run a command, by id. One that it does not have is unknown to it.
func (s *Snapshot) Authorize(id string) error {
	if s.Has(id) {
		return nil
	}
	return fault.New(fault.CommandUnavailable, "authorize command", "command "+shown(id), "this session has no such command")
}
