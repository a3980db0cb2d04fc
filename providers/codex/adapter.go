package codex

import (
	"context"
	"slices"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Adapter is the adapter for the Codex CLI. The zero value is ready.
type Adapter struct{}

var _ p.Preparer = Adapter{}

// root is the session's Codex home.
var root = p.Session("codex")

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
		endpoint(l, r.Endpoint)
	} else {
		l.Strip(keyVar)
	}

	instructions(l, r)
	configuration(l, r)
	rules(l, r)
	for _, s := range r.Servers {
		for _, h := range s.Headers {
			l.Set(h.Var, h.Value)
		}
	}
	logins(l, r)
	skills(l, r)
	plugins(l, r)
	saver(l, r)
	return l, nil
}

// ours is our file of rules. It is not default.rules: the client appends to that what a person approves.
const ours = "greenroom-commands.rules"

// rules lets the commands of the host's tool run that the host says may. The client approves whatever follows a prefix.
func rules(l *p.Layout, r p.Request) {
	var body []p.Value
	for _, words := range r.Commands.Approved {
		body = append(body, p.S("prefix_rule(pattern=["))
		for i, word := range words {
			if i > 0 {
				body = append(body, p.S(", "))
			}
			body = append(body, p.Quote(p.JSON, p.S(word)))
		}
		body = append(body, p.S("], decision=\"allow\")\n"))
	}
	if len(body) > 0 {
		l.File(root.Join("rules").Join(ours), body...)
	}
}

// instructions places our text behind the user's. The client would pass an AGENTS.override.md in the home over our
// AGENTS.md, so theirs becomes the beginning of the one file that there is.
func instructions(l *p.Layout, r p.Request) {
	base := []p.Base{p.Empty()}
	if r.Options.Inherit.All(p.Instructions) {
		base = []p.Base{p.FromInput(inInstructions), p.Empty()}
		l.Expose(p.Expose{At: root.Join("prompts"), Input: inPrompts})
	}
	body := []p.Value{r.Instructions.Text()}
	if r.Saver != nil {
		body = append(body, r.Saver.Policy.Text())
	}
	l.Block(root.Join("AGENTS.md"), base, body...)
}

// configuration places config.toml and the files that go with it. They are private copies: the client edits the
// configuration in place, through a link if it is one, and appends rules that a person approved to default.rules.
func configuration(l *p.Layout, r p.Request) {
	in, config := r.Options.Inherit, root.Join("config.toml")
	l.Merge(config, p.TOML, []p.Base{p.FromInput(inConfig), p.Empty()}, edits(r)...)
	// The app server starts with a file that does not parse and fails only at the first thread.
	l.Check(config, p.CheckTOML, p.Key("project_root_markers"), p.Key("allow_login_shell"))

	if in.All(p.Hooks) && r.Inputs[inHooks].Exists {
		l.Copy(root.Join("hooks.json"), inHooks)
	}
	if !in.None(p.Memories) {
		l.Note(p.Warn("codex.memories-stay",
			"codex keeps memories in a database of its home, so they do not reach a session", ""))
	}
	if !in.All(p.ModelSettings) {
		return
	}
	l.Expose(p.Expose{At: root.Join("agents"), Input: inRoles, Copy: true})
	l.Expose(p.Expose{At: root.Join("rules"), Input: inRules, Except: []string{ours}, Copy: true})
	// A profile can hold things of every kind but memories, and is laid over the whole of the configuration, also over
	// the endpoint.
	if r.Endpoint == nil && !slices.ContainsFunc(p.Kinds(), func(k p.Kind) bool { return k != p.Memories && !in.All(k) }) {
		l.Expose(p.Expose{At: root, Input: inProfiles, Copy: true})
	}
}

// logins places the user's login, and those of their MCP servers, which the client keeps in the home too. A refresh
// token is good for one use, so there must never be two live copies of it.
//
// A session on an endpoint has no login of the user's: the client needs none there, and cannot use one that it has not.
func logins(l *p.Layout, r p.Request) {
	in := r.Options.Inherit
	if !in.None(p.MCPServers) {
		l.Login(p.Login{At: root.Join(".credentials.json"), Input: inMCPAuth, JSON: true})
	}
	if r.Endpoint != nil {
		return
	}
	l.Login(p.Login{At: root.Join("auth.json"), Input: inAuth, JSON: true, Fresher: p.Key("last_refresh")})
	// Models differ between accounts and providers, so a cache of them is good for one login and one configuration. It
	// is ours, shared between sessions, and never the user's: the client writes it through the link.
	l.Link(root.Join("models_cache.json"),
		p.Cache("codex-models", "models_cache.json", inConfig, inAuth+"#tokens/account_id"))

	if store, ok := r.Inputs[inConfig].Values[loginStore.String()].(p.String); ok && store != "file" &&
		in.All(p.ModelSettings) && !r.Inputs[inAuth].Exists {
		l.Note(p.Warn("codex.keyring-login", "codex files a login in the keyring by its home, so it does not reach a session",
			`set cli_auth_credentials_store = "file" and log in again`))
	}
}

// skills places the user's skills one by one and ours in a directory of their own below them. The skills directory
// itself must stay a real one: the client unpacks its bundled skills there.
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
	if slices.ContainsFunc(r.Inputs[inSharedTrees].Names, func(name string) bool {
		return !in.Takes(p.Skills, name) && !slices.Contains(r.Inputs[inSharedSkills].Names, name)
	}) {
		l.Note(p.Warn("codex.grouped-skills-stay",
			"codex finds the skills below ~/.agents/skills by itself, and those in folders of it cannot be switched off",
			"keep each skill directly in that directory, or in the skills directory of codex"))
	}
	if r.Skills.Count > 0 {
		at := dir.Join("greenroom") // core gives way when a skill of the user's has this name
		l.Skills(p.PlaceSkills{At: at, Reserve: reserve})
		l.Check(at, p.CheckDir)
	}
}

// plugins shares what the client has downloaded and stored for the plugins that the configuration switches on.
func plugins(l *p.Layout, r p.Request) {
	if r.Options.Inherit.None(p.Plugins) {
		return
	}
	for _, dir := range pluginDirs {
		l.Share(root.Join(dir), p.At(home, dir))
	}
}
