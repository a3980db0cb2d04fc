package rtk

import "strings"

// Where everything lies below the directory of a session.
const (
	Dir   = "rtk"
	Bin   = Dir + "/bin" // holds the program and nothing else, and comes first on the session's PATH
	Notes = Dir + "/RTK.md"
	Data  = Dir + "/data" // what the program remembers
	Tee   = Dir + "/tee"  // whole outputs of commands, which may hold secrets
)

// File is the name of the program's file.
func File(windows bool) string {
	if windows {
		return "rtk.exe"
	}
	return "rtk"
}

// At is the absolute path of what lies at rel below the directory of a session.
func At(dir, rel string, windows bool) string {
	if windows {
		return dir + `\` + strings.ReplaceAll(rel, "/", `\`)
	}
	return dir + "/" + rel
}

// Reference is the line that leads a client which follows such lines to the notes.
func Reference(dir string, windows bool) string { return "@" + At(dir, Notes, windows) + "\n" }

// Variable is one that a session with the program sets.
type Variable struct{ Name, Value string }

// Unset are variables by which a person's environment would have the program do nothing, write outside of the session, or
// take filters from a repository that hide something of what a command prints.
var Unset = []string{"RTK_DISABLED", "RTK_HOOK_AUDIT", "RTK_TRUST_PROJECT_FILTERS"}

// Environ lists the variables of a session whose directory is dir: they keep what the program writes below the session, and
// have it tell nobody of its use. That of its settings, and of the rules of another client which it reads, has no
// variable; see docs/threat-model.md.
func Environ(dir string, windows bool) []Variable {
	return []Variable{
		{"RTK_DB_PATH", At(dir, Data+"/usage.db", windows)},
		{"RTK_RECALL_DB", At(dir, Data+"/recall.db", windows)},
		{"RTK_SUPPRESS_HOOK_WARNING", "1"},
		{"RTK_TEE_DIR", At(dir, Tee, windows)},
		{"RTK_TELEMETRY_DISABLED", "1"},
	}
}
