package matrix

// Hermes is the column of the agent that the package in extensions/hermes describes.
func Hermes() Client { return Client{ID: "hermes", Name: "Hermes Agent", Package: "hermes-agent"} }

// described are the promises on agents that are described by a signed package, and not by an adapter.
func described(hermes Client) Section {
	row := func(title, test string) Row { return Row{title, map[string]Cell{hermes.ID: {Test: test}}} }
	return Section{
		Title: "Agents that a signed package describes",
		intro: `
The agent is pinned by ` + "`conformance/clients/hermes.txt`" + `, and no adapter knows of it. Where its package registry cannot be reached
it is not installed, and these promises are known to be unreachable there.

`,
		Columns:     []Client{hermes},
		Unreachable: "Hermes Agent is not installed here",
		Rows: []Row{
			row("Prepared from its signed package it starts in the session's home, lists our skills and the user's, and reads our instructions; the user's home stays as it was",
				"TestC320_C328_HermesFromItsSignedPackage"),
			row("Two sessions in one workspace have each their own files of skills", "TestC322_HermesSessionsShareNoSkills"),
			row("Commands run through the session's own rtk by a plugin that the package brings; the user's plugins stay listed, and switched off nothing is left",
				"TestC305_HermesRunsCommandsThroughRTK"),
			row("A command runs as it is when rtk hangs or is gone, and the agent says so", "TestH63_HermesRunsACommandWithoutAnAnswerOfRTK"),
			row("Of rtk the plugin takes a rewrite with the right exit code and nothing else, and waits for nothing that it leaves behind",
				"TestH66_ThePluginOfHermesTakesARewriteAndNothingElse"),
			row("With rtk, what the user's rules deny stays denied, and what is dangerous is judged as the model wrote it", "TestH65_ADenyRuleHoldsWithRTKInHermes"),
		},
	}
}
