package layout

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

// denied are the variables that no adapter may change, in upper case; a trailing * stands for any ending. They decide
// where programs are found, which code they load, whom they trust, or who the user is to other tools.
var denied = []string{
	"HOME", "USERPROFILE", "XDG_*", "APPDATA", "LOCALAPPDATA", "TMPDIR", "DBUS_SESSION_BUS_ADDRESS", "LD_*", "DYLD_*", "BASH_ENV", "ENV", "ZDOTDIR",
	"SHELL", "IFS", "PROMPT_COMMAND", "NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "SSL_CERT_*",
	"PYTHON*", "PERL5*", "PERLLIB", "RUBY*", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "GIT_*", "GH_*", "GITHUB_TOKEN", "AWS_*", "KUBECONFIG", "SSH_*",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY",
}

// Matches says whether a name is one of a list in which a trailing * stands for any ending.
func Matches(list []string, name string) bool {
	for _, pattern := range list {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasPrefix(name, prefix) || pattern == name {
			return true
		}
	}
	return false
}

// Denied says whether no adapter and no profile may change a variable.
func Denied(name string) bool { return Matches(denied, strings.ToUpper(name)) }

func (c *checker) env(op preparer.EnvOp) error {
	subject := "variable " + op.Name
	upper := strings.ToUpper(op.Name)
	switch {
	case !envName.MatchString(op.Name):
		return refused("variable", "has a name that is none")
	case c.vars[upper]:
		return refused(subject, "is changed twice")
	case Denied(op.Name):
		return refused(subject, "is one that no adapter may change")
	case upper == "PATH" && op.Op != preparer.EnvPrepend:
		return refused(subject, "may only be put in front of")
	case upper != "PATH" && !Matches(c.d.Env, op.Name):
		return refused(subject, "was not declared by the adapter")
	}
	c.vars[upper] = true
	at := preparer.Place{Root: "environment", Path: op.Name}
	switch op.Op {
	case preparer.EnvSet, preparer.EnvPrepend:
		if op.Value == nil {
			return refused(subject, "has no value")
		}
		return c.value(at, op.Value, false)
	case preparer.EnvSetEmpty, preparer.EnvUnset:
		return nil
	case preparer.EnvAppend:
		if op.Separator == "" || len(op.Items) == 0 {
			return refused(subject, "appends nothing")
		}
		return nil
	}
	return refused(subject, "is changed in a way that this host does not know")
}

func (c *checker) launch(l preparer.Launch) error {
	at := preparer.Place{Root: "arguments"}
	for _, v := range append(append([]preparer.Value{}, l.Before...), l.After...) {
		if s, ok := v.(preparer.String); ok && strings.HasPrefix(string(s), "-") {
			flag, _, _ := strings.Cut(string(s), "=")
			if !Matches(c.d.Flags, flag) {
				return refused("argument "+flag, "was not declared by the adapter")
			}
		}
		if err := c.value(at, v, false); err != nil {
			return err
		}
		if hasSecret(v) {
			return refused("arguments", "hold a secret, which other users could read")
		}
	}
	if err := c.prose(preparer.Place{Root: "first prompt"}, l.FirstPrompt); err != nil {
		return err
	}
	for _, name := range l.Strip {
		base := strings.TrimSuffix(name, "*")
		if !envName.MatchString(base) || Denied(base) || strings.ToUpper(base) == "PATH" || !Matches(c.d.Env, base) && !Matches(c.d.Env, name) {
			return refused("variable "+name, "may not be stripped, or was not declared by the adapter")
		}
	}
	for _, a := range l.Actions {
		switch a.Kind {
		case preparer.ExtraRoots, preparer.SnapshotTree:
			if a.At.Root != preparer.RootSession || badPath(a.At.Path) != "" {
				return refused("action "+string(a.Kind), "is about no place of the session")
			}
		case preparer.VerifySkills:
		default:
			return refused("action "+string(a.Kind), "is of a kind that this host does not know")
		}
	}
	return nil
}

// body checks the parts of a file.
func (c *checker) body(at preparer.Place, body []preparer.Value, file bool) error {
	for _, v := range body {
		if err := c.value(at, v, file); err != nil {
			return err
		}
	}
	return nil
}

// prose checks a body that an agent reads as instructions: it is built of core's documents and white space only.
func (c *checker) prose(at preparer.Place, body []preparer.Value) error {
	for _, v := range body {
		switch v := v.(type) {
		case preparer.Text:
		case preparer.String:
			if strings.TrimFunc(string(v), unicode.IsSpace) != "" {
				return refused(at.String(), "holds text that is not core's")
			}
		case preparer.Concat:
			if err := c.prose(at, v); err != nil {
				return err
			}
		default:
			return refused(at.String(), fmt.Sprintf("holds a %T", v))
		}
	}
	return nil
}

// value checks a value and all in it. In a file a secret may stand only where the descriptor says so.
func (c *checker) value(at preparer.Place, v preparer.Value, file bool) error {
	switch v := v.(type) {
	case preparer.String:
		if words(string(v)) >= maxWords {
			return refused(at.String(), "holds prose that is not core's")
		}
	case preparer.Bool, preparer.Int, preparer.Float, preparer.Text:
	case preparer.List:
		return c.body(at, v, file)
	case preparer.Concat:
		return c.body(at, v, file)
	case preparer.Object:
		for _, item := range v {
			if err := c.value(at, item, file); err != nil {
				return err
			}
		}
	case preparer.PathValue:
		if v.Place.Root == preparer.RootWorkspace || v.Place.Root == preparer.RootSession {
			if bad := badPath(v.Place.Path); bad != "" {
				return refused(v.Place.String(), bad)
			}
			return nil
		}
		return c.target(at, v.Place)
	case preparer.InputPath:
		if _, ok := c.inputs[v.Input]; !ok {
			return refused(at.String(), fmt.Sprintf("uses input %q, which the adapter did not declare", v.Input))
		}
	case preparer.Secret:
		if file && !(c.d.Model.SecretFile && at.Root == preparer.RootSession) {
			return refused(at.String(), "would hold a secret in a file")
		}
		if v.Name == "" {
			return refused(at.String(), "uses a secret without a name")
		}
	case preparer.Quoted:
		return c.value(at, v.Value, file)
	default:
		return refused(at.String(), "holds a value of a kind that this host does not know")
	}
	return nil
}

func hasSecret(v preparer.Value) bool {
	switch v := v.(type) {
	case preparer.Secret:
		return true
	case preparer.Quoted:
		return hasSecret(v.Value)
	case preparer.Concat:
		for _, p := range v {
			if hasSecret(p) {
				return true
			}
		}
	}
	return false
}

// maxWords is how many words in a row make prose. Settings, code and descriptions of an option stay below it.
const maxWords = 10

// words is the longest run of words with nothing but spaces and punctuation of sentences between them.
func words(s string) int {
	longest, run, in := 0, 0, false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || r == '\'' || r == '’':
			if !in {
				run++
				in = true
			}
		case unicode.IsSpace(r) || strings.ContainsRune(".,;:!?-", r):
			in = false
		default:
			run, in = 0, false
		}
		longest = max(longest, run)
	}
	return longest
}
