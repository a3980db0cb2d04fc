package canon

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// Names of the documents.
const (
	InstructionsName = "instructions"  // what a client's own channel carries
	BundleName       = "bundle-prompt" // what goes with a rendered bundle
)

// maxCached bounds how many renderings a Set remembers. A host has one for each kind of client, and a few more where
// skills of users' have our names.
const maxCached = 64

// Set is a parsed set of texts.
type Set struct {
	sections []section
	bundle   []section
	policies map[string]string
	skills   []skillText // in order, then by id

	mu    sync.Mutex
	cache map[string]rendered
	made  int // renderings that were not remembered
}

type rendered struct {
	document, bundle Document
	skills           []skill.Skill
}

// Document is a rendered document: its whole text, and its parts by key.
type Document struct {
	Name     string
	Text     string
	Sections []Section
}

// Section is one part of a document.
type Section struct{ Key, Text string }

// Keys lists the keys of the sections, in order.
func (d Document) Keys() []string {
	keys := make([]string, len(d.Sections))
	for i, s := range d.Sections {
		keys[i] = s.Key
	}
	return keys
}

// Section gives the text of one section.
func (d Document) Section(key string) (string, bool) {
	for _, s := range d.Sections {
		if s.Key == key {
			return s.Text, true
		}
	}
	return "", false
}

// Document renders the instructions. Its text is that of the sections with an empty line between them, and ends in a
// line break; sections that come out blank are not in it.
func (s *Set) Document(f Facts) (Document, error) {
	r, err := s.render(f)
	if err != nil {
		return Document{}, err
	}
	r.document.Sections = slices.Clone(r.document.Sections)
	return r.document, nil
}

// Bundle renders the prompt that goes with a bundle of skills to a host that places both itself.
func (s *Set) Bundle(f Facts) (Document, error) {
	r, err := s.render(f)
	if err != nil {
		return Document{}, err
	}
	r.bundle.Sections = slices.Clone(r.bundle.Sections)
	return r.bundle, nil
}

// Skills renders the canonical skills of the session under their own names, in the order of the facts. The caller may
// change what it gets.
func (s *Set) Skills(f Facts) ([]skill.Skill, error) {
	r, err := s.render(f)
	if err != nil {
		return nil, err
	}
	list := make([]skill.Skill, len(r.skills))
	for i, one := range r.skills {
		one.Files = maps.Clone(one.Files)
		for name, data := range one.Files {
			one.Files[name] = bytes.Clone(data)
		}
		list[i] = one
	}
	return list, nil
}

// Renderings counts how often texts were rendered and not remembered.
func (s *Set) Renderings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made
}

func (s *Set) render(f Facts) (rendered, error) {
	if s.cache == nil {
		return rendered{}, fault.New(fault.Invalid, "render text", "canon", "the set was not made by New")
	}
	f, err := f.withDefaults()
	if err != nil {
		return rendered{}, err
	}
	key := f.Key()
	s.mu.Lock()
	r, ok := s.cache[string(key)]
	s.mu.Unlock()
	if ok {
		return r, nil
	}
	if err := f.check(); err != nil {
		return rendered{}, err
	}
	d := s.data(f)
	chosen, err := s.chosen(f.Skills)
	if err != nil {
		return rendered{}, err
	}
	named := make([]namedText, len(chosen))
	for i, one := range chosen {
		if named[i], err = one.named(d); err != nil {
			return rendered{}, err
		}
	}
	if r.skills, err = renderSkills(named, d); err != nil {
		return rendered{}, err
	}
	d.Skills = f.names(named)
	if r.document, err = renderDocument(InstructionsName, s.sections, d, f.Policy, ProviderRuntime); err != nil {
		return rendered{}, err
	}
	if r.bundle, err = renderDocument(BundleName, s.bundle, d, f.Policy, SkillBundle); err != nil {
		return rendered{}, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	if len(s.cache) >= maxCached {
		clear(s.cache)
	}
	s.cache[string(key)] = r
	return r, nil
}

// renderDocument renders the sections with those of packs in their places. What is for an anchor that no section of
// the text has goes behind the others.
func renderDocument(name string, sections []section, d data, policy []Policy, delivery Delivery) (Document, error) {
	doc := Document{Name: name}
	texts, err := renderPolicy(d, policy, delivery)
	if err != nil {
		return Document{}, err
	}
	d.policy = texts
	funcs := d.funcs()
	placed := map[Anchor]bool{}
	own := funcs["policy"].(func(string) (string, error))
	funcs["policy"] = func(anchor string) (string, error) {
		placed[Anchor(anchor)] = true
		return own(anchor)
	}
	add := func(key, text string) {
		if text = tidy(text); text != "" {
			doc.Sections = append(doc.Sections, Section{key, text + "\n"})
		}
	}
	for _, one := range sections {
		text, err := instantiate(one.text, funcs, d)
		if err != nil {
			return Document{}, err
		}
		add(one.key, text)
	}
	for _, anchor := range Anchors() {
		if !placed[anchor] {
			add("policy-"+string(anchor), texts[anchor])
		}
	}
	parts := make([]string, len(doc.Sections))
	for i, one := range doc.Sections {
		parts[i] = one.Text
	}
	doc.Text = strings.Join(parts, "\n")
	return doc, nil
}

// renderPolicy renders the sections of packs that go into a document, by anchor.
func renderPolicy(d data, policy []Policy, delivery Delivery) (map[Anchor]string, error) {
	texts := map[Anchor]string{}
	funcs := d.funcs()
	for _, p := range policy {
		if p.Delivery != Everywhere && p.Delivery != delivery {
			continue
		}
		t, err := parse(p.Key, p.Body, funcs)
		if err != nil {
			return nil, err
		}
		text, err := execute(t, d)
		if err != nil {
			return nil, err
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		// Points join the list that stands there; anything else begins a paragraph.
		if !strings.HasPrefix(text, "- ") {
			text = "\n" + text + "\n"
		}
		if had := texts[p.Anchor]; had != "" {
			text = had + "\n" + text
		}
		texts[p.Anchor] = text
	}
	return texts, nil
}

// tidy takes blank space away at both ends, and blank lines of which there are two in a row.
func tidy(text string) string {
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return strings.TrimSpace(text)
}

func renderSkills(named []namedText, d data) ([]skill.Skill, error) {
	funcs := d.funcs() // without names of skills: a skill's bytes must not depend on the names that skills got
	list := make([]skill.Skill, 0, len(named))
	for _, one := range named {
		description, err := instantiate(one.description, funcs, d)
		if err != nil {
			return nil, err
		}
		made := skill.Skill{ID: one.id, Name: one.name, Files: make(map[string][]byte, len(one.files))}
		for _, file := range one.files {
			text, err := instantiate(file.text, funcs, d)
			if err != nil {
				return nil, err
			}
			body := []byte(tidy(text) + "\n")
			if file.path == skill.MainFile {
				if body, err = skill.Main(one.name, strings.Join(strings.Fields(description), " "), append([]byte("\n"), body...)); err != nil {
					return nil, renderFault(file.text, err)
				}
			}
			made.Files[file.path] = body
		}
		if err := made.Check(); err != nil {
			return nil, err
		}
		list = append(list, made)
	}
	return list, nil
}

func instantiate(t *template.Template, funcs template.FuncMap, d data) (string, error) {
	c, err := t.Clone()
	if err != nil {
		return "", renderFault(t, err)
	}
	return execute(c.Funcs(funcs), d)
}

func execute(t *template.Template, d data) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		return "", renderFault(t, err)
	}
	return b.String(), nil
}

// renderFault names the template and the line, as the template package says them.
func renderFault(t *template.Template, err error) error {
	return fault.Wrap(err, fault.Internal, "render text", t.Name(), fmt.Sprintf("its template fails: %v", err))
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
