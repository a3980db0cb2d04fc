package page

import (
	"net/http"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
)

// handoffShown is a draft for going on with work in a new session, which has another endpoint.
type handoffShown struct {
	Client, Cwd string
	To          named  // Plan "" for the client's own login
	From        string // what the work was begun in
	FromName    string // of the session, "" for none
	Agent       *agent.Agent
	AppliesTo   agent.Applies
	Draft       string
	Command     string
	NewAgent    string // the value of the model in the form of a new agent
}

// handoff drafts a new session on a model of another plan: a session stays at the endpoint that it began with.
func (p *Page) handoff(w http.ResponseWriter, v *visit) error {
	q := v.URL.Query()
	b := handoffShown{Client: q.Get("client"), AppliesTo: agent.InNewSession}
	if id := q.Get("agent"); id != "" {
		a, err := p.Access.Agent(v.Context(), v.workspace, id)
		if err != nil {
			return err
		}
		b.Agent, b.Client = &a, a.Harness
	}
	if name := q.Get("session"); name != "" {
		v.SetPathValue("name", name)
		row, err := p.session(v)
		if err != nil {
			return err
		}
		b.FromName, b.Client, b.Cwd = row.Info.Name, row.Info.Provider, row.Info.Cwd
		b.From = "session " + row.Info.Ref.ID
		if row.Plan != "" {
			b.From += ", on " + strings.TrimSpace(row.Bound.Model+" of "+row.Plan)
		}
	}
	if b.Client == "" {
		return badForm("nothing says which client the new session is of", "begin at a session or at an agent")
	}
	r := readRoute(q.Get("model"))
	command := []string{"greenroom", "run", b.Client}
	if b.Cwd != "" {
		command = append(command, "--cwd", b.Cwd)
	}
	if r.Plan != "" {
		h, err := p.Providers.Harness(v.Context(), b.Client)
		if err != nil {
			return err
		}
		one, err := p.Access.Plan(v.Context(), v.workspace, r.Plan)
		if err != nil {
			return err
		}
		if err := agent.Usable(h, one, r.Model); err != nil {
			return err
		}
		b.To = p.named(v.Context(), v.workspace, h, r)
		b.NewAgent = routeValue(r)
		command = append(command, "--plan", one.ID)
		if b.To.Model != "" {
			command = append(command, "--model", b.To.Model)
		}
		if v.workspace != access.Personal {
			command = append(command, "--workspace", v.workspace)
		}
	}
	for i, word := range command {
		command[i] = shellenv.Quote(word)
	}
	b.Command = strings.Join(command, " ")
	b.Draft = draft(b)
	p.show(w, v, "handoff", http.StatusOK, frame{Title: "Go on in a new session", Section: section("/" + sectionOf(b) + "/")}, b)
	return nil
}

func sectionOf(b handoffShown) string {
	if b.FromName != "" {
		return "sessions"
	}
	return "agents"
}

// draft is what a person can begin the new session with. What was said is in the old one, and stays there.
func draft(b handoffShown) string {
	text := "This goes on with work that was begun in another session"
	if b.From != "" {
		text += " (" + b.From + ")"
	}
	return text + `.

What is to be done:


What is done so far:


What is to be kept in mind:


Look at the files and at the last changes before you begin.
`
}
