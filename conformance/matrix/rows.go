package matrix

const head = `# Compatibility

This table is made from the results of the tests in ` + "`conformance`" + ` by ` + "`go run ./cmd/compat -write`" + ` in that directory. Do not edit it.

Each cell names the test that shows the promise on the real client, pinned by ` + "`conformance/clients/package-lock.json`" + `,
in a session that was prepared through an adapter process. "n/a" means that the promise has no meaning for the client;
"known" names a fault that is known and the day on which it was seen.

`

const foot = `
Cursor Agent is in no package registry, so it can only be tested against documented shapes. Adapters for it, OpenCode,
Kimi Code and Tutti Agent, and sessions on a model endpoint, are not part of this table yet.
`

// Clients are the columns.
func Clients() []Client {
	return []Client{
		{ID: "codex", Name: "Codex CLI", Package: "@openai/codex"},
		{ID: "claude", Name: "Claude Code", Package: "@anthropic-ai/claude-code"},
	}
}

// both is a promise that one test shows on both clients.
func both(title, test string) Row {
	return Row{title, map[string]Cell{"codex": {Test: test + "/codex"}, "claude": {Test: test + "/claude"}}}
}

// Rows are the promises.
func Rows() []Row {
	return []Row{
		both("Desktop: our instructions and each of our skills reach the model once; the user's stay; nothing is left after clean-up",
			"TestC256_DesktopSession"),
		both("Automation: nothing of the user's reaches the model or runs; the project's stays; no address but the provider's is called",
			"TestC256_AutomationSession"),
		both("Each kind of the user's set-up can be left out, and the session reports what happened", "TestC256_EachKindCanBeLeftOut"),
		both("Single skills and MCP servers of the user's can be chosen by name", "TestC256_NamedItemsComeAlong"),
		both("A skill of ours loads", "TestC256_SkillLoads"),
		both("Every skill of the whole profile is listed once", "TestC080_EverySkillOfTheProfileIsListedOnce"),
		{"The commands that a session has run unasked, and no others", map[string]Cell{
			"codex": {Test: "TestC157_C158_C165_CodexRunsWhatTheSessionHas"}, "claude": {None: "the client's own permissions decide"}}},
		{"What the model runs finds the host's directory first on PATH, and no secret of ours", map[string]Cell{
			"codex": {Test: "TestC008_HostToolsLeadPath/codex",
				Known: "the client puts two directories of its own in front of every other, seen 2026-11-30"},
			"claude": {Test: "TestC008_HostToolsLeadPath/claude"}}},
		both("A resumed conversation is repeated unchanged and nothing is added", "TestC256_ResumeAddsNothing"),
		both("Driven by a host in one process, two prompts tell the model ours once", "TestC256_DrivenByAHost"),
		both("A second session of a kind costs no adapter call, and sessions in one project do not disturb each other",
			"TestC256_SecondSessionOfAKindCostsNoCall"),
		both("Clean-up keeps a running session", "TestC256_RunningSessionIsKept"),
		both("Skills that are links, twins, loops or broken: the client lists what it lists without us, and ours",
			"TestC219_H05_HostileSkillTree"),
		both("A home, instructions and skills that are links work, and stay links", "TestH06_HomeOfLinks"),
		both("A home that a variable names counts, and the one at the default place does not", "TestH11_HomeByVariable"),
		{"A variable that a login is filed by is neither brought in nor changed", map[string]Cell{
			"codex":  {None: "a session has a home of its own, and the login is linked into it"},
			"claude": {Test: "TestH08_ConfigDirPassesUnchanged"}}},
		{"A project's own client folder does not become global", map[string]Cell{
			"codex":  {Test: "TestH04_ProjectFolderIsNotGlobal"},
			"claude": {None: "the client reads its folder in the project by itself, with us or without"}}},
		both("The client's own validators accept what was prepared", "TestC233_ClientAcceptsItsFiles"),
		both("No credential of the user's stands in the host's state or log", "TestC234_NoSecretInStateOrLog"),
		{"Hooks that a user trusts run, and ones that changed since do not", map[string]Cell{
			"codex": {Test: "TestH28_TrustInHooksComesAlong"}, "claude": {None: "hooks of the user's settings need no trust"}}},
		{"Skills in folders come along, and stay out by name", map[string]Cell{
			"codex": {Test: "TestH03_SkillsInFoldersComeAlong"}, "claude": {None: "the client looks one level deep"}}},
		{"Rules in folders and behind links stay out with the instructions", map[string]Cell{
			"codex": {None: "the client has no such rules"}, "claude": {Test: "TestH06_RulesStayOut"}}},
		{"Leaving out the user's hooks keeps everything else of theirs", map[string]Cell{
			"codex": {Test: "TestC256_EachKindCanBeLeftOut/codex"}, "claude": {Test: "TestC256_HooksOfTheProjectGoWithThoseOfTheUser"}}},
		{"A user's AGENTS.override.md does not hide ours", map[string]Cell{
			"codex": {Test: "TestC231_OverrideDoesNotHideOurs"}, "claude": {None: "no such file in this client"}}},
		{"A full hand-written configuration is kept and works", map[string]Cell{
			"codex": {Test: "TestC233_FullCodexConfig"}, "claude": {None: "the configuration is used where it is"}}},
		{"The user's command rules are kept and parse", map[string]Cell{
			"codex": {Test: "TestC233_CodexRulesParse"}, "claude": {None: "rules are part of the settings, see the next row"}}},
		{"Settings with a provider, a credential and a deny rule hold at a desktop", map[string]Cell{
			"codex":  {None: "providers are part of the configuration, see above"},
			"claude": {Test: "TestC256_ClaudeSettingsOfASwitcher/desktop"}}},
		{"Settings with a provider and a credential have no effect in automation", map[string]Cell{
			"codex":  {Test: "TestC256_AutomationSession/codex"},
			"claude": {Test: "TestC256_ClaudeSettingsOfASwitcher/automation"}}},
		{"The client itself lists our plugin and skills at its start", map[string]Cell{
			"codex":  {Test: "TestC256_DrivenByAHost/codex"},
			"claude": {Test: "TestC256_ClaudeListsPluginAndSkills"}}},
	}
}
