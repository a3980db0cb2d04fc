// Package transcript brings a conversation from one session's directory into another's, so that a client can go on with
// it there.
//
// A transcript is a file of lines, each a JSON object, of which the first holds the conversation's id. What a target
// already has is never made less: a file that went on stays, one that was cut off is completed, and anything else is
// an error that leaves both as they are. No link is followed on either side.
//
// The package reads and writes below the two trees that it is given, and knows nothing of sessions, locks or clients.
package transcript
