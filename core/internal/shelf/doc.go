// Package shelf is a directory of the store whose entries are known by their SHA-256: it is locked, and what nobody uses
// any more is collected. What an entry is, how one is made and how it is checked belongs to who owns the shelf; one that is a
// program is a [Program], which is taken and compared in one way wherever it stands.
//
// What holds:
//   - The name of an entry is 64 hexadecimal digits. What stands beside entries for a while has a name that begins with a
//     dot.
//   - An entry that is leased is never removed, whatever other processes lease and collect at the same time.
package shelf
