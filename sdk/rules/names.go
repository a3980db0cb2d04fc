package rules

import (
	"regexp"
	"strings"
)

var (
	// providerForm is that of an adapter, or of an extension by its key.
	providerForm = regexp.MustCompile(`^([a-z0-9][a-z0-9-]{0,63}|acp:[a-z0-9][a-z0-9._-]{0,63})$`)
	idForm       = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	inputForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	versionForm  = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
	rangeForm    = regexp.MustCompile(`^ *` + terms + `( *\|\| *` + terms + `)* *$`)
	envForm      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	patternForm  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)
	flagForm     = regexp.MustCompile(`^--?[A-Za-z0-9][A-Za-z0-9._-]*$`)
	codeForm     = regexp.MustCompile(`^[a-z0-9-]+\.[a-z0-9.-]+$`)
)

// A range of versions: alternatives, each of terms that all have to hold, or of two versions with a hyphen between.
const (
	part  = `([0-9]+|[xX*])`
	vers  = `v?` + part + `(\.` + part + `){0,2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?`
	term  = `((=|!=|<|>|<=|=<|>=|=>|~|~>|\^) *)?` + vers
	terms = `(` + vers + ` +- +` + vers + `|` + term + `(( *, *| +)` + term + `)*)`
)

// IsCode says whether a code of a diagnostic or refusal has the form provider.what.
func IsCode(code string) bool { return codeForm.MatchString(code) }

// deniedEnv lists variables that no adapter may set, since they would change every program that the agent runs. PATH
// may be prepended to.
func deniedEnv() []string {
	return []string{
		"HOME", "USERPROFILE", "XDG_*", "APPDATA", "LOCALAPPDATA", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS", "LD_*", "DYLD_*",
		"BASH_ENV", "ENV", "ZDOTDIR", "SHELL", "IFS", "PROMPT_COMMAND", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS",
		"NODE_TLS_REJECT_UNAUTHORIZED", "SSL_CERT_*", "PYTHON*", "PERL5*", "PERLLIB", "RUBY*", "JAVA_TOOL_OPTIONS",
		"_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "GIT_*", "GH_*", "GITHUB_TOKEN", "AWS_*", "KUBECONFIG", "SSH_*",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY",
	}
}

// denied is the entry of the list that a name or pattern meets, or "".
func denied(name string) string {
	for _, d := range deniedEnv() {
		if overlap(strings.ToUpper(name), d) {
			return d
		}
	}
	return ""
}

// overlap says whether some name matches both patterns.
func overlap(a, b string) bool {
	pa, wildA := strings.CutSuffix(a, "*")
	pb, wildB := strings.CutSuffix(b, "*")
	switch {
	case wildA && wildB:
		return strings.HasPrefix(pa, pb) || strings.HasPrefix(pb, pa)
	case wildA:
		return strings.HasPrefix(b, pa)
	case wildB:
		return strings.HasPrefix(a, pb)
	}
	return a == b
}

// covered says whether each name that matches the pattern is declared by one of the list.
func covered(list []string, pattern string) bool {
	stem := strings.TrimSuffix(pattern, "*")
	for _, d := range list {
		if prefix, wild := strings.CutSuffix(d, "*"); d == pattern || wild && strings.HasPrefix(stem, prefix) {
			return true
		}
	}
	return false
}

// flagOf is the flag in an argument, without its value, or "".
func flagOf(arg string) string {
	if len(arg) < 2 || arg[0] != '-' || arg == "--" {
		return ""
	}
	flag, _, _ := strings.Cut(arg, "=")
	return flag
}

// EnvName says why a variable of the given name may not be set beside those that an adapter declares, such as by a
// capability pack of the host, or "". It is the same list that adapters are held to; PATH is on it.
func EnvName(name string) string {
	switch d := denied(name); {
	case !envForm.MatchString(name):
		return "is no name of a variable"
	case d != "":
		return "may not be changed, like all of " + d
	case strings.EqualFold(name, "PATH"):
		return "may only be prepended to, by the host"
	}
	return ""
}

// Path says why a relative path may not stand in a layout, or "". One that may is clean, has slashes, is made of letters
// that no file system changes or confuses, and is possible on every system.
func Path(p string) string { return badPath(p) }

// WorkspaceFile says why no managed block may stand at a path of the workspace that [Path] allows, or "".
func WorkspaceFile(p string) string { return badWorkspace(p) }

// WorkspaceDir says why nothing may be placed below a directory of the workspace that [Path] allows, or "".
func WorkspaceDir(p string) string { return badDir(p) }
