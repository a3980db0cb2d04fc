package preparer

import "strings"

// Code is the literal of a program without its lines of comment, which begin with a mark such as "//" and are for who reads
// the adapter: an adapter brings no text of its own to an agent.
func Code(program, mark string) String {
	var b strings.Builder
	for line := range strings.Lines(program) {
		if !strings.HasPrefix(strings.TrimSpace(line), mark) {
			b.WriteString(line)
		}
	}
	return String(b.String())
}

// CallsRTK is a command line, for a shell, that calls the session's rtk with words, such as "hook" and the client's name.
func (r Request) CallsRTK(words string) Value {
	return Concat{Quote(Shell, r.RTK.Program.Value()), String(" " + words)}
}
