package matrix

// openCodeRows are the promises that are shown on OpenCode only.
func openCodeRows() []Row {
	return []Row{
		only("opencode", "On a model endpoint the client asks for titles there too, and the session says that commands see the key",
			"TestC246_C256_OpenCodeOnAnEndpoint", "the client asks for none, or a row of its own says it"),
		only("opencode", "On a model endpoint the client offers the endpoint's models alone, and none that its vendor hosts for nothing",
			"TestC246_OpenCodeOffersTheModelsOfTheEndpointOnly", "the client offers none, or the row on each endpoint's models shows it"),
		only("opencode", "A start waits for no installation, whatever plugins the user has", "TestC256_OpenCodeWaitsForNoInstallation",
			"the client installs nothing at its start"),
		only("opencode", "On such an endpoint the project's instructions and skills come along, and its configuration does not",
			"TestC256_ProjectOnAnEndpoint", "the client reads what the project has by itself, and what could lead elsewhere is in another row"),
	}
}
