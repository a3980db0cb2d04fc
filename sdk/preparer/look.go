package preparer

import (
	"maps"
	"slices"
	"strings"
)

// FileAt is an input that is a file: the first of some that exists.
func FileAt(name string, at ...Location) Input { return Input{Name: name, Kind: InputFile, At: at} }

// NamesAt is an input that lists children of directories.
func NamesAt(name, filter string, at ...Location) Input {
	return Input{Name: name, Kind: InputNames, At: at, Filter: filter}
}

// EachAt are paths in a client home.
func EachAt(home string, paths ...string) []Location {
	return each(paths, func(path string) Location { return At(home, path) })
}

// EachAtUser are paths in the user's home directory.
func EachAtUser(paths ...string) []Location { return each(paths, AtUser) }

// EachInProject are paths in the working directory and in each parent up to the git root.
func EachInProject(paths ...string) []Location {
	return each(paths, func(path string) Location { return AtWorkspace(path).UpToGitRoot() })
}

func each(paths []string, at func(string) Location) []Location {
	list := make([]Location, len(paths))
	for i, path := range paths {
		list[i] = at(path)
	}
	return list
}

// Carrying is the input, which brings things of a kind: those at the key paths, as [ParseKey] reads them, or itself.
func (i Input) Carrying(kind Kind, keys ...string) Input {
	return i.carry(Carry{Kind: kind, Keys: parseKeys(keys)})
}

// CarryingFast is Carrying for what the client gives no way to leave out.
func (i Input) CarryingFast(kind Kind, keys ...string) Input {
	return i.carry(Carry{Kind: kind, Keys: parseKeys(keys), Stays: true})
}

// CarryingDisplaced is Carrying for what gives way to a model endpoint.
func (i Input) CarryingDisplaced(kind Kind, keys ...string) Input {
	i.Displaced = append(slices.Clip(i.Displaced), parseKeys(keys)...)
	return i.Carrying(kind, keys...)
}

// DisplacedIn is the input, of which those keys of a table that are named give way to a model endpoint.
func (i Input) DisplacedIn(table string, names ...string) Input {
	i.Displaced = slices.Clip(i.Displaced)
	for _, name := range names {
		i.Displaced = append(i.Displaced, Key(table, name))
	}
	return i
}

func (i Input) carry(c Carry) Input {
	i.Carries = append(slices.Clip(i.Carries), c)
	return i
}

// Learning is the input, a file of a format of which values are learned.
func (i Input) Learning(f Format, values ...KeyPath) Input {
	i.Learn, i.Format, i.Values = LearnValues, f, values
	return i
}

// Named is the input, of which the names of the children are learned.
func (i Input) Named() Input { i.Learn = LearnValues; return i }

// Whole is the input, a file of which everything is learned.
func (i Input) Whole() Input { i.Learn = LearnContent; return i }

// Filled is the input, which passes over a file that is blank.
func (i Input) Filled() Input { i.NotBlank = true; return i }

// Private is the input, which holds a credential.
func (i Input) Private(f Format) Input { i.Secret, i.Format = true, f; return i }

// In is what a request says of the input.
func (i Input) In(r Request) Found { return r.Inputs[i.Name] }

// Below is a path below the input, as a value.
func (i Input) Below(path string) Value { return Concat{i.Path(), S("/" + path)} }

// NamesOf are the names of inputs, for [PlaceSkills].
func NamesOf(inputs ...Input) []string {
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.Name
	}
	return names
}

// Value is a value that was learned, or nil.
func (f Found) Value(path KeyPath) Value { return f.Values[path.String()] }

// Text is a string that was learned, or "".
func (f Found) Text(path KeyPath) string {
	s, _ := f.Value(path).(String)
	return string(s)
}

// Items lists, sorted, what the first "*" of a key path stands for among the values that were learned: all, or where
// values are given, those with one of them.
func (f Found) Items(path KeyPath, values ...Value) []string {
	items := map[string]bool{}
	for key, v := range f.Values {
		if item, ok := path.item(ParseKey(key)); ok && (len(values) == 0 || slices.Contains(values, v)) {
			items[item] = true
		}
	}
	return slices.Sorted(maps.Keys(items))
}

// Items lists, sorted, what the first "*" of a key path stands for among what was learned of several inputs.
func (r Request) Items(path KeyPath, inputs ...Input) (items []string) {
	for _, in := range inputs {
		items = append(items, in.In(r).Items(path)...)
	}
	slices.Sort(items)
	return slices.Compact(items)
}

// Prefixed lists the strings that a key path with a "*" names in several inputs and that begin with a text, with another in
// its place.
func (r Request) Prefixed(path KeyPath, from, to string, inputs ...Input) (list List) {
	for _, in := range inputs {
		for _, key := range slices.Sorted(maps.Keys(in.In(r).Values)) {
			_, named := path.item(ParseKey(key))
			if s, ok := in.In(r).Values[key].(String); named && ok && strings.HasPrefix(string(s), from) {
				list = append(list, S(to+string(s)[len(from):]))
			}
		}
	}
	return list
}

// AnyPrefixed says whether one of the lists at some key paths of inputs has a string that begins with from.
func (r Request) AnyPrefixed(from string, paths []KeyPath, inputs ...Input) bool {
	return slices.ContainsFunc(paths, func(path KeyPath) bool { return len(r.Prefixed(path, from, from, inputs...)) > 0 })
}

// Value is a value that was learned of several inputs, the last that has it, or nil.
func (r Request) Value(path KeyPath, inputs ...Input) (value Value) {
	for _, in := range inputs {
		if v := in.In(r).Value(path); v != nil {
			value = v
		}
	}
	return value
}

// Sets says whether one of several inputs has a value at a key path that is not empty.
func (r Request) Sets(path KeyPath, inputs ...Input) bool {
	return slices.ContainsFunc(inputs, func(in Input) bool { v := in.In(r).Value(path); return v != nil && v != S("") })
}

// FirstFound is the first of some inputs that exists.
func (r Request) FirstFound(inputs ...Input) (found Input, ok bool) {
	i := slices.IndexFunc(inputs, func(in Input) bool { return in.In(r).Exists })
	if i < 0 {
		return Input{}, false
	}
	return inputs[i], true
}

// item is what the first "*" of a path stands for in a key that matches it.
func (k KeyPath) item(key KeyPath) (item string, ok bool) {
	if len(k) != len(key) {
		return "", false
	}
	for i, want := range k {
		switch {
		case want == "*" && !ok:
			item, ok = key[i], true
		case want != "*" && want != key[i]:
			return "", false
		}
	}
	return item, ok
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// ParseKey reads what KeyPath.String writes.
func ParseKey(s string) KeyPath {
	path := KeyPath(strings.Split(s, "/"))
	for i := range path {
		path[i] = unescape.Replace(path[i])
	}
	return path
}

func parseKeys(list []string) (keys []KeyPath) {
	for _, s := range list {
		keys = append(keys, ParseKey(s))
	}
	return keys
}
