package matrix

// gatewayRows are the promises for sessions behind the gateway. They are shown by the tests in conformance/gateway.
func gatewayRows() []Row {
	const itself = "the client speaks the endpoint's protocol itself: see the rows on the shield"
	codex := func(title, test string) Row { return only("codex", title, test, itself) }
	shield := func(title, test string) Row {
		cells := map[string]Cell{"codex": {None: "the gateway translates for this client: see the rows above"}}
		for _, id := range []string{"claude", "kimi", "opencode"} {
			cells[id] = Cell{Test: test + "/" + id}
		}
		return Row{title, cells}
	}
	return []Row{
		codex("On a Chat Completions endpoint, through the gateway: a command runs, its result comes back, and no credential is seen", "TestG81_CommandRoundTrip"),
		codex("Through the gateway: a conversation goes on in a second process, and its beginning stays byte for byte", "TestG81_ResumeInASecondProcess"),
		codex("Through the gateway: parallel calls, calls whole or cumulative, think tags, and 429 with and without Retry-After", "TestG81_UpstreamsInTheirWays"),
		codex("Through the gateway: a key that is refused ends the turn, and the person is told why", "TestG81_RefusedKeyEndsTheTurn"),
		codex("Through the gateway: a full context ends the turn", "TestG81_AFullContextEndsTheTurn"),
		codex("Through the gateway: an interrupt ends the request upstream", "TestG81_AnInterruptReachesTheUpstream"),
		codex("Through the gateway: a picture reaches a model that can see", "TestG82_APictureInASession"),
		codex("Through the gateway: a picture never reaches a model of which nobody said that it can see", "TestG82_PicturesStayHere"),
		codex("Through the gateway: tools of MCP servers", "TestG83_ToolOfAnMCPServer"),
		codex("Through the gateway, without a session: the lines that are printed work in a shell with a proxy", "TestG81_WhatIsPrintedWorks"),
		codex("Through the gateway, without a session: custom tools of a model that the client knows", "TestG84_CustomPatchOfAKnownModel"),
		codex("Through the gateway, without a session: tools that travel in the input", "TestG28_ToolsThatTravelInTheInput"),
		codex("Through the gateway: a call that was cut off does not run", "TestG85_ACallThatWasCutOffDoesNotRun"),
		codex("Through the gateway: a thread is compacted by the size that the model is said to have", "TestG86_CompactionTurnHasNoTools"),
		codex("Through the gateway: no configuration of the user's or the project's leads elsewhere", "TestC260_NothingOfTheUsersLeadsElsewhere"),
		shield("In a session with a shield the endpoint gets the key; the client, its commands and every file that stays never do", "TestShieldedSession"),
		shield("In a session with a shield a key that is refused is shown to nobody, and the person is told why", "TestShieldedSession_TheKeyIsRefused"),
		shield("Through a passthrough route of a host's own: text, calls and results, with the key swapped in", "TestPassthroughOfRealClients"),
		shield("Through such a route: a failure arrives with its reason", "TestPassthroughOfRealClients_AFailure"),
		shield("Through such a route: a client that goes takes its request with it", "TestPassthroughOfRealClients_TheClientGoes"),
	}
}
