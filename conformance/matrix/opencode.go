package matrix

// openCodeRows are the promises that are shown on OpenCode only.
func openCodeRows() []Row {
	const later = "not part of this table yet"
	return []Row{
		only("opencode", "A session on a model endpoint of its own asks it and nobody else, with its key, and resumes",
			"TestC246_C256_OpenCodeOnAnEndpoint", later),
		only("opencode", "On such an endpoint, nothing that a project, the user's files or a shell holds leads a request elsewhere or the key out",
			"TestC264_H29_H33_OpenCodeTraps", later),
		only("opencode", "On such an endpoint the project's instructions and skills come along, and its configuration does not",
			"TestC256_ProjectOnAnEndpoint", later),
	}
}
