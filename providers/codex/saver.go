package codex

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// role is what the client gives a task to when the model names nobody. Our worker takes its place. What it is made of lies
// outside of the directory of roles, which holds the user's.
const role, roleFile, task = "default", "greenroom-worker.toml", "Does one bounded task."

// worker places the worker of a session in saver mode: on the model that was asked for, or the endpoint's, or one of the
// vendor's, unless the user has another provider. The edits have the client give work to it.
func worker(l *p.Layout, r p.Request) []p.Edit {
	if r.Saver == nil {
		return nil
	}
	body := p.Object{"name": p.S(role), "description": p.S(task), "developer_instructions": r.Saver.Worker.Text()}
	switch model, provider := r.WorkerModel(), inConfig.In(r).Text(userProvider); {
	case model != "":
		body["model"] = p.S(model)
	case provider != "" && provider != "openai" && r.Options.Inherit.All(p.ModelSettings):
		l.Note(p.Warn("codex.saver-model", "the worker has the model of the session: which cheaper one your provider has is not known",
			"name the worker's model"))
	default: // the cheapest one of the vendor that can do such work, with all the effort that it can make
		body["model"], body["model_reasoning_effort"] = p.S("gpt-5.6-luna"), p.S("max")
	}
	l.Document(root.Join(roleFile), p.TOML, body)
	// The client passes over a role that it cannot read, with a line on stderr, and works with its own.
	l.Check(root.Join(roleFile), p.CheckTOML, p.Key("name"), p.Key("description"), p.Key("developer_instructions"))
	return []p.Edit{
		// Whatever role of this name the user has, in whatever spelling; their other roles stay.
		p.Replace(p.Key("agents", role), p.Object{"description": p.S(task), "config_file": p.S(roleFile)}),
		p.Set(p.Key("features", "multi_agent"), p.Bool(true)),
	}
}
