// Package repo holds tests over the repository itself: which module may import which, who may write files, whose
// connections a client may use, how long files and how many doubled lines may be, and what no file may name. They read the sources and ask the go command; they
// build nothing and need no network when the modules' dependencies are there.
//
// A ceiling that is a number lies in testdata and may only be lowered.
package repo
