package matrix

import "slices"

const head = `# Compatibility

This table is made from the results of the tests in ` + "`conformance`" + ` by ` + "`go run ./cmd/compat -write`" + ` in that directory. Do not edit it.

Each cell names the test that shows the promise on the real client, pinned by ` + "`conformance/clients/package-lock.json`" + `,
in a session that was prepared through an adapter process. "n/a" means that the promise has no meaning for the client;
"known" names a limit of the client by the id under which the [threat model](threat-model.md) explains it, and the day on
which it was first seen. Above each table stands the day of the run that it was made from.

`

const foot = `
Cursor Agent is in no package registry, so it stands in no column: its adapter is held to what the vendor documents, by
the tests in ` + "`conformance/documented` and `providers/cursor`" + `, and nothing of the client itself is shown. Tutti Agent is in none
either: the rows on its adapter were run with Codex, whose app-server protocol it speaks, in its place.
`

// Clients are the columns.
func Clients() []Client {
	return []Client{
		{ID: "codex", Name: "Codex CLI", Package: "@openai/codex"},
		{ID: "claude", Name: "Claude Code", Package: "@anthropic-ai/claude-code"},
		{ID: "kimi", Name: "Kimi Code", Package: "@moonshot-ai/kimi-code"},
		{ID: "opencode", Name: "OpenCode", Package: "opencode-linux-x64-baseline"},
	}
}

// each is a promise that one test shows on every client.
func each(title, test string) Row {
	cells := map[string]Cell{}
	for _, c := range Clients() {
		cells[c.ID] = Cell{Test: test + "/" + c.ID}
	}
	return Row{title, cells}
}

// tutti is a promise of the adapter for Tutti Agent, shown on Codex in its place.
func tutti(title, test string) Row {
	const files = "the row is about the adapter of another client"
	return Row{"Tutti Agent's adapter, on Codex: " + title, map[string]Cell{
		"codex": {Test: test}, "claude": {None: files}, "kimi": {None: files}, "opencode": {None: files}}}
}

// Rows are the promises.
func Rows() []Row {
	return append([]Row{
		each("Desktop: our instructions and each of our skills reach the model once; the user's stay; nothing is left after clean-up; the home and the project are as they were",
			"TestC256_DesktopSession"),
		each("A turn in which a command runs, whose result comes back", "TestC256_DesktopSession"),
		each("A turn of text, whose answer stays in the conversation", "TestC256_ResumeAddsNothing"),
		each("Automation: nothing of the user's reaches the model or runs; the project's stays; no address but the provider's is called",
			"TestC256_AutomationSession"),
		each("Each kind of the user's set-up can be left out, and the session reports what happened", "TestC256_EachKindCanBeLeftOut"),
		each("Settings of the user's that a model endpoint stands in the place of have no effect on one, the others have, and the report says which",
			"TestC256_TheReportOfSettingsOnAnEndpointIsTrue"),
		{"Agents and modes of the user's that name a model ask the endpoint; of commands and agents in folders it is said that they fail",
			map[string]Cell{"codex": {None: "a role names its model to the endpoint"}, "claude": {None: "an alias leads to a model of the endpoint"},
				"kimi": {None: "an agent names no model"}, "opencode": {Test: "TestC246_OpenCodeHasOnlyTheModelsOfTheEndpoint"}}},
		each("Single skills and MCP servers of the user's can be chosen by name", "TestC256_NamedItemsComeAlong"),
		each("A skill of ours loads", "TestC256_SkillLoads"),
		each("Every skill of the whole profile is listed once", "TestC080_EverySkillOfTheProfileIsListedOnce"),
		{"MCP servers of the host are connected with their credentials, which stand in no file and reach no model", map[string]Cell{
			"codex": {Test: "TestServersOfTheHostAreConnected/desktop/codex"}, "claude": {Test: "TestServersOfTheHostAreConnected/desktop/claude"},
			"kimi": {Test: "TestServersOfTheHostAreConnected/desktop/kimi"}, "opencode": {Test: "TestServersOfTheHostAreConnected/desktop/opencode"}}},
		{"A project gets no credential of those servers, by naming its variable in a configuration of its own", map[string]Cell{
			"codex": {Test: "TestH33_AProjectReadsNoCredentialOfServers/codex"}, "claude": {Test: "TestH33_AProjectReadsNoCredentialOfServers/claude"},
			"kimi": {Test: "TestH33_AProjectReadsNoCredentialOfServers/kimi"}, "opencode": {Test: "TestH33_AProjectReadsNoCredentialOfServers/opencode"}}},
		{"The client's own skills and ours are told from the store, by the same paths in every session", map[string]Cell{
			"codex":  {Test: "TestC193_C254_TuttiAgentIsToldOfItsSkills"},
			"claude": {None: "the client is told of skills by files only"}, "kimi": {None: "the client is told of skills by files only"},
			"opencode": {None: "the client is told of skills by files only"}}},
		tutti("MCP servers of the host are connected with their credentials, in the session that has them and in no later one",
			"TestTuttiAgentIsConnectedToServersOfTheHost"),
		tutti("on a model plan it asks that alone, with a key that is in one variable and that no command sees; off it, nothing of it is left",
			"TestC253_TuttiAgentOnAPlanAndOffIt"),
		tutti("on a plan nothing that the user's configuration and shell say leads it elsewhere", "TestC253_H33_TuttiAgentIsNotLedAway"),
		tutti("each kind of the user's set-up can be left out, and the session reports what happened", "TestC249_TuttiAgentLeavesOutEachKind"),
		tutti("the commands that a session has run unasked, and no others", "TestC157_C165_TuttiAgentRunsWhatTheSessionHas"),
		tutti("a client that unpacks other skills of its own has them, and sessions with other ones keep theirs", "TestC192_TuttiAgentUpdatesItsSkills"),
		tutti("a conversation that the user began goes on in a session, word for word, in the user's own file",
			"TestC223_TuttiAgentGoesOnWithTheUsersConversation"),
		tutti("a conversation of one session goes on in another, word for word, and the two are apart from then on",
			"TestC281_TuttiAgentGoesOnWithAForkedConversation"),
		tutti("directories of skills that it is told of stand in no variable that a command could read, and too many or bad ones are refused",
			"TestC194_C196_TuttiAgentHasNoRootsInItsEnvironment"),
		tutti("a client that does not list our skills, has none of its own or is told of a missing directory does not start",
			"TestC195_TuttiAgentDoesNotStartWithoutItsSkills"),
		{"The commands that a session has run unasked, and no others", map[string]Cell{
			"codex": {Test: "TestC157_C158_C165_CodexRunsWhatTheSessionHas"}, "claude": {None: "the client's own permissions decide"},
			"kimi":     {None: "the client's rules are patterns over a whole line, which a longer line with another command in it would pass"},
			"opencode": {Test: "TestC157_C158_OpenCodeRunsWhatTheSessionHas"}}},
		{"What the model runs finds the host's directory first on PATH, and no secret of ours", map[string]Cell{
			"codex": {Test: "TestC008_HostToolsLeadPath/codex",
				Known: Known{ID: "K1", Text: "the client puts two directories of its own in front of every other", Seen: "2026-11-30"}},
			"claude": {Test: "TestC008_HostToolsLeadPath/claude"}, "kimi": {Test: "TestC008_HostToolsLeadPath/kimi"},
			"opencode": {Test: "TestC008_HostToolsLeadPath/opencode"}}},
		each("A resumed conversation is repeated unchanged and nothing is added", "TestC256_ResumeAddsNothing"),
		each("Driven by a host in one process, two prompts tell the model ours once", "TestC256_DrivenByAHost"),
		each("A second session of a kind costs no adapter call, and sessions in one project do not disturb each other",
			"TestC256_SecondSessionOfAKindCostsNoCall"),
		each("Clean-up keeps a running session", "TestC256_RunningSessionIsKept"),
		each("Skills that are links, twins, loops or broken: the client lists what it lists without us, and ours",
			"TestC219_H05_HostileSkillTree"),
		each("A home, instructions and skills that are links work, and stay links", "TestH06_HomeOfLinks"),
		each("A home that a variable names counts, and the one at the default place does not", "TestH11_HomeByVariable"),
		{"A variable that a login is filed by is neither brought in nor changed", map[string]Cell{
			"codex":    {None: "a session has a home of its own, and the login is linked into it"},
			"claude":   {Test: "TestH08_ConfigDirPassesUnchanged"},
			"kimi":     {None: "a session has a home of its own, and the login is linked into it"},
			"opencode": {None: "the login lies where the client looks for it, with us or without"}}},
		{"A project's own client folder does not become global", map[string]Cell{
			"codex":    {Test: "TestH04_ProjectFolderIsNotGlobal"},
			"claude":   {None: "the client reads its folder in the project by itself, with us or without"},
			"kimi":     {None: "the client reads its folder in the project by itself, with us or without"},
			"opencode": {None: "the client reads its folder in the project by itself, with us or without"}}},
		each("The client's own validators accept what was prepared", "TestC233_ClientAcceptsItsFiles"),
		each("No credential of the user's stands in the host's state or log", "TestC234_NoSecretInStateOrLog"),
		each("What a project sets up, hooks and servers among it, runs where the session's workspace is trusted and not where nobody said so",
			"TestH33_ProjectSetsUpTheClientWhereItIsTrusted"),
		{"On a terminal, what the session's trust answers is not asked, and what it does not is", map[string]Cell{
			"codex": {Test: "TestH33_ATerminalAsksAboutWhatIsNotTrusted/codex"}, "claude": {Test: "TestC262_ClaudeAsksWhatItsDescriptorNames"},
			"kimi":     {Test: "TestH33_ATerminalAsksAboutWhatIsNotTrusted/kimi"},
			"opencode": {None: "the client asks nobody about a folder"}}},
		{"Hooks that a user trusts run, and ones that changed since do not", map[string]Cell{
			"codex": {Test: "TestH28_TrustInHooksComesAlong"}, "claude": {None: "hooks of the user's settings need no trust"},
			"kimi":     {None: "hooks of the user's configuration need no trust"},
			"opencode": {None: "plugins do the work of hooks, and need no trust"}}},
		{"Skills in folders come along, and stay out by name", map[string]Cell{
			"codex": {Test: "TestH03_SkillsInFoldersComeAlong"}, "claude": {None: "the client looks one level deep"},
			"kimi":     {Test: "TestC219_H05_HostileSkillTree/kimi"},
			"opencode": {Test: "TestC219_H05_HostileSkillTree/opencode"}}},
		{"Rules in folders and behind links stay out with the instructions", map[string]Cell{
			"codex": {None: "the client has no such rules"}, "claude": {Test: "TestH06_RulesStayOut"},
			"kimi":     {None: "the client has no such rules"},
			"opencode": {None: "the client has no such rules"}}},
		{"Leaving out the user's hooks keeps everything else of theirs", map[string]Cell{
			"codex": {Test: "TestC256_EachKindCanBeLeftOut/codex"}, "claude": {Test: "TestC256_HooksOfTheProjectGoWithThoseOfTheUser"},
			"kimi":     {Test: "TestC256_EachKindCanBeLeftOut/kimi"},
			"opencode": {Test: "TestC256_EachKindCanBeLeftOut/opencode"}}},
		{"A user's AGENTS.override.md does not hide ours", map[string]Cell{
			"codex": {Test: "TestC231_OverrideDoesNotHideOurs"}, "claude": {None: "no such file in this client"},
			"kimi":     {None: "no such file in this client"},
			"opencode": {None: "no such file in this client"}}},
		{"A full hand-written configuration is kept and works", map[string]Cell{
			"codex": {Test: "TestC233_FullCodexConfig"}, "claude": {None: "the configuration is used where it is"},
			"kimi":     {Test: "TestC233_FullKimiConfig"},
			"opencode": {Test: "TestC256_FullOpenCodeConfig"}}},
		{"The user's command rules are kept and parse", map[string]Cell{
			"codex": {Test: "TestC233_CodexRulesParse"}, "claude": {None: "rules are part of the settings, see the next row"},
			"kimi":     {None: "rules are part of the configuration, see above"},
			"opencode": {None: "rules are part of the configuration, see above"}}},
		{"Settings with a provider, a credential and a deny rule hold at a desktop", map[string]Cell{
			"codex":    {None: "providers are part of the configuration, see above"},
			"claude":   {Test: "TestC256_ClaudeSettingsOfASwitcher/desktop"},
			"kimi":     {None: "providers are part of the configuration, see above"},
			"opencode": {None: "providers are part of the configuration, see above"}}},
		{"Settings with a provider and a credential have no effect in automation", map[string]Cell{
			"codex":    {Test: "TestC256_AutomationSession/codex"},
			"claude":   {Test: "TestC256_ClaudeSettingsOfASwitcher/automation"},
			"kimi":     {Test: "TestC256_AutomationSession/kimi"},
			"opencode": {None: "the client gives no way to leave its configuration out, and the session says so"}}},
		{"The client itself lists our plugin and skills at its start", map[string]Cell{
			"codex":    {Test: "TestC256_DrivenByAHost/codex"},
			"claude":   {Test: "TestC256_ClaudeListsPluginAndSkills"},
			"kimi":     {Test: "TestC256_DrivenByAHost/kimi"},
			"opencode": {Test: "TestC256_DrivenByAHost/opencode"}}},
		{"A system prompt of the user's own does not hide ours", map[string]Cell{
			"codex": {Test: "TestC231_OverrideDoesNotHideOurs"}, "claude": {None: "no file of the user's replaces the prompt"},
			"kimi":     {Test: "TestC256_KimiSystemPrompt"},
			"opencode": {Test: "TestC256_DesktopSession/opencode"}}},
		{"Skills that all of the user's agents share come along once, or stay out, and hide none of ours", map[string]Cell{
			"codex": {Test: "TestC256_EachKindCanBeLeftOut/codex"}, "claude": {None: "the client does not look for them"},
			"kimi":     {Test: "TestH21_SharedSkillsAreListedOnceOrLeftOut"},
			"opencode": {Test: "TestC256_EachKindCanBeLeftOut/opencode"}}},
	}, slices.Concat(codexRows(), openCodeRows(), kimiRows(), endpointRows(), gatewayRows(), launchRows(), rtkRows())...)
}
