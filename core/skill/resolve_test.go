package skill_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// named makes skills of the form id=name.
func named(pairs ...string) []skill.Skill {
	var list []skill.Skill
	for _, pair := range pairs {
		id, name, _ := strings.Cut(pair, "=")
		list = append(list, skill.Skill{ID: id, Name: name})
	}
	return list
}

func TestResolve(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		skills   []skill.Skill
		reserved []string
		max      int
		prior    map[string]string
		want     map[string]string
	}{
		"free":                           {skills: named("a=one", "b=two"), want: map[string]string{"a": "one", "b": "two"}},
		"none":                           {want: map[string]string{}},
		"C100 the user wins":             {skills: named("a=one"), reserved: []string{"one"}, want: map[string]string{"a": "one-tutti"}},
		"C101 and wins again":            {skills: named("a=one"), reserved: []string{"one", "one-tutti"}, want: map[string]string{"a": "one-tutti-2"}},
		"C101 a gap is used":             {skills: named("a=one"), reserved: []string{"one", "one-tutti", "one-tutti-3"}, want: map[string]string{"a": "one-tutti-2"}},
		"C102 a name is kept":            {skills: named("a=one"), prior: map[string]string{"a": "one-tutti"}, want: map[string]string{"a": "one-tutti"}},
		"C102 unless the user takes it":  {skills: named("a=one"), reserved: []string{"one-tutti"}, prior: map[string]string{"a": "one-tutti"}, want: map[string]string{"a": "one"}},
		"a name of another skill is not": {skills: named("a=one"), prior: map[string]string{"a": "other"}, want: map[string]string{"a": "one"}},
		"the name kept goes first":       {skills: named("a=one", "b=one"), prior: map[string]string{"b": "one"}, want: map[string]string{"a": "one-tutti", "b": "one"}},
		"two that keep one name":         {skills: named("a=one", "b=one"), prior: map[string]string{"a": "one", "b": "one"}, want: map[string]string{"a": "one", "b": "one-tutti"}},
		"C112 one name, two ids":         {skills: named("b=one", "a=one", "c=one"), want: map[string]string{"a": "one", "b": "one-tutti", "c": "one-tutti-2"}},
		"a plain name beats a suffix":    {skills: named("a=one", "b=one", "c=one-tutti"), want: map[string]string{"a": "one", "b": "one-tutti-2", "c": "one-tutti"}},
		"C113 case of the user's":        {skills: named("a=one"), reserved: []string{"ONE"}, want: map[string]string{"a": "one-tutti"}},
		"C113 case of ours":              {skills: named("a=Foo", "b=foo"), want: map[string]string{"a": "Foo", "b": "foo-tutti"}},
		"C113 the kelvin sign":           {skills: named("a=kit"), reserved: []string{"\u212ait"}, want: map[string]string{"a": "kit-tutti"}},
		"C113 a dot at the end":          {skills: named("a=one"), reserved: []string{"one. "}, want: map[string]string{"a": "one-tutti"}},
		"cut to fit":                     {skills: named("a=a-long-name"), reserved: []string{"a-long-name"}, max: 12, want: map[string]string{"a": "a-long-tutti"}},
		"cut at a dash":                  {skills: named("a=abcde-fghij"), reserved: []string{"abcde-fghij"}, max: 12, want: map[string]string{"a": "abcde-tutti"}},
		"cut names differ":               {skills: named("a=abcdefgh", "b=abcdefgi"), reserved: []string{"abcdefgh", "abcdefgi"}, max: 10, want: map[string]string{"a": "abcd-tutti", "b": "ab-tutti-2"}},
	}
	for name, test := range tests {
		got, err := skill.Resolve(test.skills, test.reserved, test.max, test.prior)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	all := []string{"one", "one-tutti"}
	for n := 2; n <= 99; n++ {
		all = append(all, fmt.Sprintf("one-tutti-%d", n))
	}
	tests := map[string]struct {
		skills   []skill.Skill
		reserved []string
		max      int
	}{
		"two of one id":   {skills: named("a=one", "a=two")},
		"no id":           {skills: named("=one")},
		"no name":         {skills: named("a=")},
		"name escapes":    {skills: named("a=../one")},
		"name is a dot":   {skills: named("a=.")},
		"hidden name":     {skills: named("a=.one")},
		"C104 a slash":    {skills: named("a=one/two")},
		"a blank":         {skills: named("a=one two")},
		"C114 reserved":   {skills: named("a=nul")},
		"C114 port":       {skills: named("a=Com1")},
		"C114 extension":  {skills: named("a=aux.md")},
		"C114 final dot":  {skills: named("a=one.")},
		"other letters":   {skills: named("a=ünder")},
		"too long":        {skills: named("a=" + strings.Repeat("x", 65))},
		"longer than max": {skills: named("a=abcd"), max: 3},
		"no name left":    {skills: named("a=one"), reserved: all},
	}
	for name, test := range tests {
		if got, err := skill.Resolve(test.skills, test.reserved, test.max, nil); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: it gives %v, %v", name, got, err)
		}
	}
}

// Whatever the input, names are apart from the user's and from each other, do not depend on the order of skills, and
// stay as they are when they are resolved again.
func TestC110_ResolveIsStable(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	stems := []string{"one", "One", "two", "one-tutti", "two-tutti-2", "x"}
	for range 300 {
		var skills []skill.Skill
		for i := range r.IntN(8) {
			skills = append(skills, skill.Skill{ID: fmt.Sprint("id", i), Name: stems[r.IntN(len(stems))]})
		}
		var reserved []string
		for range r.IntN(6) {
			reserved = append(reserved, stems[r.IntN(len(stems))])
		}
		first, err := skill.Resolve(skills, reserved, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, name := range slices.Concat(reserved, slices.Collect(maps.Values(first))) {
			taken := slices.ContainsFunc(reserved, func(r string) bool { return strings.EqualFold(r, name) })
			if low := strings.ToLower(name); seen[low] && !taken {
				t.Fatalf("%v beside %v: %s twice", first, reserved, name)
			} else {
				seen[low] = true
			}
		}
		for _, name := range first {
			if slices.ContainsFunc(reserved, func(r string) bool { return strings.EqualFold(r, name) }) {
				t.Fatalf("%s is the user's", name)
			}
		}
		prior := first
		for range 3 {
			r.Shuffle(len(skills), func(i, j int) { skills[i], skills[j] = skills[j], skills[i] })
			again, err := skill.Resolve(skills, reserved, 0, prior)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, again); diff != "" {
				t.Fatal(diff)
			}
			prior = again
		}
	}
}
