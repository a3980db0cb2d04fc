package tuttiagent

import (
	"context"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Adapter is the adapter for Tutti Agent. The zero value is ready.
type Adapter struct{}

var _ p.Preparer = Adapter{}

// root is the session's home of the client, and managed is where our skills are placed: beside the home, so that the
// client finds them by what it is told only.
var root, managed = p.Session("tutti-agent"), p.Session("managed-skills")

// Prepare implements preparer.Preparer.
func (a Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	l, err := p.Begin(ctx, a.Describe(), r)
	if err != nil {
		return nil, err
	}
	l.Set(envHome, root.Value())
	l.Strip(childMarkers...)
	// Our text stands behind the user's.
	l.Brief(r, root.Join("AGENTS.md"), inInstructions.Base(r)...)
	l.Bring(r, inPrompts, root.Join("prompts"))
	configuration(l, r)
	approve(l, r)
	servers(l, r)
	logins(l, r)
	skills(l, r)
	l.ShareEach(r, p.Plugins, root, home, pluginDirs...)
	if r.Secretive() {
		l.Strip(elsewhere)
		l.Note(p.Tell("tutti-agent.credentials-in-hooks", "hooks and the notification program of tutti agent can read credentials of the "+
			"session; its commands cannot, and servers only what they ask for", ""))
	}
	return l, nil
}

// configuration places config.toml and the files that go with it. The copy is made once and edited each time: the client
// keeps its own choices there. A session on an endpoint has a file of ours instead, so that it leaves nothing behind of
// another one.
func configuration(l *p.Layout, r p.Request) {
	config, withheld := root.Join("config.toml"), inAuth.In(r).Withheld
	base := []p.Base{p.FromInput(inConfig.Name), p.Empty()}
	if withheld {
		base = base[1:] // providers and models there go with the login
	}
	if r.Endpoint == nil {
		base = append([]p.Base{p.Current()}, base...)
	}
	l.Merge(config, p.TOML, base, edits(l, r)...)
	l.Check(config, p.CheckTOML, p.Key("project_root_markers"), p.Key("allow_login_shell"))
	l.Bring(r, inHooks, root.Join("hooks.json"))
	if !withheld {
		l.Bring(r, inRoles, root.Join("agents"))
		l.Bring(r, inRules, root.Join("rules"), ours)
	}
	// A profile can hold things of every kind but memories, and is laid over the whole of the configuration, also over the
	// endpoint.
	if r.Endpoint == nil && !withheld && r.Options.Inherit.AllBut(p.Memories) {
		l.Bring(r, inProfiles, root)
	}
}

// ours is our file of rules. It is not default.rules: the client appends to that what a person approves.
const ours = "greenroom-commands.rules"

// approve lets the commands of the host's tool run that the host says may. The client approves whatever follows a prefix.
func approve(l *p.Layout, r p.Request) {
	if rules := r.Commands.Lines(`prefix_rule(pattern=["`, `", "`, `"], decision="allow")`); rules != nil {
		l.File(root.Join("rules").Join(ours), rules...)
	}
}

// logins places the login. A session on an endpoint needs none.
func logins(l *p.Layout, r p.Request) {
	if !r.Options.Inherit.None(p.MCPServers) {
		l.Login(p.Login{At: root.Join(".credentials.json"), Input: inMCPAuth.Name, JSON: true})
	}
	if r.Endpoint == nil {
		l.Login(p.Login{At: root.Join("auth.json"), Input: inAuth.Name, JSON: true, Fresher: p.Key("tutti_llm", "access_token_expires_at"),
			Lock: refreshLock})
	}
}

// skills places the user's skills one by one in the home, and ours where the client is told of them.
func skills(l *p.Layout, r p.Request) {
	in, dir := r.Options.Inherit, root.Join("skills")
	l.Bring(r, inSkills, dir)
	if !(in.All(p.Skills) && inConfig.In(r).Value(bundled) == p.Bool(false)) {
		l.Action(p.Action{Kind: p.SnapshotTree, At: dir.Join(".system"), Marker: marker})
	}
	if r.Skills.Count <= 0 {
		l.Action(p.Action{Kind: p.ExtraRoots}) // the client looks anew, and those of the host are told
		return
	}
	l.OurSkills(r, p.PlaceSkills{At: managed, Reserve: r.Reserve(inSkills, inSharedSkills, inProjectSkills)})
	l.Action(p.Action{Kind: p.ExtraRoots, At: managed})
	l.Action(p.Action{Kind: p.VerifySkills})
}
