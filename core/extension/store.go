package extension

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/shelf"
	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// Store keeps installed packages in a directory. Packages lie below their digest and never change; a record for each ID
// says which one is active, and is replaced whole. It is safe for concurrent use, also by several processes.
type Store struct {
	dir  string
	seam *fsroot.Seam

	cache   *trust.Cache
	mu      sync.Mutex
	known   map[string]known       // by digest
	records map[string]knownRecord // by ID
}

// What lies in the directory of a store.
const (
	objectsDir = "objects" // packages by digest
	activeDir  = "active"  // records by ID
	making     = "objects/.making"
	aside      = "objects/.replaced" // the last package whose place a whole one took, for people to look at
	recordEnd  = ".json"
)

// OpenStore names the directory of a store, by its absolute path. It is made when something is installed. For tests,
// before is called before each single call that changes the disk, as Config.BeforeChange of core is; nil is none.
func OpenStore(dir string, before func(n int64, call, path string) error) *Store {
	s := &Store{dir: dir, cache: trust.NewCache(), known: map[string]known{}, records: map[string]knownRecord{}}
	if before != nil {
		s.seam = &fsroot.Seam{Before: before}
	}
	return s
}

func (s *Store) options() fsroot.Options {
	return fsroot.Options{Seam: s.seam, Label: "extensions"}
}

// Entry is one installed release.
type Entry struct {
	Version     string    `json:"version"`
	Sequence    uint64    `json:"sequence"`
	Digest      string    `json:"digest"`
	InstalledAt time.Time `json:"installedAt"`
}

// bound bounds from below what may be installed. It stays when the package is removed.
type bound struct {
	Highest        uint64 `json:"highest,omitempty"` // sequence
	HighestDigest  string `json:"highestDigest,omitempty"`
	HighestVersion string `json:"highestVersion,omitempty"`
}

// record is what is installed of one ID.
type record struct {
	Schema   int    `json:"schema"`
	ID       string `json:"id"`
	Active   *Entry `json:"active,omitempty"`
	Previous *Entry `json:"previous,omitempty"` // for a way back
	// Local is a package that nobody has verified. It is never taken in the place of another.
	Local *Entry `json:"local,omitempty"`
	Bound bound  `json:"bound,omitzero"`
}

const recordSchema = 1

const maxRecord = 64 << 10

func recordName(id string) string { return activeDir + "/" + id + recordEnd }

// read is the record of an ID, an empty one when there is none.
func read(tree *fsroot.Tree, id string) (record, error) {
	data, _, err := tree.ReadFile(recordName(id), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return record{Schema: recordSchema, ID: id}, nil
	}
	if err != nil {
		return record{}, err
	}
	return decode(data, id)
}

// decode is the record of an ID that stands in a file. Its schema is looked at before anything else of it, since nothing else
// need be the same in another.
func decode(data []byte, id string) (record, error) {
	subject := "record of extension " + id
	var of struct {
		Schema int `json:"schema"`
	}
	if json.Unmarshal(data, &of) == nil && of.Schema != recordSchema {
		return record{}, fault.New(fault.UnknownSchema, "read", subject, "it was written by another version of greenroom").
			WithHint("use the version that installed the extension")
	}
	var r record
	err := strictjson.Decode(data, &r)
	if err == nil {
		err = r.check(id)
	}
	if err != nil {
		return record{}, fault.Wrap(err, fault.Corrupt, "read", subject, "it is not valid: "+err.Error()).
			WithHint("take the file away, and install the extension again")
	}
	return r, nil
}

// check says what is wrong with a record that has the right form.
func (r record) check(id string) error {
	if r.ID != id {
		return errors.New("it is that of another extension")
	}
	for _, e := range []*Entry{r.Active, r.Previous, r.Local} {
		if e != nil && !shelf.IsDigest(e.Digest) {
			return errors.New("it names a package by something that is no digest")
		}
	}
	if d := r.Bound.HighestDigest; d != "" && !shelf.IsDigest(d) {
		return errors.New("it bounds what is installed by something that is no digest")
	}
	return nil
}

func write(tree *fsroot.Tree, r record) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return tree.WriteFile(recordName(r.ID), append(data, '\n'), fsroot.WriteOptions{Sync: true})
}

// shared opens the store to read in it. Without a store it gives fault.NotInstalled.
func (s *Store) shared(ctx context.Context) (*fsroot.Tree, func(), error) {
	tree, err := fsroot.OpenWith(s.dir, s.options())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, notInstalled("")
	}
	if err != nil {
		return nil, nil, err
	}
	return locked(ctx, tree, fsroot.Shared)
}

// change opens the store to change what is in it. Without a store it gives fault.NotInstalled.
func (s *Store) change(ctx context.Context, id string) (*fsroot.Tree, record, func(), error) {
	if _, err := fsroot.StatInput(s.dir); err != nil || !trust.ValidID(id) {
		return nil, record{}, nil, notInstalled(id)
	}
	tree, done, err := s.exclusive(ctx)
	if err != nil {
		return nil, record{}, nil, err
	}
	r, err := read(tree, id)
	if err != nil {
		done()
		return nil, record{}, nil, err
	}
	return tree, r, done, nil
}

// exclusive opens the store to change it, and makes it when it is absent.
func (s *Store) exclusive(ctx context.Context) (*fsroot.Tree, func(), error) {
	tree, err := fsroot.Make(s.dir, s.options())
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range []string{objectsDir, activeDir} {
		if _, err := tree.MkdirAll(dir, 0o700); err != nil {
			tree.Close()
			return nil, nil, err
		}
	}
	return locked(ctx, tree, fsroot.Exclusive)
}

func locked(ctx context.Context, tree *fsroot.Tree, mode fsroot.LockMode) (*fsroot.Tree, func(), error) {
	lock, err := tree.Lock(ctx, mode, true)
	if err != nil {
		tree.Close()
		return nil, nil, err
	}
	return tree, func() { lock.Unlock(); tree.Close() }, nil
}

func notInstalled(id string) error {
	subject := "extension"
	if id != "" {
		subject += " " + clip(id)
	}
	return fault.New(fault.NotInstalled, "load", subject, "it is not installed").
		WithHint("install it with `greenroom extension install PACKAGE`; `greenroom extension list` shows what is there")
}

// Installed is one ID of a store, as people see it.
type Installed struct {
	ID       string `json:"id"`
	Active   *Entry `json:"active,omitempty"`
	Previous *Entry `json:"previous,omitempty"`
	Local    *Entry `json:"local,omitempty"`
	// Package is the active one, nil with Err saying why it cannot be used, or when none is active.
	Package *Package `json:"-"`
	Err     error    `json:"-"`
}

// List says what is installed, sorted by ID, and whether the policy believes it now.
func (s *Store) List(ctx context.Context, p *trust.Policy, t trust.Terms) ([]Installed, error) {
	tree, done, err := s.shared(ctx)
	if fault.CodeOf(err) == fault.NotInstalled {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer done()
	entries, err := tree.List(activeDir)
	if err != nil {
		return nil, err
	}
	var all []Installed
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), recordEnd)
		if !ok || !trust.ValidID(id) {
			continue
		}
		r, err := read(tree, id)
		one := Installed{ID: id, Active: r.Active, Previous: r.Previous, Local: r.Local, Err: err}
		if err == nil && r.Active == nil && r.Local == nil {
			continue // removed; what it says is the lowest that may come back
		}
		if err == nil && r.Active != nil {
			one.Package, one.Err = s.load(ctx, tree, id, r.Active, p, t)
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Installed) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}
