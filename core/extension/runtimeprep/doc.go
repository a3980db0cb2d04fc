// Package runtimeprep is the declaration by which an extension says what a session of its agent needs: the object
// runtimePrep of the public composer profile tutti.agent.composer.v1, and the roots in which the agent looks for skills.
// It decodes the declaration strictly and holds it to the rules; package overlay makes a layout of it.
//
// A declaration is data of somebody else. A signature says who wrote it, and not that it is harmless, so the rules do not
// depend on it: they are held when a package is read and again when a session is made.
//
// Invariants:
//   - A field that is not known, stands twice or is of another type is refused, and so is a name in another letter case.
//   - Every path is possible on every system, and stays below the directory that it is relative to.
//   - Nothing may be named in which other programs find code to run or keep their credentials, and no variable that would
//     change other programs.
//   - An error names the field and the rule, and no value of a length that is not bounded.
//
// The package looks at values only: it reads no file and no environment. It is safe for concurrent use.
package runtimeprep
