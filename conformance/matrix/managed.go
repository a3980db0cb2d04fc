package matrix

// managed are the promises on what the administrator of a machine lays down for the clients on it.
func managed(clients []Client) Section {
	const test, none = "TestH33_SettingsOfTheMachine/", "the client reads nothing of the machine's"
	known := func(id, text string) Known { return Known{ID: id, Text: text, Seen: "2026-12-01"} }
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
				"opencode": {Test: test + "opencode/provider", Known: known("K2", "a provider of our name is laid over ours")}}},
			{"What the machine requires of the client leads nowhere either", map[string]Cell{
				"codex":    {Test: test + "codex/requirements", Known: known("K3", "a provider that is required is asked, with the key if it asks for it")},
				"claude":   {Test: test + "claude/socket", Known: known("K4", "a socket takes all requests")},
				"kimi":     {None: none},
				"opencode": {None: "the client knows no requirements beside the settings"}}},
			{"Nothing of the machine's is added to what is sent, runs or is told", map[string]Cell{
				"codex":    {Test: test + "codex/additions", Known: known("K5", "servers, telemetry and instructions count")},
				"claude":   {Test: test + "claude/additions", Known: known("K6", "headers, bodies, helpers, telemetry, hooks and instructions count")},
				"kimi":     {None: none},
				"opencode": {Test: test + "opencode/additions", Known: known("K7", "servers count")}}},
			{"Servers of the machine's leave those of the session alone", map[string]Cell{
				"codex":    {Test: test + "codex/servers"},
				"claude":   {Test: test + "claude/servers", Known: known("K8", "beside servers of the machine a session with servers or a credential does not start")},
				"kimi":     {None: none},
				"opencode": {Test: test + "opencode/servers"}}},
		},
	}
}
