package input

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Found is what the adapter is told.
func (s *Snapshot) Found() map[string]preparer.Found {
	found := make(map[string]preparer.Found, len(s.Items))
	for name, it := range s.Items {
		found[name] = it.found()
	}
	return found
}

func (it *Item) found() preparer.Found {
	f := preparer.Found{Exists: it.Exists, Index: it.Index, Withheld: it.Withheld}
	if it.Input.Kind == preparer.InputNames {
		f.Exists = len(it.Names) > 0
	}
	if it.Input.Secret || !f.Exists {
		return f
	}
	switch it.Input.Learn {
	case preparer.LearnContent:
		f.Content = it.Data
	case preparer.LearnValues:
		if it.Input.Kind == preparer.InputNames {
			// The directory's name, not the title in a front matter: it is what an adapter can place, and what clients
			// switch a skill off by.
			for _, c := range it.Names {
				f.Names = append(f.Names, c.Name)
			}
			slices.Sort(f.Names)
			break
		}
		f.Values = map[string]preparer.Value{}
		for key, v := range it.Values {
			if it.learns(key) {
				if lit, ok := literal(v); ok {
					f.Values[key] = lit
				}
			}
		}
	}
	return f
}

// learns says whether the adapter asked for a key, rather than only the report of inherited items.
func (it *Item) learns(key string) bool {
	for _, want := range it.Input.Values {
		if matches(want, key) {
			return true
		}
	}
	return false
}

// matches says whether a key, in the form of [preparer.KeyPath.String], is one that a path with wildcards names.
func matches(want preparer.KeyPath, key string) bool {
	if len(want) == 0 {
		return false
	}
	for _, w := range want[:len(want)-1] {
		part, rest, ok := strings.Cut(key, "/")
		if !ok || !isSegment(w, part) {
			return false
		}
		key = rest
	}
	return strings.IndexByte(key, '/') < 0 && isSegment(want[len(want)-1], key)
}

func isSegment(want, part string) bool {
	if want == "*" {
		return true
	}
	if strings.ContainsAny(want, "~/") {
		want = preparer.Key(want).String()
	}
	return want == part
}

func literal(v any) (preparer.Value, bool) {
	switch v := v.(type) {
	case string:
		return preparer.String(v), true
	case bool:
		return preparer.Bool(v), true
	case int64:
		return preparer.Int(v), true
	case float64:
		return preparer.Float(v), true
	}
	return nil, false
}

// Carried is an item that an input brings.
type Carried struct {
	Name   string
	Source string           // where it lies, for messages
	Index  int              // of the location that it was found at
	Key    preparer.KeyPath // in a file
}

// Carried lists the items of one kind that an input brings, each once, sorted by their names.
func (it *Item) Carried(c preparer.Carry) []Carried {
	var list []Carried
	add := func(name string, key preparer.KeyPath) {
		list = append(list, Carried{Name: name, Source: it.Label, Index: it.Index, Key: key})
	}
	switch {
	case !it.Exists:
	case len(c.Keys) > 0:
		for key := range it.Values {
			for _, want := range c.Keys {
				if matches(want, key) {
					path := preparer.ParseKey(key)
					add(path[len(path)-1], path)
				}
			}
		}
	case it.Input.Kind == preparer.InputNames:
		for _, child := range it.Names {
			list = append(list, Carried{Name: child.Name, Source: child.Dir, Index: child.index})
		}
	default:
		add(it.Label[strings.LastIndexAny(it.Label, ":/")+1:], nil)
	}
	slices.SortFunc(list, func(a, b Carried) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key.String(), b.Key.String()))
	})
	return slices.CompactFunc(list, func(a, b Carried) bool { return a.Name == b.Name && slices.Equal(a.Key, b.Key) })
}

// Identity tells one content of an input ("input"), or one value in it ("input#key/path"), from another. It is a digest,
// also of secrets, and never shown.
func (s *Snapshot) Identity(key string) string {
	id, ok := s.ids[key]
	if !ok {
		id = s.identity(key)
		s.ids[key] = id
	}
	return id
}

// Identities are all identities that were asked for so far.
func (s *Snapshot) Identities() map[string]string { return maps.Clone(s.ids) }

// Recall takes over identities that another Snapshot, with the same [Snapshot.Print], has worked out.
func (s *Snapshot) Recall(ids map[string]string) { maps.Copy(s.ids, ids) }

func (s *Snapshot) identity(key string) string {
	name, path, byValue := strings.Cut(key, "#")
	it := s.Items[name]
	switch {
	case it == nil || !it.Exists:
		return "absent"
	case byValue:
		values, err := s.memo.documents().Values(it.Input.Format, it.Data, []preparer.KeyPath{preparer.ParseKey(path)}, it.Label)
		if err != nil {
			return "unparsable"
		}
		return digest(fmt.Sprint(values))
	case it.Input.Kind == preparer.InputNames:
		var all []string
		for _, c := range it.Names {
			all = append(all, c.Name)
		}
		return digest(strings.Join(all, "\x00"))
	}
	return digest(string(it.Data))
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
