package capability_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

var update = flag.Bool("update", false, "write the golden documents anew")

func texts(t testing.TB) *canon.Set {
	t.Helper()
	set, err := canon.Default()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func commands(t testing.TB, list []command.Command) *command.Snapshot {
	t.Helper()
	s, err := command.New("tutti", list, command.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shapes are the descriptors that texts can tell apart.
func shapes() map[string]preparer.Descriptor {
	images := preparer.Descriptor{NativeImages: true, Sandboxed: true, Skills: preparer.SkillChannel{Kind: preparer.SkillDirectory}}
	plugin := preparer.Descriptor{Skills: preparer.SkillChannel{Kind: preparer.SkillPlugin, Names: preparer.PluginNames}}
	none := preparer.Descriptor{Skills: preparer.SkillChannel{Kind: preparer.NoSkills}}
	return map[string]preparer.Descriptor{"images": images, "plugin": plugin, "no-skills": none}
}

// full is a request with everything but connectors.
func full(t testing.TB, d preparer.Descriptor) capability.Request {
	return capability.Request{
		Texts: texts(t), Descriptor: d, BrowserUse: true, ComputerUse: true, Commands: commands(t, sample.Catalog()),
		Context: capability.SkillContext{WorkspaceID: "workspace-4711", AgentSessionID: "session-4711", Provider: "p", Cwd: "/cwd-4711"},
	}
}

func connectors(shared bool) *connector.Context {
	return &connector.Context{
		SharedInvocation: shared, EnabledConnectors: []string{"crm"}, Granted: []string{"Big Board"},
		Hints: []connector.Hint{{Key: "crm", DisplayName: "Big Board", Aliases: []string{"sales list"}}, {Key: "wiki", DisplayName: "Pages"}},
	}
}

func managed() capability.HostFacts {
	return capability.HostFacts{
		TurnResources: canon.ReadPath, WorkspaceScope: canon.Room,
		TargetContinuation: canon.TargetContinuation{Mode: canon.ExceptPrefixes, UnsupportedTargetIDPrefixes: []string{"remote:", " remote: "}},
	}
}

// told is all that an agent is told: the document, the prompt of the bundle, and the skills.
type told struct {
	document, bundle string
	skills           map[string]string // all files of a skill, by id
	resolved         *capability.Resolved
}

func (o told) all() string {
	out := o.document + o.bundle
	for _, id := range slices.Sorted(maps.Keys(o.skills)) {
		out += o.skills[id]
	}
	return out
}

func tell(t testing.TB, r capability.Request) told {
	t.Helper()
	res, err := capability.Resolve(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := r.Texts.Document(res.Facts)
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := r.Texts.Bundle(res.Facts)
	if err != nil {
		t.Fatal(err)
	}
	o := told{document: doc.Text, bundle: bundle.Text, skills: map[string]string{}, resolved: res}
	for _, s := range res.Skills {
		for _, name := range slices.Sorted(maps.Keys(s.Files)) {
			o.skills[s.ID] += string(s.Files[name])
		}
	}
	return o
}

// situations are the requests that golden documents stand for.
func situations(t testing.TB) map[string]capability.Request {
	list := map[string]capability.Request{}
	for name, d := range shapes() {
		r := full(t, d)
		list[name] = r
		r.Commands = nil
		list[name+"-without-commands"] = r
	}
	r := full(t, shapes()["images"])
	r.Profile.HostFacts, r.General = managed(), true
	list["images-managed-general"] = r
	r = full(t, shapes()["plugin"])
	r.Connectors = connectors(true)
	r.Agent = canon.Agent{Name: "Reviewer", Description: "Reads changes.", Instructions: "Be kind.\n# Not a heading\n```\nnot a fence", Skills: []string{"reference"}, Tools: []string{"grep"}}
	list["plugin-shared-agent"] = r
	r = full(t, shapes()["images"])
	r.RTK = true
	list["images-short-output"] = r
	r = full(t, shapes()["plugin"])
	r.Connectors = &connector.Context{Hints: connectors(false).Hints}
	list["plugin-discovery"] = r
	r = full(t, shapes()["plugin"])
	r.SkipSkills, r.Profile.HostFacts = true, managed()
	list["plugin-skip-skills"] = r
	return list
}

func TestC070_GoldenDocuments(t *testing.T) {
	t.Parallel()
	for name, r := range situations(t) {
		o := tell(t, r)
		got := o.document + "\n-------- " + canon.BundleName + " --------\n\n" + o.bundle
		file := filepath.Join("testdata", "golden", name+".md")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if again := tell(t, situations(t)[name]); again.all() != o.all() {
			t.Errorf("%s is rendered differently by another set", name)
		}
	}
}

var (
	inline = regexp.MustCompile("`([a-z]+ [a-z][^`]*)`")
	// nowhere is how a sentence ends that names a skill which there is not.
	nowhere = regexp.MustCompile(`(use|for|of|by|call) (none|unavailable)[ .,;]`)

	level = regexp.MustCompile(`^(#{1,6}) \S`)
)

// Every document has the form that a document must have, whatever it says.
func TestC059_C064_C067_StructureOfEveryDocument(t *testing.T) {
	t.Parallel()
	for name, r := range situations(t) {
		o := tell(t, r)
		for what, text := range map[string]string{"document": o.document, "bundle": o.bundle} {
			where := name + " " + what
			if strings.Contains(text, "{{") || strings.Contains(text, "<no value>") || strings.Contains(text, "%!") {
				t.Errorf("%s: a placeholder is left", where)
			}
			for _, secret := range []string{"4711", "CODEX_HOME/skills", ".claude/skills", "/root", "/home/"} {
				if strings.Contains(o.all(), secret) {
					t.Errorf("%s: holds %s", where, secret)
				}
			}
			headings(t, where, text)
			// Where there is no skill, nobody is sent to one.
			if sent := nowhere.FindString(text); sent != "" || len(o.skills) == 0 && strings.Contains(text, "SKILL.md") {
				t.Errorf("%s: sends the agent to a skill that it does not have: %q", where, sent)
			}
		}
		for id, text := range o.skills {
			if strings.Contains(text, "{{") || strings.Contains(text, "\n\n\n") {
				t.Errorf("%s: a placeholder or a gap is left in %s", name, id)
			}
		}
		// Every command that is named is one that there is.
		s := r.Commands
		if s == nil {
			s = command.Empty("tutti")
		}
		known := map[string]bool{"tutti --help": true}
		for _, id := range s.IDs() {
			path, err := s.Path(id)
			if err != nil {
				t.Fatal(err)
			}
			known["tutti "+path] = true
		}
		named := 0
		for _, m := range inline.FindAllStringSubmatch(o.all(), -1) {
			if !strings.HasPrefix(m[1], "tutti ") {
				continue
			}
			named++
			words, _, _ := strings.Cut(m[1], " --")
			if m[1] != "tutti --help" && !known[words] {
				t.Errorf("%s names %q", name, m[1])
			}
		}
		if len(s.IDs()) > 0 && named < 8 {
			t.Errorf("%s names only %d commands", name, named)
		}
	}
}

// headings demands one title, no level that is left out, blank lines around, and closed fences.
func headings(t *testing.T, where, text string) {
	t.Helper()
	// What opens a document is a text of its own, with a title of its own.
	if opening, rest, ok := strings.Cut(text, "\n\n# "); ok && strings.HasPrefix(opening, "# Short output\n") {
		headings(t, where+", opening", opening+"\n")
		text = "# " + rest
	}
	rows := strings.Split(text, "\n")
	last, titles := 0, 0
	for i, row := range rows {
		m := level.FindStringSubmatch(row)
		if m == nil {
			if strings.HasPrefix(row, "#") || strings.HasPrefix(row, "```") {
				t.Errorf("%s: line %d is half a heading or a fence: %q", where, i+1, row)
			}
			continue
		}
		n := len(m[1])
		if n == 1 {
			titles++
		}
		if n > last+1 {
			t.Errorf("%s: %q leaves a level out", where, row)
		}
		if i > 0 && rows[i-1] != "" || i+1 < len(rows) && rows[i+1] != "" {
			t.Errorf("%s: %q does not stand alone", where, row)
		}
		last = n
	}
	if titles != 1 || !strings.HasPrefix(text, "# ") {
		t.Errorf("%s has %d titles", where, titles)
	}
	if strings.Contains(text, "\n\n\n") || !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
		t.Errorf("%s has gaps", where)
	}
}

func TestC063_DocumentHas7200Characters(t *testing.T) {
	t.Parallel()
	for name, d := range shapes() {
		for _, general := range []bool{false, true} {
			r := full(t, d)
			r.General = general
			n := utf8.RuneCountInString(tell(t, r).document)
			t.Logf("%s, general %v: %d", name, general, n)
			if n > 7200 {
				t.Errorf("%s has %d characters", name, n)
			}
		}
	}
}
