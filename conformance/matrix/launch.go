package matrix

// launchRows are the promises of package core/launch, which drives clients over their protocols.
func launchRows() []Row {
	all := func(title, test string) Row {
		row := Row{"Driven through core/launch: " + title, map[string]Cell{}}
		for _, client := range []string{"codex", "claude", "kimi", "opencode"} {
			row.Cells[client] = Cell{Test: test + "/" + client}
		}
		return row
	}
	return []Row{
		all("three turns, the last of them resumed in a new process", "TestLaunch_ThreeTurnsAndResume"),
		all("a conversation that cannot be loaded is replaced by a new one, which says so", "TestH68_LaunchConversationThatIsGone"),
		all("a command runs when the host allows it, and not when it denies it", "TestLaunch_PermissionDecides"),
		all("a turn is cancelled while a command runs, and the conversation goes on", "TestH71_H72_LaunchCancelInATool"),
		all("a client that is killed in a turn is said to have ended, and the conversation goes on in a new process", "TestLaunch_KilledInATurn"),
		all("a client ends within seconds of its host's being killed, in a turn too, and what it leaves running the next host ends", "TestH53_LaunchHostIsKilled"),
		{"What a client leaves running in a session runs on while that is kept, and ends with it", map[string]Cell{
			"codex":  {Test: "TestH53_TheServiceOfCodexEndsWithItsSession"},
			"claude": {None: "the client keeps no service"}, "kimi": {None: "the client keeps no service unless it is asked for one"},
			"opencode": {None: "the client keeps no service unless it is asked for one"},
		}},
		all("what changes of connectors is told once, in the turn in which it does, and not again after a restart", "TestC364_C366_LaunchTellsOfConnectors"),
		{"Driven through core/launch: what a person says while a turn runs reaches the model in that turn", map[string]Cell{
			"codex":  {Test: "TestLaunch_GuidesATurn/codex"},
			"claude": {None: "the client takes up what is said in a turn as a turn of its own, behind it"},
			"kimi":   {None: "the protocol has no such message"}, "opencode": {None: "the protocol has no such message"},
		}},
		all("a question of the agent's is answered by a person, or the agent is told that nobody does, or the client asks none", "TestLaunch_QuestionsOfTheAgent"),
		{"Driven through core/launch: a credential that the session's endpoint refuses is told from a missing login", map[string]Cell{
			"codex": {Test: "TestLaunch_RefusedCredential/codex"}, "claude": {Test: "TestLaunch_RefusedCredential/claude"},
			"kimi":     {Test: "TestLaunch_RefusedCredential/kimi"},
			"opencode": {None: "the client passes on the endpoint's words, and not that it refused; a gateway sees it"},
		}},
		all("a gateway before the endpoint tells that it refuses the credential, whatever the client says", "TestLaunch_RefusedCredentialBehindAGateway"),
		{"Driven through core/launch: a login of the user's that is refused is said to be that", map[string]Cell{
			"codex": {Test: "TestLaunch_RefusedLogin/codex"}, "claude": {Test: "TestLaunch_RefusedLogin/claude"}, "kimi": {Test: "TestLaunch_RefusedLogin/kimi"},
			"opencode": {None: "the client passes on the provider's words, and not that it refused"},
		}},
		{"Driven through core/launch: where nobody is logged in, a person is told to log in", map[string]Cell{
			"codex": {None: "the client asks its provider, which says so"}, "claude": {Test: "TestLaunch_NobodyIsLoggedIn/claude"},
			"kimi": {Test: "TestLaunch_NobodyIsLoggedIn/kimi"}, "opencode": {None: "the client has free models of its own"},
		}},
		all("effort or mode, as set between two turns, holds in a new process", "TestLaunch_SetUpAsItWas"),
		{"Driven through core/launch: a server of MCP that fails in a new process is told of", map[string]Cell{
			"codex": {Test: "TestLaunch_OtherServersAreTold/codex"}, "claude": {Test: "TestLaunch_OtherServersAreTold/claude"},
			"kimi": {None: "the protocol tells of no servers"}, "opencode": {None: "the protocol tells of no servers"},
		}},
		all("the model changes between two turns, and is kept by a new process", "TestLaunch_SwitchModel"),
	}
}
