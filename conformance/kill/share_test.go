//go:build unix

package kill

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
)

// envoyProvider is the agent of an extension that shares the directory bin of the user's home among all its sessions. An
// older package of it did not, so that sessions of that one have a directory of their own.
const envoyProvider = "acp:envoy"

func envoy(shared bool) (*overlay.Overlay, error) {
	home := &runtimeprep.Home{EnvVar: "ENVOY_HOME", DirName: "envoy", SourceDefaultRel: ".envoy", CopyFiles: []string{"config.yaml"}}
	if shared {
		home.SharedDirs = []string{"bin"}
	}
	return overlay.New(overlay.Agent{Key: "envoy", Version: "1.0.0", Digest: fmt.Sprint("d", shared), Executables: []string{"envoy"}, Prep: &runtimeprep.Declaration{Home: home}})
}

// extended is a session of it. Its operations are "prepare", and "unshared" by the older package.
func (s stage) extended(id string, shared bool) (core.Session, error) {
	o, err := envoy(shared)
	ses := s.session(id)
	ses.Provider, ses.ExtensionRuntimePrep = envoyProvider, o
	return ses, err
}

// What lies in the directories. A program is long, so that half of one would be seen.
var (
	ofTheUser   = strings.Repeat("user\n", 4000)
	ofTheOld    = strings.Repeat("old\n", 4000)
	ofTheOne    = strings.Repeat("one\n", 4000)
	sharedFiles = []string{"tool", "deep/data", "deep/er/more"}
)

// fill writes files below a directory, with a mode each.
func fill(dir, text string, names ...string) error {
	for _, name := range names {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o700), os.WriteFile(p, []byte(text), 0o700)); err != nil {
			return err
		}
	}
	return nil
}

// below is what lies in a directory, by name: the text of files.
func below(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		data, err := os.ReadFile(p)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// shareCase is what stands there before a session is prepared that shares, and what has to stand there then.
type shareCase struct {
	name string
	user []string // in the user's directory
	old  bool     // another session, of the older package, has a directory
	own  bool     // the session itself has one
	want map[string]string
}

func everything(text string) map[string]string {
	all := map[string]string{}
	for _, name := range sharedFiles {
		all[name] = text
	}
	return all
}

var shareCases = []shareCase{
	{name: "made", want: map[string]string{}},
	{name: "seeded", old: true, want: everything(ofTheOld)},
	{name: "adopted", own: true, want: everything(ofTheOne)},
	{name: "adopted beside the user's", own: true, user: []string{"tool", "mine"},
		want: map[string]string{"tool": ofTheUser, "mine": ofTheUser, "deep/data": ofTheOne, "deep/er/more": ofTheOne}},
	{name: "seeded and adopted", own: true, old: true, want: everything(ofTheOld)},
}

// build makes the stage of a case.
func (c shareCase) build(t testing.TB) stage {
	t.Helper()
	s := stage{Dir: t.TempDir(), Provider: "blocks"}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.furnish())
	must(s.write("home/.envoy/config.yaml", "model: a\n"))
	must(fill(s.path("home/.envoy/bin"), ofTheUser, c.user...))
	h, err := s.host(t.Context(), nil)
	must(err)
	defer h.Close()
	for id, text := range map[string]string{"old": ofTheOld, "one": ofTheOne} {
		if id == "old" && !c.old || id == "one" && !c.own {
			continue
		}
		ses, err := s.extended(id, false)
		must(err)
		p, err := h.Prepare(t.Context(), ses)
		must(err)
		must(fill(filepath.Join(p.Dir, "envoy/bin"), text, sharedFiles...))
	}
	s.Provider = envoyProvider
	return s
}

// whole checks what must hold at any moment: nothing of the user's is changed, no name in the shared directory has half a
// file, and what the session itself had lies in one of the two directories.
func (s stage) whole(t testing.TB, c shareCase, what string) {
	t.Helper()
	shared := below(t, s.path("home/.envoy/bin"))
	for _, name := range c.user {
		if shared[name] != ofTheUser {
			t.Errorf("%s: the user's %s is changed", what, name)
		}
	}
	for name, text := range shared {
		if strings.Contains(name, ".greenroom-") {
			continue // on its way
		}
		if text != ofTheUser && text != ofTheOld && text != ofTheOne {
			t.Errorf("%s: %s is half a file of %d bytes", what, name, len(text))
		}
	}
	if !c.own {
		return
	}
	dirs, err := filepath.Glob(s.path("state/s/one-*/envoy/bin"))
	if err != nil || len(dirs) > 1 {
		t.Fatalf("%v, %v", dirs, err)
	}
	own := map[string]string{}
	if len(dirs) == 1 {
		own = below(t, dirs[0])
	}
	for _, name := range sharedFiles {
		if own[name] != ofTheOne && shared[name] == "" {
			t.Errorf("%s: the session's %s is nowhere any more", what, name)
		}
	}
}

// after checks what a complete preparation leads to.
func (s stage) after(t testing.TB, c shareCase, what string) {
	t.Helper()
	if diff := cmp.Diff(c.want, below(t, s.path("home/.envoy/bin"))); diff != "" {
		t.Errorf("%s: the shared directory (-want +got):\n%.2000s", what, diff)
	}
	dirs, err := filepath.Glob(s.path("state/s/one-*/envoy/bin"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%s: %v, %v", what, dirs, err)
	}
	if to, err := os.Readlink(dirs[0]); err != nil || to != s.path("home/.envoy/bin") {
		t.Errorf("%s: the session's directory leads to %q: %v", what, to, err)
	}
}

// W-14: a host is killed at each call of a preparation that makes, fills or takes over a directory of the user's.
func TestC332_C333_KillAtEveryChangeOfASharedDirectory(t *testing.T) {
	t.Parallel()
	for i, c := range shareCases {
		first, stride := int64(1), int64(1)
		if testing.Short() {
			first, stride = int64(1+i%5), 5
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, want := run(t, order{Stage: c.build(t), Ops: []string{"prepare"}})
			kills := int64(0)
			for n := first; ; n += stride {
				s := c.build(t)
				old := below(t, s.path("state/s")) // of the other session
				lived, _ := run(t, order{Stage: s, Ops: []string{"prepare"}, At: n})
				what := fmt.Sprintf("killed at %d", n)
				s.whole(t, c, what)
				for i, ops := range then {
					if testing.Short() && int(n/stride)%len(then) != i {
						continue
					}
					s.again(t).shareOn(t, c, old, fmt.Sprintf("%s then %v", what, ops), ops)
				}
				os.RemoveAll(s.Dir)
				if lived {
					break
				}
				kills = n
			}
			if kills != want && stride == 1 {
				t.Errorf("killed at %d calls, and an undisturbed run makes %d", kills, want)
			}
			t.Logf("%d kills", kills)
		})
	}
}

// shareOn is what the next host does.
func (s stage) shareOn(t testing.TB, c shareCase, old map[string]string, what string, ops []string) {
	t.Helper()
	h, err := s.host(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	cleaned := false
	for _, op := range ops {
		if err := s.act(t.Context(), h, op); err != nil {
			t.Errorf("%s: %s: %v", what, op, err)
			return
		}
		switch op {
		case "prepare":
			s.after(t, c, what)
		case "recover":
			s.whole(t, c, what+", "+op)
		case "cleanup":
			cleaned = true
		}
	}
	if ops[0] == "cleanup" {
		// What was on its way into the directory goes when the next session comes.
		if err := s.act(t.Context(), h, "second"); err != nil {
			t.Errorf("%s: the next session: %v", what, err)
		}
		for name := range below(t, s.path("home/.envoy/bin")) {
			if strings.Contains(name, ".greenroom-") {
				t.Errorf("%s: left in the shared directory: %s", what, name)
			}
		}
		s.whole(t, shareCase{user: c.user}, what)
	}
	// What is shared stays when sessions go, and so does what other sessions have.
	if ops[0] != "cleanup" {
		if diff := cmp.Diff(c.want, below(t, s.path("home/.envoy/bin"))); diff != "" {
			t.Errorf("%s: at the end the shared directory (-want +got):\n%.2000s", what, diff)
		}
	}
	now := below(t, s.path("state/s"))
	for name, text := range old {
		if strings.HasPrefix(name, "old-") && now[name] != text {
			t.Errorf("%s: %s of the other session is changed", what, name)
		}
	}
	for _, name := range s.left(t) {
		if cleaned && strings.Contains(name, "/one-") {
			t.Errorf("%s: left after clean-up: %s", what, name)
		}
	}
}

// Two sessions of two processes are prepared at once, and one of the processes is killed at each of its calls. The other
// goes on, and finds the directory whole.
func TestC332_TwoProcessesShareWhileOneIsKilled(t *testing.T) {
	t.Parallel()
	c := shareCases[1] // seeded
	stride := int64(1)
	if testing.Short() {
		stride = 6
	}
	for n := int64(1); ; n += stride {
		s := c.build(t)
		var lived bool
		var both sync.WaitGroup
		both.Go(func() { lived, _ = start(t, order{Stage: s, Ops: []string{"prepare"}, At: n}) })
		both.Go(func() {
			if lived, _ := start(t, order{Stage: s, Ops: []string{"second"}}); !lived {
				t.Error("the process that nobody killed did not live")
			}
		})
		both.Wait()
		what := fmt.Sprintf("one killed at %d", n)
		if diff := cmp.Diff(c.want, below(t, s.path("home/.envoy/bin"))); diff != "" {
			t.Errorf("%s: the other has prepared, and the shared directory is (-want +got):\n%.2000s", what, diff)
		}
		s.shareOn(t, c, nil, what, []string{"recover", "prepare", "cleanup"})
		os.RemoveAll(s.Dir)
		if lived {
			return
		}
	}
}

// start is run for use beside another one: it fails the test without ending it.
func start(t testing.TB, o order) (lived, killed bool) {
	spec, err := json.Marshal(o)
	if err != nil {
		t.Error(err)
		return false, false
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+string(spec))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return true, false
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if killed = ok && status.Signaled() && status.Signal() == syscall.SIGKILL; !killed {
		t.Errorf("child: %v\n%s", err, out)
	}
	return false, killed
}
