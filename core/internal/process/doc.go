// Package process finds a program that was started, with everything that it has started, and ends all of it.
//
// A process is told from a later one of the same number by when it was started and by which system and namespace of
// process numbers it belongs to, so that nobody else's is ever ended. What a program has started is found in three ways:
// by its process group; by who is whose parent; and, for what has left both, by a mark in the environment that everything
// inherits. Only Linux tells the last two, and only there a program is ended whose starter is gone; elsewhere a program
// is ended with its group, by whoever started it.
//
// It writes nothing: who wants to remember a program over the end of its own process keeps the [Tree].
package process
