package matrix

// launchRows are the promises of package core/launch, which drives clients over the Agent Client Protocol and the app-server.
func launchRows() []Row {
	const none = "core/launch does not drive this client yet"
	codex := Cell{Test: "TestH71_CodexIsDrivenOverTheAppserver"}
	driven := func(title, test string) Row {
		return Row{title, map[string]Cell{"codex": codex, "claude": {None: none},
			"kimi": {Test: test + "/kimi"}, "opencode": {Test: test + "/opencode"}}}
	}
	return []Row{
		driven("Driven through core/launch: three turns, the last of them resumed in a new process", "TestLaunch_ThreeTurnsAndResume"),
		driven("Driven through core/launch: a command runs when the host allows it, and not when it denies it", "TestLaunch_PermissionDecides"),
		driven("Driven through core/launch: a turn is cancelled while a command waits or runs, and the conversation goes on", "TestLaunch_CancelInATool"),
		{"Driven through core/launch: the model changes between two turns", map[string]Cell{
			"codex": codex, "claude": {None: none}, "kimi": {None: "a session on an endpoint has one model"},
			"opencode": {Test: "TestLaunch_SwitchModel/opencode"}}},
	}
}
