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
func (Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Endpoint != nil {
		if err := served(r.Endpoint); err != nil {
			return nil, err
		}
	}
	l := p.NewLayout()
	l.Set(envHome, root.Value())
	l.Strip(childMarkers...)
	if r.Endpoint != nil {
		l.Document(catalogFile, p.JSON, p.Object{"models": catalog(r.Endpoint)})
		l.Set(keyVar, r.Endpoint.Key)
	} else {
		l.Strip(keyVar)
	}
	instructions(l, r)
	configuration(l, r)
	rules(l, r)
	servers(l, r)
	logins(l, r)
	skills(l, r)
	return l, nil
}

// instructions places our text behind the user's.
func instructions(l *p.Layout, r p.Request) {
	base := []p.Base{p.Empty()}
	if r.Options.Inherit.All(p.Instructions) {
		base = []p.Base{p.FromInput(inInstructions), p.Empty()}
	}
	l.Block(root.Join("AGENTS.md"), base, r.Instructions.Text())
}

// configuration places config.toml and the files that go with it. The copy is made once and edited each time: the client
// keeps its own choices there. A session on an endpoint has a file of ours instead, so that it leaves nothing behind of
// another one.
func configuration(l *p.Layout, r p.Request) {
	in, config := r.Options.Inherit, root.Join("config.toml")
	base := []p.Base{p.FromInput(inConfig), p.Empty()}
	if r.Inputs[inAuth].Withheld {
		base = base[1:] // providers and models there go with the login
	}
	if r.Endpoint == nil {
		base = append([]p.Base{p.Current()}, base...)
	}
	l.Merge(config, p.TOML, base, edits(r)...)
	l.Check(config, p.CheckTOML, p.Key("project_root_markers"), p.Key("allow_login_shell"))
	if in.All(p.Hooks) && r.Inputs[inHooks].Exists {
		l.Copy(root.Join("hooks.json"), inHooks)
	}
	if in.All(p.ModelSettings) && !r.Inputs[inAuth].Withheld {
		l.Expose(p.Expose{At: root.Join("agents"), Input: inRoles, Copy: true})
		l.Expose(p.Expose{At: root.Join("rules"), Input: inRules, Except: []string{ours}, Copy: true})
	}
}

// ours is our file of rules. It is not default.rules: the client appends to that what a person approves.
const ours = "greenroom-commands.rules"

// rules lets the commands of the host's tool run that the host says may. The client approves whatever follows a prefix.
func rules(l *p.Layout, r p.Request) {
	var body []p.Value
	for _, words := range r.Commands.Approved {
		if len(words) == 0 {
			continue // it would approve everything
		}
		pattern := []p.Value{p.S("prefix_rule(pattern=[")}
		for _, word := range words {
			pattern = append(pattern, p.Quote(p.JSON, p.S(word)), p.S(", "))
		}
		pattern[len(pattern)-1] = p.S("], decision=\"allow\")\n")
		body = append(body, pattern...)
	}
	if body != nil {
		l.File(root.Join("rules").Join(ours), body...)
	}
}

// logins places the login. A session on an endpoint needs none.
func logins(l *p.Layout, r p.Request) {
	if !r.Options.Inherit.None(p.MCPServers) {
		l.Login(p.Login{At: root.Join(".credentials.json"), Input: inMCPAuth, JSON: true})
	}
	if r.Endpoint == nil {
		l.Login(p.Login{At: root.Join("auth.json"), Input: inAuth, JSON: true, Fresher: p.Key("tutti_llm", "access_token_expires_at"),
			Lock: refreshLock})
	}
}

// skills places the user's skills one by one in the home, and ours where the client is told of them.
func skills(l *p.Layout, r p.Request) {
	in, dir := r.Options.Inherit, root.Join("skills")
	reserve := []string{inSharedSkills, inProjectSkills}
	if !in.None(p.Skills) {
		reserve = append(reserve, inSkills)
		expose := p.Expose{At: dir, Input: inSkills}
		if !in.All(p.Skills) {
			expose.Only = in[p.Skills].Names
		}
		l.Expose(expose)
	}
	if !(in.All(p.Skills) && r.Inputs[inConfig].Values[bundled.String()] == p.Bool(false)) {
		l.Action(p.Action{Kind: p.SnapshotTree, At: dir.Join(".system"), Marker: marker})
	}
	if r.Skills.Count <= 0 {
		l.Action(p.Action{Kind: p.ExtraRoots}) // the client looks anew, and those of the host are told
		return
	}
	l.Skills(p.PlaceSkills{At: managed, Reserve: reserve})
	l.Check(managed, p.CheckDir)
	l.Action(p.Action{Kind: p.ExtraRoots, At: managed})
	l.Action(p.Action{Kind: p.VerifySkills})
}
