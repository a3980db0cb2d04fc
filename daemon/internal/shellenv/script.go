package shellenv

import (
	"maps"
	"slices"
	"strings"
)

// Script is what a shell with the environment from has to evaluate to have the environment to: export and unset
// lines, sorted by name. Both are in the form of os.Environ; of a name that occurs twice the last one counts. Names
// that a shell has no way to say are left out and returned.
func Script(from, to []string) (script string, unsayable []string) {
	was, is := table(from), table(to)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(union(was, is))) {
		old, had := was[name]
		value, has := is[name]
		switch {
		case had == has && old == value:
		case !nameable(name):
			unsayable = append(unsayable, name)
		case has:
			b.WriteString("export " + name + "=" + Quote(value) + "\n")
		default:
			b.WriteString("unset " + name + "\n")
		}
	}
	return b.String(), unsayable
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func table(environ []string) map[string]string {
	t := make(map[string]string, len(environ))
	for _, kv := range environ {
		// A name may not be empty; on Windows one can begin with an equals sign.
		if i := strings.IndexByte(kv[min(1, len(kv)):], '='); i >= 0 {
			t[kv[:i+1]] = kv[i+2:]
		}
	}
	return t
}

// nameable says whether a shell can export and unset a name.
func nameable(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return strings.ContainsAny(name[:1], letters) && strings.Trim(name, letters+"0123456789") == ""
}

// Function is a shell function that starts a program in a directory with arguments in front of and behind its own.
func Function(name, dir, program string, before, after []string) string {
	words := []string{Quote(program)}
	for _, arg := range before {
		words = append(words, Quote(arg))
	}
	words = append(words, `"$@"`)
	for _, arg := range after {
		words = append(words, Quote(arg))
	}
	return name + "() { (cd " + Quote(dir) + " && exec " + strings.Join(words, " ") + "); }\n"
}

// Quote is one word that a POSIX shell reads as exactly the text.
func Quote(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+"
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
