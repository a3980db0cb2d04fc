package codex

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

const (
	// worker is the role that the client gives a task to when the model names none. Ours takes its place.
	worker = "default"
	// workerFile is what the worker is made of. It lies outside of the directory of roles, which holds the user's.
	workerFile = "greenroom-worker.toml"
	// vendorModel is the cheapest model of the vendor that can do such work, with all the effort that it can make.
	vendorModel, vendorEffort = "gpt-5.6-luna", "max"
)

var userProvider = p.Key("model_provider")

// saver places the worker of a session in saver mode.
func saver(l *p.Layout, r p.Request) {
	if r.Saver == nil {
		return
	}
	role := p.Object{
		"name": p.S(worker), "description": p.S("Does one bounded task."),
		"developer_instructions": r.Saver.Worker.Text(),
	}
	switch model := workerModel(r); {
	case model != "":
		role["model"] = p.S(model)
	case ownProvider(r):
		l.Note(p.Warn("codex.saver-model", "the worker has the model of the session: which cheaper one your provider has is not known",
			"name the worker's model"))
	default:
		role["model"], role["model_reasoning_effort"] = p.S(vendorModel), p.S(vendorEffort)
	}
	file := root.Join(workerFile)
	l.Document(file, p.TOML, role)
	// The client passes over a role that it cannot read, with a line on stderr, and works with its own.
	l.Check(file, p.CheckTOML, p.Key("name"), p.Key("description"), p.Key("developer_instructions"))
}

// workerModel is the model that was asked for, or the endpoint's.
func workerModel(r p.Request) string {
	if r.Saver.Model == "" && r.Endpoint != nil {
		return r.Endpoint.Default
	}
	return r.Saver.Model
}

// ownProvider says whether the session talks to a provider of the user's, which need not have the vendor's models.
func ownProvider(r p.Request) bool {
	id, ok := r.Inputs[inConfig].Values[userProvider.String()].(p.String)
	return ok && id != "" && id != "openai" && r.Options.Inherit.All(p.ModelSettings)
}

// employed are the edits that have the client give work to the worker.
func employed(r p.Request) []p.Edit {
	if r.Saver == nil {
		return nil
	}
	return []p.Edit{
		// Whatever role of this name the user has, in whatever spelling; their other roles stay.
		p.Replace(p.Key("agents", worker), p.Object{"description": p.S("Does one bounded task."), "config_file": p.S(workerFile)}),
		p.Set(p.Key("features", "multi_agent"), p.Bool(true)),
	}
}
