package matrix

// only is a promise that has a meaning for one client, and why it has none for the others.
func only(client, title, test, none string) Row {
	cells := map[string]Cell{}
	for _, c := range Clients() {
		cells[c.ID] = Cell{None: none}
	}
	cells[client] = Cell{Test: test}
	return Row{title, cells}
}

// codexRows are the promises that only Codex has a part in.
func codexRows() []Row {
	return []Row{
		only("codex", "In saver mode the client gives work to our worker, on its own model, whatever role of the name the user has",
			"TestC224_C225_C227_SaverGivesWorkToItsWorker", "the client has no such mode"),
		only("codex", "What the user tells the client in its configuration stays, for whomever the agent writes",
			"TestC217_C218_DetailModeLeavesTheUsersInstructions", "the client's configuration holds no instructions"),
		only("codex", "A conversation that the user began goes on in a session, word for word, in the user's own file",
			"TestC223_CodexGoesOnWithTheUsersConversation", "not taken over yet"),
		only("codex", "A conversation of one session goes on in another, word for word, and the two are apart from then on",
			"TestC281_CodexGoesOnWithAForkedConversation", "not taken over yet"),
		only("codex", "The file of variables in the user's home comes along with their provider, and not to an endpoint",
			"TestC210_CodexReadsTheUsersVariables", "the client reads no such file in its home"),
		only("codex", "A skill of the user's about browsers stays beside ours in a session that may use the browser",
			"TestC220_CodexKeepsTheUsersBrowserSkill", "a skill of the user's stays whatever its name is, see the rows above"),
		only("codex", "The client reads no instructions above the session's directory, whatever root markers the user has",
			"TestC215_CodexReadsNothingAboveItsDirectory", "the client has no root markers"),
		only("codex", "In saver mode on a plan, worker and session are on the plan's models", "TestC224_SaverOnAPlan",
			"the client has no such mode"),
	}
}
