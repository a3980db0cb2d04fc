package matrix

// managed are the promises on what the administrator of a machine lays down for the clients on it.
func managed(clients []Client) Section {
	const test, day, none = "TestH33_SettingsOfTheMachine/", ", seen 2026-12-01", "the client reads nothing of the machine's"
	return Section{
		Title: "Settings of the machine",
		intro: `
Whoever administers a machine can lay down settings for the clients on it, below ` + "`/etc`" + ` on Linux, and the clients mean some of them
to be stronger than whoever starts them. These promises are shown with such files in a mount namespace; where none can be had they
are known to be unreachable, and the table stays as it was.

`,
		Columns:     clients,
		Unreachable: "no mount namespace can be had here",
		anywhere:    true,
		Rows: []Row{
			{"On a model endpoint, addresses, providers and credentials of the machine's lead nowhere", map[string]Cell{
				"codex":    {Test: test + "codex/settings"},
				"claude":   {Test: test + "claude/settings"},
				"kimi":     {None: none},
				"opencode": {Test: test + "opencode/provider", Known: "a provider of our name is laid over ours" + day}}},
			{"What the machine requires of the client leads nowhere either", map[string]Cell{
				"codex":    {Test: test + "codex/requirements", Known: "a provider that is required is asked, with the key if it asks for it" + day},
				"claude":   {Test: test + "claude/socket", Known: "a socket takes all requests" + day},
				"kimi":     {None: none},
				"opencode": {None: "the client knows no requirements beside the settings"}}},
			{"Nothing of the machine's is added to what is sent, runs or is told", map[string]Cell{
				"codex":    {Test: test + "codex/additions", Known: "servers, telemetry and instructions count" + day},
				"claude":   {Test: test + "claude/additions", Known: "headers, bodies, helpers, telemetry, hooks and instructions count" + day},
				"kimi":     {None: none},
				"opencode": {Test: test + "opencode/additions", Known: "servers count" + day}}},
			{"Servers of the machine's leave those of the session alone", map[string]Cell{
				"codex":    {Test: test + "codex/servers"},
				"claude":   {Test: test + "claude/servers", Known: "beside servers of the machine a session with servers or a credential does not start" + day},
				"kimi":     {None: none},
				"opencode": {Test: test + "opencode/servers"}}},
		},
	}
}
