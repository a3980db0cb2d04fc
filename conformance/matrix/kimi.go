package matrix

// kimiRows are the promises that are shown on Kimi Code only.
func kimiRows() []Row {
	return []Row{
		only("kimi", "A session on a model endpoint asks it for any of its models, and not the provider of the user's own settings",
			"TestC256_C260_C264_KimiOnAnEndpoint", "the rows on what leads a client away show it"),
		only("kimi", "An endpoint that speaks Responses is asked so, with nothing between", "TestC263_KimiOnAResponsesEndpoint",
			"the client speaks one protocol, or another row shows it"),
		only("kimi", "A login that a session refreshes is refreshed for the user and for every other session at once",
			"TestH01_KimiRefreshesOneLogin", "the login is one file behind a link, which the engine's own tests show"),
		only("kimi", "A host can give a session another login than the user's, or none", "TestC249_C251_KimiOnALoginOfTheHost",
			"shown where the engine is tested, for every client that links its login"),
		only("kimi", "Plugins of the user's come along with all that they bring, by name too, or stay out", "TestC255_KimiPluginsComeAlong",
			"another row shows it for each kind"),
		only("kimi", "With rtk, its part of the instructions stands in the system prompt, beside what plugins of the user's say there",
			"TestC255_C306_KimiIsToldOfRTKWherePluginsSpeak", "another row shows it for each client"),
		only("kimi", "Without a login shell's marks, commands still find the host's directory first on PATH",
			"TestC008_KimiInADaemon", "commands read no file of the user's there"),
	}
}
