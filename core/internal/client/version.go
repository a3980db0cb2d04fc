package client

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// askTimeout bounds one question for a version.
const askTimeout = 15 * time.Second

var versionText = regexp.MustCompile(`\bv?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\b`)

// Versions remembers the versions of executables for as long as the files stay the same. It is safe for concurrent
// use.
type Versions struct {
	mu     sync.Mutex
	known  map[string]*asked
	ranges map[[2]string]bool // of version and range: what Supported said
}

type asked struct {
	once    sync.Once
	info    os.FileInfo
	version string
}

// Of is the version that an executable tells in an environment, "" when it tells none in time. It is asked again when the file is
// another one than before.
func (v *Versions) Of(ctx context.Context, exe string, args []string, env func() []string) string {
	info, err := os.Stat(exe)
	if err != nil {
		return ""
	}
	v.mu.Lock()
	if v.known == nil {
		v.known = map[string]*asked{}
	}
	a := v.known[exe]
	if a == nil || !os.SameFile(a.info, info) || a.info.Size() != info.Size() || !a.info.ModTime().Equal(info.ModTime()) {
		a = &asked{info: info}
		v.known[exe] = a
	}
	v.mu.Unlock()
	a.once.Do(func() { a.version = ask(ctx, exe, args, env()) })
	if a.version == "" {
		v.mu.Lock()
		if v.known[exe] == a {
			delete(v.known, exe) // perhaps the time was too short
		}
		v.mu.Unlock()
	}
	return a.version
}

// Away is an environment in which a client finds none of the user's homes, so that asking it for its version changes
// nothing there. nowhere is a path at which nothing exists.
func Away(env []string, homes []preparer.Home, nowhere string) []string {
	hidden := map[string]bool{"HOME": true, "USERPROFILE": true}
	for _, h := range homes {
		hidden[h.Env] = true
	}
	out := make([]string, 0, len(env)+len(hidden))
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); !hidden[name] {
			out = append(out, kv)
		}
	}
	for name := range hidden {
		if name != "" {
			out = append(out, name+"="+nowhere)
		}
	}
	return out
}

// maxAnswer bounds what is read of a client's answer.
const maxAnswer = 64 << 10

// answer is the beginning of what a client prints. When it is full, the client finds the pipe closed.
type answer []byte

func (a *answer) Write(p []byte) (int, error) {
	n := min(len(p), maxAnswer-len(*a))
	*a = append(*a, p[:n]...)
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

func ask(ctx context.Context, exe string, args, env []string) string {
	if len(args) == 0 {
		args = []string{"--version"}
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	exe, err := filepath.Abs(exe)
	if err != nil {
		return ""
	}
	var out answer
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = env
	// Clients read settings from where they are started. Whoever can put a file here can exchange the client too, which
	// does not hold for a temporary directory or that of a session.
	cmd.Dir = filepath.Dir(exe)
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second
	OwnGroup(cmd)
	_ = cmd.Run() // some tell their version and fail
	m := versionText.FindSubmatch(out)
	if m == nil {
		return ""
	}
	return string(m[1])
}

// maxRanges bounds how many versions and ranges are remembered.
const maxRanges = 256

// Supported is the function of this name, which remembers its answers.
func (v *Versions) Supported(version, want string) (bool, error) {
	key := [2]string{version, want}
	v.mu.Lock()
	ok, known := v.ranges[key]
	v.mu.Unlock()
	if known {
		return ok, nil
	}
	ok, err := Supported(version, want)
	if err != nil {
		return false, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ranges == nil || len(v.ranges) >= maxRanges {
		v.ranges = map[[2]string]bool{}
	}
	v.ranges[key] = ok
	return ok, nil
}

// Supported says whether a version lies in a range. An empty range takes every version.
func Supported(version, want string) (bool, error) {
	if want == "" || version == "" {
		return true, nil
	}
	c, err := semver.NewConstraint(want)
	if err != nil {
		return false, err
	}
	v, err := semver.NewVersion(version)
	if err != nil {
		return false, nil
	}
	return c.Check(v), nil
}
