// Package process finds a program that was started, with everything that it has started, and ends all of it.
//
// A process is told from a later one of the same number by when it was started and by which system and namespace of
// process numbers it belongs to, so that nobody else's is ever ended. What a program has started is found by its process
// group, by who is whose parent, and, for what has left both, by a mark: on Linux and macOS a variable in the environment
// that everything inherits, on Windows a job of that name, which the system itself ends when its starter is gone. macOS
// shows no environment of the programs that come with it. Windows has no way to ask a program to end, so it is only waited
// for. On other systems a program is ended with its group, by whoever started it, and by nobody else.
//
// What follows from what a system tells is written once, and shown with a table of processes that tests make up; the tables
// of macOS and Windows are built, and have not been run.
//
// It writes nothing: who wants to remember a program over the end of its own process keeps the [Tree].
package process
