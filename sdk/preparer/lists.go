package preparer

import "strings"

// Lists reads lists of names, such as variables of a client's, that an adapter has in a file of its own: each begins with
// its name in brackets on a line, and lines that begin with # are notes.
func Lists(text string) map[string][]string {
	lists, name := map[string][]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			name = line[1 : len(line)-1]
		default:
			lists[name] = append(lists[name], strings.Fields(line)...)
		}
	}
	return lists
}
