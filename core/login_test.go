package core

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// login is a version of the login, later ones with a higher n. It holds what no program of ours knows.
func login(n int) string {
	return fmt.Sprintf("{ \"token\":\"R%d\",\"last_refresh\" : \"2026-01-01T00:00:0%dZ\",\r\n\"future\":{\"n\":1e400,\"keep\":[\"me\"]}}\n", n, n)
}

// plainLogin gives prop a login that does not tell its age.
func plainLogin(at preparer.Place) prop {
	return prop{
		provider: "prop",
		describe: func(d *preparer.Descriptor) {
			d.Inputs = append(d.Inputs, preparer.Input{Name: "token", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("prop", "token")}, Secret: true})
		},
		extra: func(_ preparer.Request, l *preparer.Layout) { l.Login(preparer.Login{At: at, Input: "token"}) },
	}
}

// renamed puts a new version in the place of a file as most clients do.
func (s *stage) renamed(path, text string) {
	s.t.Helper()
	if err := errors.Join(os.WriteFile(path+".tmp", []byte(text), 0o600), os.Rename(path+".tmp", path)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) hold(id string) *Lease {
	s.t.Helper()
	l, err := s.host.Hold(s.t.Context(), s.session(id).Ref())
	if err != nil {
		s.t.Fatalf("hold: %v", err)
	}
	return l
}

func (s *stage) release(l *Lease) *Report {
	s.t.Helper()
	r, err := l.Release(s.t.Context())
	if err != nil {
		s.t.Fatalf("release: %v", err)
	}
	return r
}

func TestH01_OneLoginForAllSessions(t *testing.T) {
	t.Parallel()
	for way, change := range map[string]func(s *stage, path, text string){
		"in place": func(s *stage, path, text string) { s.overwrite(path, text) },
		"renamed":  func(s *stage, path, text string) { s.renamed(path, text) },
	} {
		for next, launch := range map[string]func(s *stage){
			"hold":           func(s *stage) { s.release(s.hold("two")) },
			"prepare":        func(s *stage) { s.prepare(s.session("two")) },
			"prepare a new":  func(s *stage) { s.prepare(s.session("three")) },
			"the end of one": func(*stage) {},
		} {
			t.Run(way+", then "+next, func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				file := s.path("home/.prop/auth.json")
				s.overwrite(file, login(1))
				if err := os.Chmod(file, 0o640); err != nil {
					t.Fatal(err)
				}
				one := s.prepare(s.session("one"))
				two := s.prepare(s.session("two"))
				lease := s.hold("one")
				for n := 2; n < 5; n++ {
					change(s, filepath.Join(one.Dir, "prop/auth.json"), login(n))
					if launch(s); next == "the end of one" {
						s.release(lease)
						lease = s.hold("one")
					}
					for what, path := range map[string]string{"user": file, "one": filepath.Join(one.Dir, "prop/auth.json"), "two": filepath.Join(two.Dir, "prop/auth.json")} {
						if got := s.read(path); got != login(n) {
							t.Errorf("version %d: %s has %q", n, what, got)
						}
					}
				}
				if fi, err := os.Lstat(file); err != nil || fi.Mode() != 0o640 {
					t.Errorf("the user's file has mode %v, %v", fi.Mode(), err)
				}
				s.release(lease)
				for _, id := range []string{"one", "two", "three"} {
					s.cleanup(s.session(id))
				}
				if got := s.read(file); got != login(4) {
					t.Errorf("in the end the user has %q", got)
				}
				if left := s.left(); len(left) != 0 {
					t.Errorf("left: %v", left)
				}
				if names, _ := filepath.Glob(s.path("home/.prop/*")); len(names) != 7 {
					t.Errorf("the user's home holds %v", names)
				}
			})
		}
	}
}

func TestH01_OlderNeverReplacesNewer(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	file := s.path("home/.prop/auth.json")
	s.overwrite(file, login(1))
	one := s.prepare(s.session("one"))
	lease := s.hold("one")
	s.renamed(filepath.Join(one.Dir, "prop/auth.json"), login(2))
	s.renamed(file, login(5)) // the user's own client was faster
	s.release(lease)
	if got := s.read(file); got != login(5) {
		t.Errorf("the user has %q", got)
	}
	if got := s.read(filepath.Join(one.Dir, "prop/auth.json")); got != login(5) {
		t.Errorf("the session has %q", got)
	}
}

func TestC275_H01_LoginWithoutAnAge(t *testing.T) {
	t.Parallel()
	at := preparer.Session("prop/token")
	s := newStage(t, plainLogin(at))
	s.write("home/.prop/token", "R1")
	file := s.path("home/.prop/token")
	one := s.prepare(s.session("one"))
	mine := filepath.Join(one.Dir, "prop/token")
	lease := s.hold("one")
	for n := 2; n < 5; n++ {
		text := fmt.Sprint("R", n)
		s.renamed(mine, text)
		s.prepare(s.session("two")) // settles the one that runs, each time
		if got := s.read(file); got != text {
			t.Errorf("the user has %q, want %q", got, text)
		}
	}
	s.release(lease)
	s.renamed(mine, "mine")
	s.renamed(file, "theirs")

	_, err := s.host.Prepare(t.Context(), s.session("one"))
	if !errors.Is(err, ErrLoginConflict) {
		t.Errorf("prepare: %v, want %v", err, ErrLoginConflict)
	}
	checkError(t, s, "prepare", err)
	r, err := s.host.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{})
	if !errors.Is(err, ErrLoginConflict) || len(r.Kept) != 1 {
		t.Errorf("clean-up: %+v, %v, want %v", r, err, ErrLoginConflict)
	}
	if a, b := s.read(mine), s.read(file); a != "mine" || b != "theirs" {
		t.Errorf("the two versions are %q and %q", a, b)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	s.cleanup(s.session("one"))
	s.cleanup(s.session("two"))
	if got := s.read(file); got != "theirs" {
		t.Errorf("in the end the user has %q", got)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestC273_BrokenLoginIsNeverBroughtBack(t *testing.T) {
	t.Parallel()
	for way, linker := range map[string]fsroot.Linker{"a link": nil, "a copy": windows{}} {
		for name, text := range map[string]string{"cut": login(2)[:20], "empty": "", "no json": "token=R2"} {
			t.Run(name+" in the place of "+way, func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				s.host = s.open(func(c *Config) { c.linker = linker }, prop{provider: "prop"})
				file := s.path("home/.prop/auth.json")
				s.overwrite(file, login(1))
				p := s.prepare(s.session("one"))
				mine := filepath.Join(p.Dir, "prop/auth.json")
				if fi, err := os.Lstat(mine); err != nil || fi.Mode().IsRegular() != (linker != nil) {
					t.Fatalf("the login is not there as %s: %v, %v", way, fi, err)
				}
				lease := s.hold("one")
				s.renamed(mine, text)
				if r := s.release(lease); len(r.Kept) != 1 {
					t.Errorf("kept %v, want the login", r.Kept)
				}
				if got := s.read(file); got != login(1) {
					t.Errorf("the user has %q", got)
				}
			})
		}
	}
}

func TestH02_PlainFileInThePlaceOfTheLogin(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	file := s.path("home/.prop/auth.json")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	p := s.prepare(s.session("one"))
	mine := filepath.Join(p.Dir, "prop/auth.json")
	if _, err := os.Lstat(mine); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a login that is not there is exposed: %v", err)
	}
	s.overwrite(mine, login(1)) // logged in inside of the session
	s.prepare(s.session("one"))
	if got := s.read(mine); got != login(1) {
		t.Errorf("the client's own login is %q", got)
	}
	s.overwrite(file, login(2))
	again := s.prepare(s.session("one"))
	if got := s.read(mine); got != login(2) {
		t.Errorf("session sees %q, want the user's", got)
	}
	if got := s.read(mine + ".displaced"); got != login(1) {
		t.Errorf("what the client had is %q", got)
	}
	found := false
	for _, d := range again.Diagnostics {
		found = found || d.Code == "displaced"
	}
	if !found {
		t.Error("nothing says so")
	}
	s.cleanup(s.session("one"))
	if got := s.read(file); got != login(2) {
		t.Errorf("the user has %q", got)
	}
}

func TestC210_LoginBehindALinkOfTheUsers(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	file := s.path("home/.prop/auth.json")
	s.write("dotfiles/auth.json", login(1))
	if err := errors.Join(os.Remove(file), os.Symlink(s.path("dotfiles/auth.json"), file)); err != nil {
		t.Fatal(err)
	}
	p := s.prepare(s.session("one"))
	lease := s.hold("one")
	s.renamed(filepath.Join(p.Dir, "prop/auth.json"), login(2))
	s.release(lease)
	if got := s.read(s.path("dotfiles/auth.json")); got != login(2) {
		t.Errorf("the file behind the link is %q", got)
	}
	if target, err := os.Readlink(file); err != nil || target != s.path("dotfiles/auth.json") {
		t.Errorf("the user's link leads to %q, %v", target, err)
	}
}

func TestH01_OddThingsInThePlaceOfALoginAreKept(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(s *stage, file string) error{
		"a directory": func(_ *stage, file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o700)) },
		"a link": func(s *stage, file string) error {
			return errors.Join(os.Rename(file, s.path("elsewhere")), os.Symlink(s.path("elsewhere"), file))
		},
		"huge": func(_ *stage, file string) error {
			return os.WriteFile(file, []byte(strings.Repeat(" ", 2<<20)), 0o600)
		},
		"nothing any more": func(s *stage, _ string) error { return os.RemoveAll(s.path("home/.prop")) },
		"a file for a home": func(s *stage, _ string) error {
			return errors.Join(os.RemoveAll(s.path("home/.prop")), os.WriteFile(s.path("home/.prop"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			file := s.path("home/.prop/auth.json")
			p := s.prepare(s.session("one"))
			s.renamed(filepath.Join(p.Dir, "prop/auth.json"), login(2))
			if err := spoil(s, file); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, s.home, false)
			r, err := s.host.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{})
			if !errors.Is(err, ErrLoginConflict) || r == nil || len(r.Kept) != 1 {
				t.Errorf("clean-up: %+v, %v, want %v", r, err, ErrLoginConflict)
			}
			checkError(t, s, "clean-up", err)
			if got := s.read(filepath.Join(p.Dir, "prop/auth.json")); got != login(2) {
				t.Errorf("the session's login is %q", got)
			}
			if diff := cmp.Diff(before, snapshot(t, s.home, false)); diff != "" {
				t.Errorf("the user's home changed:\n%s", diff)
			}
		})
	}
}

func TestH01_HostThatWasKilledLeavesTheLoginToOthers(t *testing.T) {
	t.Parallel()
	if dir, ok := childDir(); ok {
		s := stageAt(t, dir)
		s.hold("one") // and the process ends without a word
		return
	}
	s := newStage(t)
	file := s.path("home/.prop/auth.json")
	s.overwrite(file, login(1))
	p := s.prepare(s.session("one"))
	s.child()
	s.renamed(filepath.Join(p.Dir, "prop/auth.json"), login(2))
	s.prepare(s.session("two"))
	if got := s.read(file); got != login(2) {
		t.Errorf("a new session does not get the newer login: %q", got)
	}
	s.renamed(filepath.Join(p.Dir, "prop/auth.json"), login(3))
	if _, err := s.host.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.read(file); got != login(3) {
		t.Errorf("after recovery the user has %q", got)
	}
	s.cleanup(s.session("one"))
	s.cleanup(s.session("two"))
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A session settles the login of another one that runs, while the host of that one waits to do the same.
func TestH01_LoginThatIsSettledTwiceAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session("one"))
	lease := s.hold("one")
	mine, file := filepath.Join(p.Dir, "prop/auth.json"), s.path("home/.prop/auth.json")
	s.renamed(mine, login(2))
	dir, err := fsroot.Open(filepath.Dir(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	lock, err := dir.Lock(t.Context(), fsroot.Exclusive, true)
	if err != nil {
		t.Fatal(err)
	}
	type released struct {
		r   *Report
		err error
	}
	done := make(chan released, 1)
	go func() {
		r, err := lease.Release(context.WithoutCancel(t.Context()))
		done <- released{r, err}
	}()
	time.Sleep(100 * time.Millisecond) // it waits for the lock by now, or has this to do all the same
	s.renamed(file, login(2))
	if err := errors.Join(os.Remove(mine), os.Symlink(file, mine), lock.Unlock()); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.err != nil || len(got.r.Kept) > 0 {
		t.Errorf("release: %+v, %v", got.r, got.err)
	}
}

// What a host that was killed has noted of a run says nothing of the next one.
func TestH01_NotesOfAnEarlierRunDoNotCount(t *testing.T) {
	t.Parallel()
	at := preparer.Session("prop/token")
	s := newStage(t, plainLogin(at))
	s.write("home/.prop/token", "R1")
	file := s.path("home/.prop/token")
	p := s.prepare(s.session("one"))
	mine := filepath.Join(p.Dir, "prop/token")
	lease := s.hold("one")
	s.renamed(mine, "R2")
	s.prepare(s.session("two")) // settles it, which is noted
	notes := filepath.Join(s.state, "h")
	saved := filepath.Join(s.dir, "notes")
	if err := os.CopyFS(saved, os.DirFS(notes)); err != nil {
		t.Fatal(err)
	}
	s.release(lease)
	if err := os.CopyFS(notes, os.DirFS(saved)); err != nil { // as if the host had not come to its release
		t.Fatal(err)
	}

	s.renamed(file, "R3")
	s.prepare(s.session("one"))
	lease = s.hold("one")
	s.renamed(mine, "R4")
	if r := s.release(lease); len(r.Kept) > 0 {
		t.Errorf("kept %v", r.Kept)
	}
	if got := s.read(file); got != "R4" {
		t.Errorf("the user has %q", got)
	}
}

func TestH01_DamagedRecordOfARunLosesNoLogin(t *testing.T) {
	t.Parallel()
	if dir, ok := childDir(); ok {
		stageAt(t, dir).hold("one") // and the power fails
		return
	}
	for _, force := range []bool{false, true} {
		s := newStage(t)
		p := s.prepare(s.session("one"))
		s.child()
		s.renamed(filepath.Join(p.Dir, "prop/auth.json"), login(2))
		s.overwrite(s.record(), "")
		if _, err := s.host.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, err := s.host.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{UnsafeForce: force})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if !force {
			want = []string{"s/" + nameOf(s, "one") + ".lost"}
			if len(r.Kept) != 1 || r.Kept[0].Place != want[0] {
				t.Errorf("kept %v, want %v", r.Kept, want)
			}
			if got := s.read(filepath.Join(s.state, want[0], "prop/auth.json")); got != login(2) {
				t.Errorf("the newer login is %q", got)
			}
		}
		if diff := cmp.Diff(want, s.left()); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
		s.prepare(s.session("one"))
		s.cleanup(s.session("one"))
	}
}

// A preparation that fails after the login was placed takes it back, as a link and as a copy, and says why it failed.
func TestC230_AFailureAfterTheLoginTakesItBack(t *testing.T) {
	t.Parallel()
	for name, linker := range map[string]fsroot.Linker{"a link": nil, "a copy": windows{}} {
		s := newStage(t)
		home := snapshot(t, s.home, false)
		placed := false
		h := s.open(func(c *Config) {
			c.linker = linker
			c.BeforeChange = func(_ int64, _, path string) error {
				placed = placed || strings.HasSuffix(path, "prop/auth.json")
				return nil
			}
		}, failing())
		if _, err := h.Prepare(t.Context(), s.session("one")); CodeOf(err) == "" || !strings.Contains(err.Error(), "nothing") {
			t.Errorf("%s: got %v", name, err)
		}
		if left := s.left(); !placed || len(left) > 0 {
			t.Errorf("%s was placed: %v, and this is left: %q", name, placed, left)
		}
		if diff := cmp.Diff(home, snapshot(t, s.home, false)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		s.host = s.open(func(c *Config) { c.linker = linker }, prop{provider: "prop"})
		p := s.prepare(s.session("one"))
		if got := s.read(filepath.Join(p.Dir, "prop/auth.json")); !strings.Contains(got, `"R1"`) {
			t.Errorf("%s: the login is %s", name, got)
		}
		s.cleanup(s.session("one"))
	}
}
