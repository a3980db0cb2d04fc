package canon

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"maps"
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
//	bundle/NN-KEY.md          those of the prompt of a bundle; without any, it is made of the same as the document
//	policy/NAME.md            sections of standard packs; a pack whose text is not there adds nothing
//	skills/DIR/SKILL.md       front matter with id and description, then the body
//	skills/DIR/...            further files of the skill
//
// The front matter may also hold name, which is else that of the directory, order, by which skills are listed, and
// pack, which is the capability pack that brings the skill and else [CorePack]. All of them are templates over [Facts];
// the functions are those of [Set.Functions].
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
	var err error
	if s.sections, err = loadSections(src.FS, "instructions"); err != nil {
		return nil, err
	}
	if s.bundle, err = loadSections(src.FS, "bundle"); err != nil && !isNotExist(err) {
		return nil, err
	} else if err != nil {
		s.bundle = s.sections
	}
	if s.policies, err = loadPolicies(src.FS); err != nil {
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
	id, pack          string
	order             int
	name, description *template.Template
	files             []fileText
}

// namedText is a skill whose name is known.
type namedText struct {
	skillText
	name string
}

func (t skillText) named(d data) (namedText, error) {
	name, err := instantiate(t.name, d.funcs(), d)
	return namedText{t, strings.TrimSpace(name)}, err
}

// CorePack is the pack of the skills that every session has.
const CorePack = "core"

// SkillIDs lists the canonical skills that a pack brings, in order.
func (s *Set) SkillIDs(pack string) []string {
	var list []string
	for _, one := range s.skills {
		if one.pack == pack {
			list = append(list, one.id)
		}
	}
	return list
}

// Policy is the template of a standard pack's section, and whether there is one.
func (s *Set) Policy(name string) (string, bool) {
	text, ok := s.policies[name]
	return text, ok
}

// Functions lists the names of the functions that templates may use.
func (s *Set) Functions() []string { return slices.Sorted(maps.Keys(placeholders())) }

// chosen are the skills of a session.
func (s *Set) chosen(ids []string) ([]skillText, error) {
	if ids == nil {
		ids = s.SkillIDs(CorePack)
	}
	list := make([]skillText, 0, len(ids))
	for _, id := range ids {
		i := slices.IndexFunc(s.skills, func(one skillText) bool { return one.id == id })
		if i < 0 {
			return nil, fault.New(fault.Invalid, "render text", "skill:"+id, "there is no canonical skill of this id")
		}
		list = append(list, s.skills[i])
	}
	return list, nil
}

type fileText struct {
	path string
	text *template.Template
}

func loadSections(tree fs.FS, dir string) ([]section, error) {
	entries, err := fs.ReadDir(tree, dir)
	if err != nil || len(entries) == 0 {
		return nil, fault.Wrap(err, fault.Invalid, "read text", dir, "there are no sections")
	}
	var list []section
	for _, e := range entries { // sorted by name
		order, key, ok := strings.Cut(strings.TrimSuffix(e.Name(), ".md"), "-")
		if !ok || !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".md") || strings.Trim(order, "0123456789") != "" || key == "" {
			return nil, fault.New(fault.Invalid, "read text", dir+"/"+e.Name(), "it is not a file named NN-KEY.md")
		}
		if slices.ContainsFunc(list, func(have section) bool { return have.key == key }) {
			return nil, fault.New(fault.Invalid, "read text", dir+"/"+e.Name(), "another section has this key")
		}
		text, err := load(tree, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, section{key, text})
	}
	return list, nil
}

func loadPolicies(tree fs.FS) (map[string]string, error) {
	list := map[string]string{}
	entries, err := fs.ReadDir(tree, "policy")
	if err != nil && !isNotExist(err) {
		return nil, fault.Wrap(err, fault.Invalid, "read text", "policy", "the directory cannot be read")
	}
	for _, e := range entries {
		name := path.Join("policy", e.Name())
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "read text", name, "it cannot be read")
		}
		if _, err := parse(name, string(data), placeholders()); err != nil {
			return nil, err
		}
		list[strings.TrimSuffix(e.Name(), ".md")] = string(data)
	}
	return list, nil
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
	slices.SortFunc(s.skills, func(a, b skillText) int {
		return cmp.Or(cmp.Compare(a.order, b.order), strings.Compare(a.id, b.id))
	})
	return nil
}

func loadSkill(tree fs.FS, dir string) (skillText, error) {
	one := skillText{pack: CorePack}
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
		Name        string `yaml:"name"`
		Order       int    `yaml:"order"`
		Pack        string `yaml:"pack"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(head))
	dec.KnownFields(true)
	if err := dec.Decode(&meta); err != nil || meta.ID == "" || meta.Description == "" {
		return one, fault.Wrap(err, fault.Invalid, "read text", main, "its front matter is not an id and a description")
	}
	one.id, one.order, one.pack = meta.ID, meta.Order, cmp.Or(meta.Pack, CorePack)
	if one.name, err = parse(main, cmp.Or(meta.Name, path.Base(dir)), placeholders()); err != nil {
		return one, err
	}
	if one.description, err = parse(main, meta.Description, placeholders()); err != nil {
		return one, err
	}
	text, err := parse(main, string(body), placeholders())
	if err != nil {
		return one, err
	}
	one.files = append(one.files, fileText{skill.MainFile, text})

	err = fs.WalkDir(tree, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == main {
			return err
		}
		text, err := load(tree, name)
		one.files = append(one.files, fileText{strings.TrimPrefix(name, dir+"/"), text})
		return err
	})
	return one, err
}

func load(tree fs.FS, name string) (*template.Template, error) {
	data, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "read text", name, "it cannot be read")
	}
	return parse(name, string(data), placeholders())
}

func parse(name, text string, funcs template.FuncMap) (*template.Template, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(funcs).Parse(text)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "read text", name, fmt.Sprintf("it is no template: %v", err))
	}
	return t, nil
}
