package matrix

// rtkRows are the promises of sessions whose commands run through rtk.
func rtkRows() []Row {
	const none = "the client runs no command through rtk by itself: the agent decides"
	deny := Row{"With rtk, what the user's rules deny stays denied", map[string]Cell{
		"codex": {None: none}, "claude": {Test: "TestH65_ADenyRuleHoldsWithRTK/claude"},
		"kimi": {None: none}, "opencode": {Test: "TestH65_ADenyRuleHoldsWithRTK/opencode"}}}
	files := Row{"With rtk, what the user's rules say of files holds for commands that read them", map[string]Cell{
		"codex": {None: none}, "claude": {Test: "TestH65_ARuleForFilesHoldsWithRTK/claude"},
		"kimi": {None: none}, "opencode": {Test: "TestH65_ARuleForFilesHoldsWithRTK/opencode"}}}
	late := Row{"A command runs as it is when rtk hangs, is gone or answers nonsense, what is denied stays denied, and the client and the next preparation say so", map[string]Cell{
		"codex": {None: none}, "claude": {Test: "TestH63_ACommandRunsWithoutAnAnswerOfRTK/claude"},
		"kimi": {None: none}, "opencode": {Test: "TestH63_ACommandRunsWithoutAnAnswerOfRTK/opencode"}}}
	repository := only("claude", "With rtk, rules of a repository that is not trusted allow nothing", "TestH65_ARepositoryAllowsNothingThroughRTK",
		"what runs commands through rtk answers for no permission")
	switched := only("claude", "With rtk, the user's rules and hooks judge a command as the model wrote it",
		"TestH65_ADenyRuleHoldsWithRTK/settings_of_a_switcher", "the client has no hooks of the user's beside what runs commands through rtk, or another row says it")
	strict := only("codex", "A hook may change a command only when it allows it, so that there is none for rtk",
		"TestC312_CodexLetsOnlyAHookThatAllowsChangeACommand", "another client's hooks or plugins change commands without, or not at all")
	recorded := Row{"What rtk's hooks and rewrites answer is as recorded", map[string]Cell{
		"codex": {None: none}, "claude": {Test: "TestH64_HooksOfRTKAnswerAsRecorded"},
		"kimi": {None: none}, "opencode": {Test: "TestH66_RewritesOfRTKComeWithTheirExitCodes"}}}
	taken := only("opencode", "Of rtk the plugin takes a rewrite with the right exit code and nothing else, and waits for nothing that it leaves behind",
		"TestH66_ThePluginOfOpenCodeTakesARewriteAndNothingElse", "what calls rtk there is the client itself, another row, or nothing")
	endpoint := only("opencode", "On an endpoint the agent is told of rtk, and the session says that the client takes all plugins or none",
		"TestC304_OpenCodeTakesAllPluginsOrNoneOnAnEndpoint", "an endpoint makes no difference to what runs commands through rtk")
	return []Row{
		each("Commands run through the session's own rtk, by the client or by the agent that is told of it, and switched off nothing is left",
			"TestC304_RTKRunsTheCommandsOfASession"),
		deny, switched, files, repository, late, taken, recorded, strict, endpoint,
	}
}
