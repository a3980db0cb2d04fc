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

// Unrewritten says that nothing of this layout is to run shell commands through rtk: the session has none, or what would is left
// out, and then a diagnostic says why.
func (l *Layout) Unrewritten(r Request, left bool, code, why string) bool {
	if r.RTK != nil && left {
		l.Note(Tell(code, why, ""))
	}
	return r.RTK == nil || left
}

// HookRTK is CallsRTK for a hook whose answer may allow a command. The program goes by rules that it finds in the project and
// in the user's home, whatever the session takes of them: where that is not all, it is called from an empty directory, and with
// it as its home.
func (l *Layout) HookRTK(r Request, empty Place, words string) Value {
	settings, call := r.Options.Inherit.All(ModelSettings), Concat{}
	if settings && r.Trusted() {
		return r.CallsRTK(words)
	}
	l.ScratchDir(empty)
	if !r.Trusted() {
		call = append(call, S("cd "), Quote(Shell, empty.Value()), S(" && "))
	}
	if !settings {
		call = append(call, S("HOME="), Quote(Shell, empty.Value()), S(" "))
	}
	return append(call, r.CallsRTK(words))
}
