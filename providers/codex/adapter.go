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
func (a Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	l, err := p.Begin(ctx, a.Describe(), r)
	if err != nil {
		return nil, err
	}
	l.Set(envHome, root.Value())
	l.Strip(childMarkers...)
	// Our text stands behind the user's. The client would pass an AGENTS.override.md in the home over our AGENTS.md, so
	// theirs becomes the beginning of the one file that there is.
	l.Brief(r, root.Join("AGENTS.md"), inInstructions.Base(r)...)
	l.Bring(r, inPrompts, root.Join("prompts"))

	configuration(l, r)
	approve(l, r)
	logins(l, r)
	skills(l, r)
	l.ShareEach(r, p.Plugins, root, home, pluginDirs...)
	if r.Secretive() {
		l.Strip(envElsewhere) // has it run commands on another machine
		l.Note(p.Tell("codex.credentials-in-hooks", "hooks and the notification program of codex can read credentials of the session; "+
			"its commands cannot, and servers only what they ask for", ""))
	}
	return l, nil
}

// configuration places config.toml and the files that go with it. They are private copies: the client edits the
// configuration in place, through a link if it is one, and appends rules that a person approved to default.rules.
func configuration(l *p.Layout, r p.Request) {
	in, config := r.Options.Inherit, root.Join("config.toml")
	l.Merge(config, p.TOML, []p.Base{p.FromInput(inConfig.Name), p.Empty()},
		slices.Concat(sections.Edits(in), tier(r), disabledSkills(r), models(l, r), servers(l, r),
			always(r), l.FileTrust(r, "codex.trust-withheld", "projects", "trust_level", "trusted", "untrusted"), worker(l, r))...)
	// The app server starts with a file that does not parse and fails only at the first thread.
	l.Check(config, p.CheckTOML, p.Key("project_root_markers"), p.Key("allow_login_shell"))

	l.Bring(r, inHooks, root.Join("hooks.json"))
	l.Bring(r, inRoles, root.Join("agents"))
	l.Bring(r, inRules, root.Join("rules"), ours)
	// A profile can hold things of every kind but memories, and is laid over the whole of the configuration, also over
	// the endpoint.
	if r.Endpoint == nil && in.AllBut(p.Memories) {
		l.Bring(r, inProfiles, root)
	}
	if !in.None(p.Memories) {
		l.Note(p.Warn("codex.memories-stay", "codex keeps memories in a database of its home, so they do not reach a session", ""))
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

// logins places the user's login and those of their MCP servers, which the client keeps in the home too, and the variables
// that it reads there, such as the key of a provider of theirs. A refresh token is good for one use, so there must never be two live copies of it.
//
// A session on an endpoint has no login of the user's: the client needs none there, and cannot use one that it has not.
func logins(l *p.Layout, r p.Request) {
	in := r.Options.Inherit
	if !in.None(p.MCPServers) {
		l.Login(p.Login{At: root.Join(".credentials.json"), Input: inMCPAuth.Name, JSON: true})
	}
	if r.Endpoint != nil {
		return
	}
	l.Bring(r, inVariables, root.Join(".env"))
	l.Login(p.Login{At: root.Join("auth.json"), Input: inAuth.Name, JSON: true, Fresher: p.Key("last_refresh")})
	// Models differ between accounts and providers, so a cache of them is good for one login and one configuration. It
	// is ours, shared between sessions, and never the user's: the client writes it through the link.
	l.Link(root.Join("models_cache.json"),
		p.Cache("codex-models", "models_cache.json", inConfig.Name, inAuth.Name+"#tokens/account_id"))

	if store := inConfig.In(r).Text(loginStore); store != "" && store != "file" && in.All(p.ModelSettings) && !inAuth.In(r).Exists {
		l.Note(p.Warn("codex.keyring-login", "codex files a login in the keyring by its home, so it does not reach a session",
			`set cli_auth_credentials_store = "file" and log in again`))
	}
}

// skills places the user's skills one by one and ours below them. The directory itself must stay a real one: the client
// unpacks its bundled skills there.
func skills(l *p.Layout, r p.Request) {
	l.SkillDir(r, root.Join("skills"), inSkills, inSharedSkills, inProjectSkills)
	if r.Options.Inherit.LeftIn(inSharedTrees.In(r), inSharedSkills.In(r)) {
		l.Note(p.Warn("codex.grouped-skills-stay",
			"codex finds the skills below ~/.agents/skills by itself, and those in folders of it cannot be switched off",
			"keep each skill directly in that directory, or in the skills directory of codex"))
	}
}
