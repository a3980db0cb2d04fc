// Package preparer is what the author of a provider adapter writes against: the Preparer interface, the Descriptor
// that says what a client is and everything the adapter will ever read, set or pass, the Request it answers and the
// Layout it answers with.
//
// An adapter decides, it does not act. It never touches a disk, a network, a clock or its environment, and it never
// sees a secret, a machine path, a session id or the text that an agent will read. Those are handles ([Text],
// [PathValue], [InputPath], [Secret]) that the host resolves, and encodes for the format they stand in, when it carries
// the layout out. Equal requests must give equal layouts: the host relies on it and remembers answers.
//
// The package holds plain values and no input or output. It does not check a layout against the host's policy (the
// host does, before it touches anything) and it does not know the wire format (package protocol does).
//
// All types are plain data: a value is safe for concurrent use as long as nobody changes it.
package preparer
