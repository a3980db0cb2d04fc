package matrix

// endpointRows are the promises for sessions on a model endpoint.
func endpointRows() []Row {
	const kimi = "TestH26_H33_H40_H42_KimiStaysOnItsEndpoint"
	const terminal = "shown without a terminal, see the other rows on endpoints"
	four := func(title, codex, claude, kimi, opencode string) Row {
		return Row{title, map[string]Cell{"codex": {Test: codex}, "claude": {Test: claude}, "kimi": {Test: kimi}, "opencode": {Test: opencode}}}
	}
	return []Row{
		each("On a model endpoint the client asks it and nobody else, its key is in one variable and nowhere else, the session says whether commands see it, and it resumes",
			"TestC256_C262_OnAnEndpoint"),
		four("Settings and configurations of the user and the project, and the user's shell, lead no client away from its endpoint",
			"TestC260_H33_CodexIsNotLedAway", "TestH32_H33_ClaudeIsNotLedAway", kimi, "TestC264_H29_H33_OpenCodeTraps"),
		four("Nor does any combination of two of those sources, of OpenCode's of three, nor all at once",
			"TestC260_H33_CodexSourcesTogether", "TestH32_H33_ClaudeSourcesTogether", "TestH33_KimiSourcesTogether",
			"TestC264_H33_OpenCodeSourcesTogether"),
		four("An endpoint on this machine is reached without the user's proxy",
			"TestH40_TheEndpointIsReachedWithoutTheUsersProxy/codex", "TestH40_TheEndpointIsReachedWithoutTheUsersProxy/claude", kimi,
			"TestH40_TheEndpointIsReachedWithoutTheUsersProxy/opencode"),
		each("An endpoint that repeats the key when it refuses: the key is in no error, log, record or answer of ours", "TestH38_AnEndpointThatRepeatsTheKey"),
		each("A session has no credential of another one, on an endpoint exactly the endpoint's, and on the user's login the user's",
			"TestH26_CredentialsOfTheHostAreTheSessionsOwn"),
		each("Each model of an endpoint is asked for by the value that the session gives for it", "TestC248_ModelValuesComeBackFromTheClient"),
		only("claude", "On a terminal a person chooses among the models of an endpoint, is answered by the one they chose, and the home stays as it is",
			"TestC246_C262_ClaudeOnATerminal", terminal),
		only("claude", "On a terminal a session on an endpoint begins with no dialog but those that the adapter names, and with none for whoever has been there",
			"TestC262_ClaudeAsksWhatItsDescriptorNames", terminal),
		only("claude", "On a terminal a session on an endpoint fetches nothing from the vendor", "TestC262_ClaudeFetchesNothingOnATerminal", terminal),
		only("claude", "Descriptions of skills are whole on the model of an endpoint, however much it is known to read",
			"TestC240_ClaudeListsSkillsWhole", "the client lists them whole by itself"),
		only("claude", "The definition of an agent and who reads along reach the model once", "TestC240_ClaudeIsToldOfItsAgentAndOfWhoReads",
			"its part of the instructions is shown with the rest of them"),
		only("claude", "Behind a shield, commands and hooks of the project have a token in the place of the key", "TestC262_H33_ClaudeBehindAShield",
			"only this client runs hooks of a project unasked"),
		only("claude", "A socket in a settings file, which nothing else closes, is refused",
			"TestH33_ClaudeIsRefusedWhereASocketTakesItsRequests", "no such setting in this client"),
	}
}
