package matrix

// openCodeRows are the promises that are shown on OpenCode only.
func openCodeRows() []Row {
	return []Row{
		only("opencode", "On a model endpoint the client asks for titles there too, and the session says that commands see the key",
			"TestC246_C256_OpenCodeOnAnEndpoint", "the client asks for none, or a row of its own says it"),
		only("opencode", "On such an endpoint the project's instructions and skills come along, and its configuration does not",
			"TestC256_ProjectOnAnEndpoint", "the client reads what the project has by itself, and what could lead elsewhere is in another row"),
	}
}
