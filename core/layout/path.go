package layout

import (
	"io/fs"
	"strings"
)

// reservedDevices are the names that Windows keeps for devices, with any ending.
var reservedDevices = map[string]bool{
	"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true,
	"com1": true, "com2": true, "com3": true, "com4": true, "com5": true, "com6": true, "com7": true, "com8": true, "com9": true,
	"lpt1": true, "lpt2": true, "lpt3": true, "lpt4": true, "lpt5": true, "lpt6": true, "lpt7": true, "lpt8": true, "lpt9": true,
}

// badPath says why a path cannot stand in a layout on any system, or "". The grammar is small on purpose: segments of
// ASCII letters, digits, ".", "_" and "-", so that no two paths can be one on some file system.
func badPath(p string) string {
	switch {
	case p == "." || p == "":
		return "is no path below its root"
	case len(p) > 400:
		return "is longer than 400 bytes"
	case !fs.ValidPath(p):
		return "is not a clean relative path"
	}
	for seg := range strings.SplitSeq(p, "/") {
		if bad := badSegment(seg); bad != "" {
			return bad
		}
	}
	return ""
}

func badSegment(s string) string {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-", r) {
			return "holds a character that is not portable"
		}
	}
	lower := strings.ToLower(s)
	stem, _, _ := strings.Cut(lower, ".")
	switch {
	case s == "" || s == "." || s == "..":
		return "is not a clean relative path"
	case strings.HasSuffix(s, "."):
		return "ends in a dot, which windows drops"
	case reservedDevices[stem]:
		return "is a device name on windows"
	case strings.HasPrefix(lower, ".greenroom-"), lower == ".lease", lower == ".manifest":
		return "is a name of greenroom's own"
	}
	return ""
}

// badWorkspace says why no block may stand at a path of the workspace: what other programs run or trust.
func badWorkspace(p string) string {
	for seg := range strings.SplitSeq(strings.ToLower(p), "/") {
		switch seg {
		case ".git", ".hg", ".svn", ".ssh", ".vscode", ".idea", ".devcontainer", ".github", ".husky", "node_modules":
			return "lies where other programs look for code to run"
		}
	}
	if dir, name, ok := strings.Cut(p, "/"); ok && strings.HasPrefix(dir, ".") && strings.HasPrefix(name, "hooks") {
		return "lies where other programs look for code to run"
	}
	if !strings.HasSuffix(strings.ToLower(p), ".md") {
		return "is no markdown file"
	}
	return ""
}
