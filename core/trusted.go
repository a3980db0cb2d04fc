package core

import (
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// letIn are the kinds of things of the project's own that come in only where the workspace is trusted.
func (a *answered) letIn() []preparer.Kind {
	for _, g := range a.desc.Gates {
		if len(g.Lets) > 0 {
			return g.Lets
		}
	}
	return nil
}

// trust is what the adapter is told of the workspace. One whose client makes no difference is told nothing.
func (a *answered) trust() preparer.Trust {
	if len(a.letIn()) == 0 {
		return preparer.NotTrusted
	}
	return a.session.TrustWorkspace
}

// trustNote says what the answer about the workspace means.
func trustNote(t preparer.Trust, kinds []preparer.Kind) Diagnostic {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	what := strings.Join(names, ", ") + " of the project's own"
	d := Diagnostic{Severity: preparer.Info}
	switch t {
	case preparer.HostCreated:
		d.Code, d.Text = "workspace_trusted", "the host vouches for the workspace: "+what+" may set up the client, and run as you"
	case preparer.UserSaidYes:
		d.Code, d.Text = "workspace_trusted", "the workspace is trusted, as you said: "+what+" may set up the client, and run as you"
	default:
		d.Code, d.Text = "workspace_not_trusted", "the workspace is not trusted: "+what+" are not let in"
		d.Hint = "say that the workspace is trusted, where it is"
	}
	return d
}
