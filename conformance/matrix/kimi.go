package matrix

// kimiRows are the promises that are shown on Kimi Code only.
func kimiRows() []Row {
	const later = "not part of this table yet"
	return []Row{
		only("kimi", "A session on a model endpoint asks it for any of its models, with its key, and nobody else",
			"TestC256_C260_C264_KimiOnAnEndpoint", later),
		only("kimi", "An endpoint that speaks Responses is asked so, with nothing between", "TestC263_KimiOnAResponsesEndpoint",
			"the client speaks one protocol, or another row shows it"),
		only("kimi", "Neither settings, a project nor a shell leads a session away from its endpoint, or its key elsewhere",
			"TestH26_H33_H40_H42_KimiStaysOnItsEndpoint", later),
		only("kimi", "A login that a session refreshes is refreshed for the user and for every other session at once",
			"TestH01_KimiRefreshesOneLogin", later),
		only("kimi", "A host can give a session another login than the user's, or none", "TestC249_C251_KimiOnALoginOfTheHost",
			"shown where the engine is tested, for every client that links its login"),
		only("kimi", "Plugins of the user's come along with all that they bring, by name too, or stay out", "TestC255_KimiPluginsComeAlong",
			"another row shows it for each kind"),
		only("kimi", "Without a login shell's marks, commands still find the host's directory first on PATH",
			"TestC008_KimiInADaemon", "commands read no file of the user's there"),
	}
}
