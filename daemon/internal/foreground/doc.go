// Package foreground runs one program in a person's place: on their terminal, with their signals passed through and
// its exit status kept. It knows nothing of sessions.
//
// On a terminal the program shares the process group of its caller, so that the keys of the terminal and job control
// reach both as if the program had been started by the shell; the caller then only has to outlive an interrupt.
// Without a terminal the program keeps the process group of its own that it was made with, and every signal is passed
// to the whole group.
package foreground
