// Package launchtest is a fake agent that does what it is told, for tests of hosts that drive clients.
//
// The agent is the test's own binary, started again: [Main] at the beginning of TestMain takes over in the process that
// is the agent, and [Install] makes an executable that starts it. What it does in a turn stands in the prompt, in the
// first block that is no notice about connectors, one instruction a line; what it does wrong from the start stands among
// its arguments.
//
//	say TEXT             a piece of the answer
//	think TEXT           a piece of reasoning
//	tool ID KIND TITLE   a tool begins
//	done ID OUTPUT       and ends
//	ask ID KIND TITLE    asks for permission, and says how it was answered
//	question TEXT        asks for a colour, red or blue, and says how it was answered
//	request METHOD       asks by any method of the protocol, or by none, and says how it was answered
//	show                 says what the prompt was, as JSON
//	option NAME          says what the host has set
//	pid                  says the number of its process
//	env NAME             says the value of a variable of its environment
//	flood BYTES          says so many bytes in one message
//	repeat N TEXT        says something N times
//	stamp N DURATION     says what time it is, in nanoseconds, N times with a pause before each
//	noise TEXT           prints a line that is no message
//	rant BYTES           prints so many bytes on its error stream
//	drip TEXT            prints a line on its error stream, a byte at a time
//	child PATH           starts a process that lives on, and writes its number to the file
//	orphan PATH          the same for one that leaves group and parent, as servers do that are put into the background
//	sleep DURATION       waits, and is woken by a cancellation
//	die                  ends at once, with words on its error stream
//	fail CODE TEXT       answers the prompt with an error
//	stop REASON          ends the turn for a reason of the protocol
//
// The arguments are --hang METHOD, --refuse METHOD (with an error), --garble METHOD (with an answer of another shape),
// --version-number N of the protocol, --ignore-cancel, --ignore-eof, --ignore-term, --forget (no conversation can be
// loaded), --no-resume, --replay (a conversation is told again when it is loaded) and --drift WHAT: an agent that goes on
// with a conversation has another mode of permissions than before ("option"), which cannot be set back ("stuck"), stays
// all the same ("deaf") or is only said ("lies", over the Agent Client Protocol), and another tool ("tools") or other servers of MCP ("servers") where its protocol tells of them.
//
// [Appserver] plays a client of the Codex app-server protocol in the test's own process, one that can be told to refuse, not
// to know, to hang and to end.
//
// The agent speaks the Agent Client Protocol, that of Codex's app-server, or stream-json, as its adapter says. It is no agent: nothing that it is
// told leaves it.
package launchtest
