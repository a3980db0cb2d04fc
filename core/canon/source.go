package canon

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"

	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/skill"
)

//go:embed text
var embedded embed.FS

// Source is where the texts come from: a tree of
//
//	instructions/NN-KEY.md    the sections of the document, in the order of their names
//	skills/NAME/SKILL.md      front matter with id and description, then the body
//	skills/NAME/...           further files of the skill
//
// All of them are templates over [Facts]. The document's may also say {{skill "ID"}}, which is how the model has to
// spell the skill's name, and range over .Skills.
type Source struct {
	FS fs.FS
}

// Default is the set of the texts in this binary.
func Default() (*Set, error) {
	sub, err := fs.Sub(embedded, "text")
	if err != nil {
		return nil, fault.Wrap(err, fault.Internal, "read text", "canon", "the embedded text is missing")
	}
	return New(Source{FS: sub})
}

// New parses the texts of a source. It fails when there are none, or when one does not parse.
func New(src Source) (*Set, error) {
	s := &Set{cache: make(map[string]rendered)}
	if err := s.loadSections(src.FS); err != nil {
		return nil, err
	}
	if err := s.loadSkills(src.FS); err != nil {
		return nil, err
	}
	return s, nil
}

type section struct {
	key  string
	text *template.Template
}

type skillText struct {
	id, name    string
	description *template.Template
	files       []fileText
}

type fileText struct {
	path string
	text *template.Template
}

func (s *Set) loadSections(tree fs.FS) error {
	entries, err := fs.ReadDir(tree, "instructions")
	if err != nil || len(entries) == 0 {
		return fault.Wrap(err, fault.Invalid, "read text", "instructions", "there are no sections")
	}
	for _, e := range entries { // sorted by name
		order, key, ok := strings.Cut(strings.TrimSuffix(e.Name(), ".md"), "-")
		if !ok || !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".md") || strings.Trim(order, "0123456789") != "" || key == "" {
			return fault.New(fault.Invalid, "read text", "instructions/"+e.Name(), "it is not a file named NN-KEY.md")
		}
		if slices.ContainsFunc(s.sections, func(have section) bool { return have.key == key }) {
			return fault.New(fault.Invalid, "read text", "instructions/"+e.Name(), "another section has this key")
		}
		text, err := load(tree, path.Join("instructions", e.Name()), placeholders())
		if err != nil {
			return err
		}
		s.sections = append(s.sections, section{key, text})
	}
	return nil
}

func (s *Set) loadSkills(tree fs.FS) error {
	entries, err := fs.ReadDir(tree, "skills")
	if err != nil && !isNotExist(err) {
		return fault.Wrap(err, fault.Invalid, "read text", "skills", "the directory cannot be read")
	}
	for _, e := range entries {
		dir := path.Join("skills", e.Name())
		one, err := loadSkill(tree, dir)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(s.skills, func(have skillText) bool { return have.id == one.id }) {
			return fault.New(fault.Invalid, "read text", dir, "another skill has this id")
		}
		s.skills = append(s.skills, one)
	}
	slices.SortFunc(s.skills, func(a, b skillText) int { return strings.Compare(a.id, b.id) })
	return nil
}

func loadSkill(tree fs.FS, dir string) (skillText, error) {
	one := skillText{name: path.Base(dir)}
	main := path.Join(dir, skill.MainFile)
	data, err := fs.ReadFile(tree, main)
	if err != nil {
		return one, fault.Wrap(err, fault.Invalid, "read text", main, "it cannot be read")
	}
	head, body, ok := bytes.Cut(bytes.TrimPrefix(data, []byte("---\n")), []byte("\n---\n"))
	if !ok || !bytes.HasPrefix(data, []byte("---\n")) {
		return one, fault.New(fault.Invalid, "read text", main, "it has no front matter")
	}
	var meta struct {
		ID          string `yaml:"id"`
		Description string `yaml:"description"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(head))
	dec.KnownFields(true)
	if err := dec.Decode(&meta); err != nil || meta.ID == "" || meta.Description == "" {
		return one, fault.Wrap(err, fault.Invalid, "read text", main, "its front matter is not an id and a description")
	}
	one.id = meta.ID
	if one.description, err = parse(main, meta.Description, nil); err != nil {
		return one, err
	}
	text, err := parse(main, string(body), nil)
	if err != nil {
		return one, err
	}
	one.files = append(one.files, fileText{skill.MainFile, text})

	err = fs.WalkDir(tree, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == main {
			return err
		}
		text, err := load(tree, name, nil)
		one.files = append(one.files, fileText{strings.TrimPrefix(name, dir+"/"), text})
		return err
	})
	return one, err
}

func load(tree fs.FS, name string, funcs template.FuncMap) (*template.Template, error) {
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "read text", name, "it cannot be read")
	}
	return parse(name, string(data), funcs)
}

func parse(name, text string, funcs template.FuncMap) (*template.Template, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(funcs).Parse(text)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "read text", name, fmt.Sprintf("it is no template: %v", err))
	}
	return t, nil
}
