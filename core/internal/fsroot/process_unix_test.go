//go:build unix

package fsroot_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

func TestH19_ModesAreExactWhateverTheUmask(t *testing.T) {
	t.Parallel()
	arg, isChild := childArg()
	if !isChild {
		for _, umask := range []string{"0000", "0022", "0077", "0777"} {
			child(t, umask)
		}
		return
	}
	umask, err := strconv.ParseInt(arg, 8, 32)
	must(t, err)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "wide"), "old")
	must(t, os.Chmod(filepath.Join(dir, "wide"), 0o666))
	syscall.Umask(int(umask))
	tree := open(t, dir, nil)
	want := map[string]fs.FileMode{"wide": 0o600, "again": 0o600}
	must(t, tree.WriteFile("wide", []byte("x"), fsroot.WriteOptions{}))
	for name, o := range map[string]fsroot.WriteOptions{"replace": {}, "new": {New: true}, "fresh": {Fresh: true}} {
		for given, exact := range map[fs.FileMode]fs.FileMode{0: 0o600, 0o600: 0o600, 0o644: 0o644, 0o755: 0o755, 0o666: 0o666, 0o400: 0o400} {
			o.Mode = given
			path := fmt.Sprintf("%s%o", name, given)
			must(t, tree.WriteFile(path, []byte("x"), o))
			want[path] = exact
		}
	}
	must(t, tree.WriteFile("again", []byte("x"), fsroot.WriteOptions{Mode: 0o666}))
	must(t, tree.WriteFile("again", []byte("y"), fsroot.WriteOptions{}))
	for given, exact := range map[fs.FileMode]fs.FileMode{0: 0o700, 0o700: 0o700, 0o755: 0o755, 0o777: 0o777, 0o500: 0o500, 0o300: 0o300} {
		path := fmt.Sprintf("d%o", given)
		must(t, tree.Mkdir(path, given))
		want[path] = exact | fs.ModeDir
	}
	_, err = tree.MkdirAll("all/below", 0)
	must(t, err)
	want["all"], want["all/below"] = 0o700|fs.ModeDir, 0o700|fs.ModeDir
	must(t, tree.Chmod("replace666", 0o640))
	must(t, tree.Chmod("d777", 0o750))
	want["replace666"], want["d777"] = 0o640, 0o750|fs.ModeDir
	for path, mode := range want {
		info, err := os.Lstat(filepath.Join(dir, path))
		must(t, err)
		if info.Mode() != mode {
			t.Errorf("%s has %v, want %v", path, info.Mode(), mode)
		}
	}
}

// asNobody runs the rest of the test in a process without privileges, in a directory of its own that it gets a name of.
// It reports false in the parent.
func asNobody(t *testing.T, prepare func(dir string)) (string, bool) {
	t.Helper()
	dir, isChild := childArg()
	if !isChild {
		// t.TempDir cannot be reached by others.
		dir, err := os.MkdirTemp("", "fsroot")
		must(t, err)
		t.Cleanup(func() {
			filepath.WalkDir(dir, func(path string, entry fs.DirEntry, _ error) error {
				if entry.IsDir() {
					os.Chmod(path, 0o700)
				}
				return nil
			})
			os.RemoveAll(dir)
		})
		must(t, os.Chmod(dir, 0o755))
		prepare(dir)
		child(t, dir)
		return "", false
	}
	if os.Getuid() == 0 {
		must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, 65534, 65534))
		}))
		must(t, syscall.Setgroups(nil))
		must(t, syscall.Setgid(65534))
		must(t, syscall.Setuid(65534))
	}
	return dir, true
}

func TestWithoutPrivileges(t *testing.T) {
	t.Parallel()
	dir, isChild := asNobody(t, func(dir string) {
		put(t, filepath.Join(dir, "closed-file"), "x")
		put(t, filepath.Join(dir, "closed", "x"), "x")
		put(t, filepath.Join(dir, "readonly", "x"), "x")
		must(t, os.Symlink("closed/x", filepath.Join(dir, "link")))
		for _, name := range []string{"a", "b"} {
			put(t, filepath.Join(dir, "session", name, "c", "x"), "x")
			must(t, os.Symlink("/", filepath.Join(dir, "session", name, "c", "root")))
		}
	})
	if !isChild {
		return
	}
	// From the inside out, since what is closed cannot be reached.
	for _, c := range []struct {
		name string
		mode fs.FileMode
	}{
		{"closed-file", 0}, {"closed", 0}, {"readonly", 0o555},
		{"session/a/c/x", 0o400}, {"session/a/c", 0o500}, {"session/a", 0o500},
		{"session/b/c", 0}, {"session/b", 0o300}, {"session", 0o555},
	} {
		must(t, os.Chmod(filepath.Join(dir, c.name), c.mode))
	}

	for _, name := range []string{"closed-file", "closed/x", "link"} {
		_, _, err := fsroot.ReadInput(filepath.Join(dir, name), 10)
		wantCode(t, err, fault.Unreadable, dir)
	}
	if in, err := fsroot.StatInput(filepath.Join(dir, "link")); err != nil || in.Kind != fsroot.InputUnreadable {
		t.Errorf("link into a closed directory: %v, %v", in, err)
	}
	_, err := fsroot.ListInput(filepath.Join(dir, "closed"))
	wantCode(t, err, fault.Unreadable, dir)
	_, err = fsroot.Open(filepath.Join(dir, "closed"), nil)
	wantCode(t, err, fault.Unreadable, dir)

	tree := openWith(t, dir, fsroot.Options{Label: "state"})
	_, _, err = tree.ReadFile("closed-file", 10)
	wantCode(t, err, fault.Unreadable, dir)
	_, err = tree.List("closed")
	wantCode(t, err, fault.Unreadable, dir)
	wantCode(t, tree.WriteFile("readonly/y", nil, fsroot.WriteOptions{}), fault.StateWrite, dir)
	wantCode(t, tree.Mkdir("readonly/y", 0), fault.StateWrite, dir)
	wantCode(t, tree.Symlink("x", "readonly/y"), fault.StateWrite, dir)
	wantCode(t, tree.RemoveAll("readonly/x"), fault.StateWrite, dir)

	must(t, tree.Chmod("closed-file", 0o600))
	must(t, tree.Chmod("closed", 0o700))
	if got, _, err := tree.ReadFile("closed/x", 10); string(got) != "x" {
		t.Errorf("opened directory: %q, %v", got, err)
	}
	must(t, tree.RemoveAll("session"))
	if _, err := os.Lstat(filepath.Join(dir, "session")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("session is there: %v", err)
	}
}

func TestWhatIsNoFileIsNeverOpened(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "fsroot") // a socket's path must be short
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	must(t, err)
	defer socket.Close()
	for link, target := range map[string]string{"fifolink": "fifo", "socketlink": "socket", "devicelink": os.DevNull} {
		must(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	tree := open(t, dir, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range []string{"fifo", "socket"} {
			_, _, err := tree.ReadFile(name, 10)
			wantCode(t, err, fault.NotRegular, dir)
			wantCode(t, tree.Chmod(name, 0o640), fault.NotRegular, dir)
			_, err = tree.List(name)
			wantCode(t, err, fault.NotRegular, dir)
			_, err = tree.Sub(name)
			wantCode(t, err, fault.NotRegular, dir)
			wantCode(t, tree.WriteFile(name+"/x", nil, fsroot.WriteOptions{}), fault.NotRegular, dir)
		}
		for _, name := range []string{"fifo", "fifolink", "socket", "socketlink", "devicelink"} {
			path := filepath.Join(dir, name)
			_, _, err := fsroot.ReadInput(path, 10)
			wantCode(t, err, fault.NotRegular, dir)
			_, err = fsroot.ListInput(path)
			wantCode(t, err, fault.NotRegular, dir)
			_, err = fsroot.Open(path, nil)
			wantCode(t, err, fault.NotRegular, dir)
			if in, err := fsroot.StatInput(path); err != nil || in.Kind != fsroot.InputOther {
				t.Errorf("%s: %v, %v", name, in, err)
			}
		}
		// These replace and remove the names.
		if err := errors.Join(tree.WriteFile("fifo", []byte("x"), fsroot.WriteOptions{}), tree.RemoveAll("socket")); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("blocked")
	}
	if got := content(t, filepath.Join(dir, "fifo")); got != "x" {
		t.Errorf("holds %q", got)
	}
}

// A process that is killed at any call leaves the old file or the new one, and nothing but temporary names besides.
func TestH18_KilledAtEachCall(t *testing.T) {
	t.Parallel()
	if arg, isChild := childArg(); isChild {
		n, dir, _ := strings.Cut(arg, ":")
		last, err := strconv.ParseInt(n, 10, 64)
		must(t, err)
		tree := open(t, dir, &fsroot.Seam{Before: func(i int64, _, _ string) error {
			if i == last {
				syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		}})
		must(t, tree.WriteFile("file", []byte("new"), fsroot.WriteOptions{Sync: true}))
		must(t, tree.WriteFile("once", []byte("new"), fsroot.WriteOptions{New: true}))
		must(t, tree.Symlink("new", "link"))
		return
	}
	seen := map[string]bool{}
	for n := 1; ; n++ {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "file"), "old")
		must(t, os.Symlink("old", filepath.Join(dir, "link")))
		cmd := command(t, fmt.Sprintf("%d:%s", n, dir))
		out, err := cmd.CombinedOutput()
		file := content(t, filepath.Join(dir, "file"))
		link, _ := os.Readlink(filepath.Join(dir, "link"))
		once, _ := os.ReadFile(filepath.Join(dir, "once"))
		state := fmt.Sprintf("%s %s %s", file, once, link)
		switch state {
		case "old  old", "new  old", "new new old", "new new new":
			seen[state] = true
		default:
			t.Errorf("killed at call %d: %s", n, state)
		}
		for name := range shape(t, dir) {
			switch {
			case name == "." || name == "file" || name == "link" || name == "once" || fsroot.IsTemp(name):
			default:
				t.Errorf("killed at call %d: left %s", n, name)
			}
		}
		if err == nil {
			break
		}
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL || n > 50 {
			t.Fatalf("call %d: %v\n%s", n, err, out)
		}
	}
	if len(seen) != 4 {
		t.Errorf("states seen: %v", seen)
	}
}

// holder is another process that holds the lock on a directory.
func holder(t *testing.T, dir string, mode fsroot.LockMode) (kill func()) {
	t.Helper()
	cmd := command(t, fmt.Sprintf("%d:%s", mode, dir))
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Cleanup(kill)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "holding") {
			return kill
		}
	}
	t.Fatal("the other process did not get the lock")
	return nil
}

// hold is the body of that process.
func hold(t *testing.T, arg string) {
	n, dir, _ := strings.Cut(arg, ":")
	mode, err := strconv.Atoi(n)
	must(t, err)
	tree, err := fsroot.Open(dir, nil)
	must(t, err)
	lock, err := tree.Lock(t.Context(), fsroot.LockMode(mode), false)
	must(t, err)
	fmt.Println("holding")
	time.Sleep(time.Minute)
	lock.Unlock()
}

func TestLockExcludesAnotherProcessAndDiesWithIt(t *testing.T) {
	t.Parallel()
	if arg, isChild := childArg(); isChild {
		hold(t, arg)
		return
	}
	for held, free := range map[fsroot.LockMode]bool{fsroot.Exclusive: false, fsroot.Shared: true} {
		dir := t.TempDir()
		kill := holder(t, dir, held)
		tree := openWith(t, dir, fsroot.Options{Label: "session"})
		_, err := tree.Lock(t.Context(), fsroot.Exclusive, false)
		wantCode(t, err, fault.Busy, dir)
		if !errors.Is(err, fsroot.ErrLocked) {
			t.Errorf("error is %v", err)
		}
		lock, err := tree.Lock(t.Context(), fsroot.Shared, false)
		if errors.Is(err, fsroot.ErrLocked) == free {
			t.Errorf("shared lock: %v", err)
		}
		if err == nil {
			must(t, lock.Unlock())
		}
		kill()
		lock, err = tree.Lock(t.Context(), fsroot.Exclusive, true)
		must(t, err)
		must(t, lock.Unlock())
		if entries, _ := os.ReadDir(dir); len(entries) > 0 {
			t.Errorf("the lock left %v", entries)
		}
	}
}

func TestFileSizeLimitIsFull(t *testing.T) {
	t.Parallel()
	if _, isChild := childArg(); !isChild {
		child(t, "")
		return
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "old")
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: limit.Max}))
	fullDisk(t, dir, make([]byte, 10000))
}

// fullDisk fails unless writing data gives the right error and leaves nothing behind.
func fullDisk(t *testing.T, dir string, data []byte) {
	t.Helper()
	tree := open(t, dir, nil)
	for name, o := range map[string]fsroot.WriteOptions{"file": {}, "new": {New: true}, "fresh": {Fresh: true}} {
		wantCode(t, tree.WriteFile(name, data, o), fault.StateFull, dir)
	}
	if got := keys(shape(t, dir)); len(got) != 2 || content(t, filepath.Join(dir, "file")) != "old" {
		t.Errorf("left %v", got)
	}
}
