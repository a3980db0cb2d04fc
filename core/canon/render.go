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
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// InstructionsName is the name of the document.
const InstructionsName = "instructions"

// maxCached bounds how many renderings a Set remembers. A host has one for each kind of client, and a few more where
// skills of users' have our names.
const maxCached = 64

// Set is a parsed set of texts.
type Set struct {
	sections []section
	skills   []skillText // sorted by id

	mu    sync.Mutex
	cache map[string]rendered
}

type rendered struct {
	document Document
	skills   []skill.Skill
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

// Skills renders the skills under their own names, sorted by id. The caller may change what it gets.
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

func (s *Set) render(f Facts) (rendered, error) {
	if s.cache == nil {
		return rendered{}, fault.New(fault.Invalid, "render text", "canon", "the set was not made by New")
	}
	f = f.withDefaults()
	if err := f.check(); err != nil {
		return rendered{}, err
	}
	key := f.key()
	s.mu.Lock()
	r, ok := s.cache[key]
	s.mu.Unlock()
	if ok {
		return r, nil
	}

	r.document.Name = InstructionsName
	data := s.data(f)
	var err error
	if r.document.Sections, err = s.renderSections(data); err != nil {
		return rendered{}, err
	}
	texts := make([]string, len(r.document.Sections))
	for i, one := range r.document.Sections {
		texts[i] = one.Text
	}
	r.document.Text = strings.Join(texts, "\n")
	if r.skills, err = s.renderSkills(data); err != nil {
		return rendered{}, err
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.cache) >= maxCached {
		clear(s.cache)
	}
	s.cache[key] = r
	return r, nil
}

func (s *Set) renderSections(data data) ([]Section, error) {
	funcs := data.funcs()
	var list []Section
	for _, one := range s.sections {
		t, err := one.text.Clone()
		if err != nil {
			return nil, renderFault(one.text, err)
		}
		text, err := execute(t.Funcs(funcs), data)
		if err != nil {
			return nil, err
		}
		if text = strings.TrimSpace(text); text != "" {
			list = append(list, Section{one.key, text + "\n"})
		}
	}
	return list, nil
}

func (s *Set) renderSkills(data data) ([]skill.Skill, error) {
	data.Skills = nil // a skill's bytes must not depend on the names that skills got
	list := make([]skill.Skill, 0, len(s.skills))
	for _, one := range s.skills {
		description, err := execute(one.description, data)
		if err != nil {
			return nil, err
		}
		made := skill.Skill{ID: one.id, Name: one.name, Files: make(map[string][]byte, len(one.files))}
		for _, file := range one.files {
			text, err := execute(file.text, data)
			if err != nil {
				return nil, err
			}
			body := []byte(strings.TrimSpace(text) + "\n")
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

// data is what templates see.
type data struct {
	Product, CLI, EnvPrefix string
	Vars                    Vars
	NativeImages            bool
	PluginNames             bool // names are spelled plugin:name
	Skills                  []skillName
}

type skillName struct{ ID, Name string }

func (s *Set) data(f Facts) data {
	d := data{
		Product: f.Product, CLI: f.CLI, EnvPrefix: f.EnvPrefix, Vars: VarsFor(f.EnvPrefix),
		NativeImages: f.NativeImages, PluginNames: f.SkillNames == preparer.PluginNames,
	}
	for _, one := range s.skills {
		name := one.name
		if given := f.Names[one.id]; given != "" {
			name = given
		}
		d.Skills = append(d.Skills, skillName{one.id, f.Spell(name)})
	}
	return d
}

// Spell is how the model has to spell a skill of the given name.
func (f Facts) Spell(name string) string {
	if f = f.withDefaults(); f.SkillNames == preparer.PluginNames {
		return f.PluginName + ":" + name
	}
	return name
}

// placeholders lets templates parse before anybody knows the names of skills.
func placeholders() template.FuncMap { return data{}.funcs() }

func (d data) funcs() template.FuncMap {
	return template.FuncMap{"skill": func(id string) (string, error) {
		for _, one := range d.Skills {
			if one.ID == id {
				return one.Name, nil
			}
		}
		return "", fmt.Errorf("there is no skill %q", id)
	}}
}

func execute(t *template.Template, d data) (string, error) {
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		return "", renderFault(t, err)
	}
	return b.String(), nil
}

func renderFault(t *template.Template, err error) error {
	return fault.Wrap(err, fault.Internal, "render text", t.Name(), fmt.Sprintf("its template fails: %v", err))
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
