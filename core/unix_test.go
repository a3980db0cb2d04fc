//go:build unix

package core

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestH19_ModesWhateverTheUmask(t *testing.T) {
	t.Parallel()
	if dir, ok := childDir(); ok {
		syscall.Umask(0)
		s := stageAt(t, dir)
		p := s.prepare(s.session("one"))
		s.release(s.hold("one"))
		// A client that is less careful, before the next preparation.
		if err := errors.Join(os.Chmod(filepath.Join(p.Dir, "prop/config.toml"), 0o666), os.Chmod(filepath.Join(p.Dir, "prop"), 0o777)); err != nil {
			t.Fatal(err)
		}
		s.prepare(s.session("one"))
		return
	}
	s := newStage(t)
	s.child()
	err := filepath.WalkDir(s.state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(s.state, path)
		if strings.HasPrefix(rel, "store/skills/") {
			return nil // texts of ours, which nobody may change
		}
		if fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", rel, fi.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// nobody makes all of the stage that of a user without privileges, and the process one of that user's.
func nobody(t *testing.T, s *stage) {
	t.Helper()
	err := filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, 65534, 65534))
	})
	if err := errors.Join(err, syscall.Setgroups(nil), syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
		t.Fatal(err)
	}
}

// openStage is a stage that other users can reach.
func openStage(t *testing.T) *stage {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to be somebody else")
	}
	s := newStage(t)
	for dir := s.dir; dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestUnreadableInputs(t *testing.T) {
	t.Parallel()
	if dir, ok := childDir(); ok {
		s := stageAt(t, dir)
		nobody(t, s)
		for _, rel := range []string{"config.toml", "auth.json", "RULES.md", "note.txt"} {
			path := s.path("home/.prop/" + rel)
			os.Chmod(path, 0)
			_, err := s.host.Prepare(t.Context(), s.session("one"))
			if !errors.Is(err, ErrUnreadable) || !strings.Contains(err.Error(), "home:prop/"+rel) {
				t.Errorf("%s: %v, want %v that names it", rel, err, ErrUnreadable)
			}
			checkError(t, s, rel, err)
			if left := s.left(); len(left) != 0 {
				t.Errorf("%s: left: %v", rel, left)
			}
			os.Chmod(path, 0o600)
		}
		for _, rel := range []string{"skills/mine/SKILL.md", "skills/mine", "skills"} {
			path := s.path("home/.prop/" + rel)
			os.Chmod(path, 0)
			p := s.prepare(s.session("one"))
			found := false
			for _, d := range p.Diagnostics {
				found = found || d.Code == "input_passed_over"
			}
			if !found {
				t.Errorf("%s: nothing says that it was passed over: %v", rel, p.Diagnostics)
			}
			os.Chmod(path, 0o755)
		}
		home := s.path("home/.prop")
		os.Chmod(home, 0)
		if _, err := s.host.Prepare(t.Context(), s.session("one")); !errors.Is(err, ErrUnreadable) {
			t.Errorf("the home: %v, want %v", err, ErrUnreadable)
		}
		os.Chmod(home, 0o755)
		s.prepare(s.session("one"))
		return
	}
	openStage(t).child()
}

func TestReadOnlyState(t *testing.T) {
	t.Parallel()
	if dir, ok := childDir(); ok {
		s := stageAt(t, dir)
		nobody(t, s)
		os.Chmod(dir, 0o555)
		_, err := s.host.Prepare(t.Context(), s.session("one"))
		if !errors.Is(err, ErrStateWrite) {
			t.Errorf("a directory that cannot be made: %v, want %v", err, ErrStateWrite)
		}
		checkError(t, s, "prepare", err)
		os.Chmod(dir, 0o755)
		s.prepare(s.session("one"))
		for _, d := range []string{"s", "m"} {
			os.Chmod(filepath.Join(s.state, d), 0o500)
			_, err := s.host.Prepare(t.Context(), s.session("two"))
			if !errors.Is(err, ErrStateWrite) {
				t.Errorf("%s: %v, want %v", d, err, ErrStateWrite)
			}
			checkError(t, s, d, err)
			if _, err := s.host.Prepare(t.Context(), s.session("one")); err != nil {
				t.Errorf("%s: what needs no writing: %v", d, err)
			}
			if _, err := s.host.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{}); !errors.Is(err, ErrStateWrite) {
				t.Errorf("%s: clean-up: %v, want %v", d, err, ErrStateWrite)
			}
			os.Chmod(filepath.Join(s.state, d), 0o700)
			if _, err := s.host.Recover(t.Context()); err != nil {
				t.Errorf("%s: recover: %v", d, err)
			}
			s.prepare(s.session("one"))
		}
		s.cleanup(s.session("one"))
		if left := s.left(); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
		return
	}
	openStage(t).child()
}

func TestH53_CommandEndsWithAllThatItStarted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("bin/prop-client", "#!/bin/sh\n[ \"$1\" = --version ] && echo 1.2.3 && exit\nsleep 300 &\necho $! > \"$PROP_HOME/../grandchild\"\nwait\n")
	if err := os.Chmod(s.path("bin/prop-client"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := s.prepare(s.session("one"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd, err := p.Command(ctx, []string{"PATH=" + os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(cmd.Process.Pid); err != nil || group != cmd.Process.Pid {
		t.Errorf("process group %d, %v; want its own, %d", group, err, cmd.Process.Pid)
	}
	var pid int
	for pid == 0 {
		if data, err := os.ReadFile(filepath.Join(p.Dir, "grandchild")); err == nil && strings.HasSuffix(string(data), "\n") {
			for _, c := range strings.TrimSpace(string(data)) {
				pid = pid*10 + int(c-'0')
			}
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	_ = cmd.Wait()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if gone(pid) {
			return
		}
		if time.Now().After(deadline) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("what the client had started goes on")
		}
	}
}

// gone says whether a process ended. One that nobody waits for stays in the table.
func gone(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil {
		return true
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "Z")
}

// Whoever may write to the state directory may put another in the place of each that lies in it.
func TestStateDirectoryThatEveryUserMayWriteTo(t *testing.T) {
	t.Parallel()
	for mode, good := range map[fs.FileMode]bool{
		0o777: false, 0o707: false, 0o700: true, 0o755: true, 0o775: true, 0o777 | fs.ModeSticky: true,
	} {
		s := newStage(t)
		if err := errors.Join(os.Mkdir(s.state, 0o700), os.Chmod(s.state, mode)); err != nil {
			t.Fatal(err)
		}
		_, err := s.host.Prepare(t.Context(), s.session("one"))
		if good && err != nil || !good && !errors.Is(err, ErrInvalid) {
			t.Errorf("%v: %v", mode, err)
		}
		if !good {
			checkError(t, s, mode.String(), err)
			if entries, err := os.ReadDir(s.state); err != nil || len(entries) > 0 {
				t.Errorf("%v: it holds %v, %v", mode, entries, err)
			}
		}
	}
}
