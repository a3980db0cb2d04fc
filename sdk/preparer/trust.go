package preparer

// Trust says whether what lies in a session's workspace may set up its client: settings, hooks, plugins and MCP servers of
// the project's own, which run as the user. The zero value is no.
type Trust string

// The answers, and who gave them.
const (
	NotTrusted  Trust = ""
	HostCreated Trust = "host_created"  // the host made the workspace, and vouches for what it put there
	UserSaidYes Trust = "user_said_yes" // the user was asked about this workspace
)

// Given says whether the workspace is trusted. An answer that is not known is no.
func (t Trust) Given() bool { return t == HostCreated || t == UserSaidYes }

// Trusted says whether the session's workspace is trusted.
func (r Request) Trusted() bool { return r.Options.TrustWorkspace.Given() }

// TakesProject says whether the workspace is trusted and there is no credential of the host's in the session. It is for a
// client whose project could name the variable of one, or lead its requests away.
func (r Request) TakesProject() bool { return r.Trusted() && !r.Secretive() }

// TakesProject is that of the request. Where a workspace that is trusted is not taken for that, it says so under the code.
func (l *Layout) TakesProject(r Request, code string) bool {
	if r.Trusted() && r.Secretive() {
		l.Note(Tell(code, "the workspace is not trusted in this session: it could use credentials of the host's", ""))
	}
	return r.TakesProject()
}

// TrustGate is the gate of a client that asks whether the workspace is trusted, or would take it for that unasked. Yes and
// no are how the session gives either answer, and lets is what of the project's own comes in by a yes.
func TrustGate(id string, yes, no GateAnswer, lets ...Kind) Gate {
	return Gate{ID: id, Answer: yes, Untrusted: no, Lets: lets}
}

// FileTrust are the edits of a client that files its trust in a table, under the path of each project, with yes or no for
// a key. Of what the user told their own client nothing is taken over. A workspace that is trusted but for credentials of
// the host's is one that the client knows nothing of.
func (l *Layout) FileTrust(r Request, code, table, key, yes, no string) []Edit {
	edits, answer := []Edit{Delete(Key(table))}, no
	if l.TakesProject(r, code) {
		answer = yes
	} else if r.Trusted() {
		return edits
	}
	return append(edits, SetFor(Key(table), Workspace("."), Object{key: S(answer)}))
}
