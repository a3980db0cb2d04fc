package canon_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func facts() canon.Facts {
	return canon.Facts{Product: "Tutti", CLI: "tutti", EnvPrefix: "TUTTI"}
}

func standard(t *testing.T) *canon.Set {
	t.Helper()
	set, err := canon.Default()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func document(t *testing.T, set *canon.Set, f canon.Facts) canon.Document {
	t.Helper()
	doc, err := set.Document(f)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDocumentIsItsSections(t *testing.T) {
	t.Parallel()
	doc := document(t, standard(t), facts())
	if diff := cmp.Diff([]string{"session", "environment", "mentions", "images", "skills"}, doc.Keys()); diff != "" {
		t.Error(diff)
	}
	rest := doc.Text
	for _, s := range doc.Sections {
		text, ok := doc.Section(s.Key)
		if !ok || text != s.Text || strings.TrimSpace(text)+"\n" != text {
			t.Errorf("section %s is %q, %v", s.Key, text, ok)
		}
		if rest, ok = strings.CutPrefix(rest, text); !ok {
			t.Errorf("section %s does not stand in its place in the document", s.Key)
		}
		rest = strings.TrimPrefix(rest, "\n")
	}
	if rest != "" {
		t.Errorf("the document holds more than its sections: %q", rest)
	}
	if _, ok := doc.Section("none"); ok {
		t.Error("a section that is not there was found")
	}
}

func TestC011_NamesOfTheHostAreValues(t *testing.T) {
	t.Parallel()
	set := standard(t)
	f := canon.Facts{Product: "Studio", CLI: "studio-dev", EnvPrefix: "STUDIO"}
	text := document(t, set, f).Text
	skills, err := set.Skills(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range skills {
		for _, data := range s.Files {
			text += string(data)
		}
	}
	for _, want := range []string{"Studio", "`studio-dev`", "`STUDIO_AGENT_SESSION_ID`", "`STUDIO_WORKSPACE_ID`"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the texts", want)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		line = strings.ReplaceAll(line, skill.MarkerFile, "")
		if strings.Contains(strings.ToLower(line), "tutti") || strings.Contains(strings.ToLower(line), "greenroom") {
			t.Errorf("another host is named: %s", line)
		}
	}
}

// The texts hold nothing of a session, a machine or a provider, whoever renders them.
func TestTextsAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	a, b := standard(t), standard(t)
	for name, f := range map[string]canon.Facts{
		"plain":  facts(),
		"plugin": {Product: "Tutti", CLI: "tutti", EnvPrefix: "TUTTI", SkillNames: preparer.PluginNames, NativeImages: true},
	} {
		if diff := cmp.Diff(document(t, a, f), document(t, b, f)); diff != "" {
			t.Errorf("%s: two sets render differently:\n%s", name, diff)
		}
		one, err := a.Skills(f)
		if err != nil {
			t.Fatal(err)
		}
		two, err := b.Skills(f)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one, two); diff != "" {
			t.Errorf("%s: two sets render skills differently:\n%s", name, diff)
		}
		all := document(t, a, f).Text
		for _, s := range one {
			for _, data := range s.Files {
				all += string(data)
			}
		}
		if found := regexp.MustCompile(`(?i)\b(codex|claude|cursor|opencode|kimi|hermes|anthropic|openai)\b|/(root|home|tmp|Users)/`).FindString(all); found != "" {
			t.Errorf("%s: the texts name %q", name, found)
		}
		if strings.Contains(all, "<no value>") || strings.Contains(all, "{{") {
			t.Errorf("%s: a placeholder is left", name)
		}
	}
}

func TestWordingFollowsTheDescriptor(t *testing.T) {
	t.Parallel()
	set := standard(t)
	plain, plugin, images, renamed := facts(), facts(), facts(), facts()
	plugin.SkillNames = preparer.PluginNames
	images.NativeImages = true
	renamed.Names = map[string]string{"greenroom/handoff": "tutti-handoff-tutti"}
	for name, test := range map[string]struct {
		facts       canon.Facts
		holds, lack []string
	}{
		"plain names":  {plain, []string{"`tutti-handoff`", "![what it shows](path)"}, []string{"tutti-cli:", "Do not repeat such an image"}},
		"plugin names": {plugin, []string{"`tutti-cli:tutti-handoff`", "`tutti-cli:reference`", "the part in front of the colon included"}, []string{"`tutti-handoff`"}},
		"images":       {images, []string{"Do not repeat such an image as Markdown"}, []string{"![what it shows]"}},
		"renamed":      {renamed, []string{"`tutti-handoff-tutti`"}, []string{"`tutti-handoff`"}},
	} {
		text := document(t, set, test.facts).Text
		for _, want := range test.holds {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing", name, want)
			}
		}
		for _, not := range test.lack {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q is there", name, not)
			}
		}
	}
}

// The names that skills got change the document only, so that bundles are shared.
func TestSkillsDoNotDependOnNames(t *testing.T) {
	t.Parallel()
	set := standard(t)
	renamed := facts()
	renamed.Names = map[string]string{"greenroom/handoff": "handoff-tutti"}
	a, err := set.Skills(facts())
	if err != nil {
		t.Fatal(err)
	}
	b, err := set.Skills(renamed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
}

func TestH24_FrontMatterIsStrictYAML(t *testing.T) {
	t.Parallel()
	for _, product := range []string{
		"Tutti", "Docs: beta #1", `Say "hi"`, "it's", "- dash", "# hash", "中文 文档", "Room 🎭", "null", "true", "12", "[a, b]", "{a: b}", "&a *b", "100%", "@at",
	} {
		f := facts()
		f.Product = product
		skills, err := standard(t).Skills(f)
		if err != nil {
			t.Errorf("%q: %v", product, err)
			continue
		}
		for _, s := range skills {
			head, _, ok := bytes.Cut(bytes.TrimPrefix(s.Files[skill.MainFile], []byte("---\n")), []byte("---\n"))
			if !ok {
				t.Fatalf("%q: %s has no front matter", product, s.ID)
			}
			var meta struct{ Name, Description string }
			dec := yaml.NewDecoder(bytes.NewReader(head))
			dec.KnownFields(true)
			if err := dec.Decode(&meta); err != nil {
				t.Errorf("%q: %s: %v\n%s", product, s.ID, err, head)
				continue
			}
			if meta.Name != s.Name || strings.TrimSpace(meta.Description) == "" || len(meta.Description) > 1024 {
				t.Errorf("%q: %s has the name %q and the description %q", product, s.ID, meta.Name, meta.Description)
			}
			if name, description, err := skill.FrontMatter(s.Files[skill.MainFile]); err != nil || name != meta.Name || description != meta.Description {
				t.Errorf("%q: read leniently it is %q, %q, %v", product, name, description, err)
			}
			if s.ID == "greenroom/cli" && !strings.Contains(meta.Description, product) {
				t.Errorf("%q is lost in %q", product, meta.Description)
			}
		}
	}
}

func TestFactsThatWouldChangeTheTextAreRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*canon.Facts){
		"no product":         func(f *canon.Facts) { f.Product = " " },
		"line break":         func(f *canon.Facts) { f.Product = "Tutti\n# Obey" },
		"markup":             func(f *canon.Facts) { f.Product = "<b>" },
		"code":               func(f *canon.Facts) { f.Product = "a`b" },
		"not utf-8":          func(f *canon.Facts) { f.Product = "a\xff" },
		"long product":       func(f *canon.Facts) { f.Product = strings.Repeat("a", 129) },
		"no tool":            func(f *canon.Facts) { f.CLI = "" },
		"tool with a path":   func(f *canon.Facts) { f.CLI = "bin/tutti" },
		"tool with a blank":  func(f *canon.Facts) { f.CLI = "rm -rf" },
		"no prefix":          func(f *canon.Facts) { f.EnvPrefix = "" },
		"lower-case prefix":  func(f *canon.Facts) { f.EnvPrefix = "Tutti" },
		"unknown name form":  func(f *canon.Facts) { f.SkillNames = "emoji" },
		"plugin with colon":  func(f *canon.Facts) { f.SkillNames, f.PluginName = preparer.PluginNames, "a:b" },
		"given name escapes": func(f *canon.Facts) { f.Names = map[string]string{"greenroom/handoff": "a/b"} },
	} {
		f := facts()
		change(&f)
		if _, err := standard(t).Document(f); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: the document gives %v", name, err)
		}
		if _, err := standard(t).Skills(f); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: skills give %v", name, err)
		}
	}
}

func TestTextCanBeSwapped(t *testing.T) {
	t.Parallel()
	set, err := canon.New(canon.Source{FS: fstest.MapFS{
		"instructions/05-only.md": {Data: []byte("nonce-4711 {{.Product}} {{skill \"x/one\"}}\n")},
		"instructions/99-none.md": {Data: []byte("{{if .NativeImages}}images{{end}}")},
		"skills/one/SKILL.md":     {Data: []byte("---\nid: x/one\ndescription: nonce-4712\n---\nnonce-4713\n")},
		"skills/one/sub/more.md":  {Data: []byte("nonce-4714 {{.CLI}}")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := canon.Document{
		Name: canon.InstructionsName, Text: "nonce-4711 Tutti one\n",
		Sections: []canon.Section{{Key: "only", Text: "nonce-4711 Tutti one\n"}},
	}
	if diff := cmp.Diff(want, document(t, set, facts())); diff != "" {
		t.Error(diff)
	}
	skills, err := set.Skills(facts())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]skill.Skill{{ID: "x/one", Name: "one", Files: map[string][]byte{
		"SKILL.md":    []byte("---\nname: one\ndescription: nonce-4712\n---\n\nnonce-4713\n"),
		"sub/more.md": []byte("nonce-4714 tutti\n"),
	}}}, skills); diff != "" {
		t.Error(diff)
	}
}

func TestFaultyTextIsRefused(t *testing.T) {
	t.Parallel()
	const good = "---\nid: x/one\ndescription: d\n---\nbody\n"
	for name, test := range map[string]struct {
		files  map[string]string
		render bool // found only when rendered
	}{
		"no sections":         {map[string]string{"skills/one/SKILL.md": good}, false},
		"bad section name":    {map[string]string{"instructions/session.md": "a"}, false},
		"same key twice":      {map[string]string{"instructions/1-a.md": "a", "instructions/2-a.md": "b"}, false},
		"no template":         {map[string]string{"instructions/1-a.md": "{{"}, false},
		"unknown function":    {map[string]string{"instructions/1-a.md": "{{session}}"}, false},
		"unknown field":       {map[string]string{"instructions/1-a.md": "{{.Nothing}}"}, true},
		"unknown skill":       {map[string]string{"instructions/1-a.md": `{{skill "x/none"}}`}, true},
		"no front matter":     {map[string]string{"instructions/1-a.md": "a", "skills/one/SKILL.md": "body"}, false},
		"unknown meta":        {map[string]string{"instructions/1-a.md": "a", "skills/one/SKILL.md": "---\nid: a\ndescription: d\nkind: n\n---\nb"}, false},
		"no description":      {map[string]string{"instructions/1-a.md": "a", "skills/one/SKILL.md": "---\nid: a\n---\nb"}, false},
		"no SKILL.md":         {map[string]string{"instructions/1-a.md": "a", "skills/one/other.md": "b"}, false},
		"same id twice":       {map[string]string{"instructions/1-a.md": "a", "skills/one/SKILL.md": good, "skills/two/SKILL.md": good}, false},
		"skill asks for name": {map[string]string{"instructions/1-a.md": "a", "skills/one/SKILL.md": good + `{{skill "x/one"}}`}, true},
		"skill's bad field":   {map[string]string{"instructions/1-a.md": "a", "skills/one/SKILL.md": good + `{{.Session}}`}, true},
		"reserved name":       {map[string]string{"instructions/1-a.md": "a", "skills/nul/SKILL.md": good}, true},
	} {
		tree := fstest.MapFS{}
		for file, text := range test.files {
			tree[file] = &fstest.MapFile{Data: []byte(text)}
		}
		set, err := canon.New(canon.Source{FS: tree})
		if (err == nil) != test.render {
			t.Errorf("%s: New gives %v", name, err)
		}
		if err != nil {
			continue
		}
		if _, err := set.Document(facts()); err == nil {
			t.Errorf("%s: it was rendered", name)
		}
	}
}

// A caller may change what it got, and gets the same again.
func TestRenderingIsNotShared(t *testing.T) {
	t.Parallel()
	set := standard(t)
	doc := document(t, set, facts())
	want := document(t, set, facts())
	doc.Sections[0].Text = "changed"
	skills, err := set.Skills(facts())
	if err != nil {
		t.Fatal(err)
	}
	before := string(skills[0].Files[skill.MainFile])
	skills[0].Files[skill.MainFile][0] = 'X'
	skills[0].Files["more"] = nil
	again, err := set.Skills(facts())
	if err != nil {
		t.Fatal(err)
	}
	if string(again[0].Files[skill.MainFile]) != before || len(again[0].Files) == len(skills[0].Files) {
		t.Error("a change of a skill reached the set")
	}
	if diff := cmp.Diff(want, document(t, set, facts())); diff != "" {
		t.Error(diff)
	}
}

func TestSetForgetsRenderings(t *testing.T) {
	t.Parallel()
	set := standard(t)
	want := document(t, set, facts())
	for i := range 200 {
		f := facts()
		f.CLI = "tutti" + strings.Repeat("x", i%60)
		f.Product = "P" + strings.Repeat("y", i%100)
		document(t, set, f)
	}
	if diff := cmp.Diff(want, document(t, set, facts())); diff != "" {
		t.Error(diff)
	}
}
