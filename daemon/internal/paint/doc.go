// Package paint turns words into terminal output: colours that can be off, aligned columns, and trees. It writes to no
// terminal itself and knows nothing of sessions. A Style without colour gives the same text without escapes, so that
// what is piped and what is seen never differ in content.
package paint
