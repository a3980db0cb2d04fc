package matrix

// openCodeRows are the promises that are shown on OpenCode only.
func openCodeRows() []Row {
	const later = "not part of this table yet"
	return []Row{
		only("opencode", "A session on a model endpoint of its own asks it and nobody else, with its key, and resumes",
			"TestC246_C256_OpenCodeOnAnEndpoint", later),
	}
}
