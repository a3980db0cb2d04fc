//go:build linux || darwin

package socket_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/internal/socket"
)

const variable = "GREENROOM_TEST_SOCKET_DIR"

// TestMain is also a process that dials and says how it went, and one that listens until it is killed.
func TestMain(m *testing.M) {
	dir, listens := os.LookupEnv(variable + "_LISTEN")
	if listens {
		if _, err := listen(context.Background(), dir); err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString("listening\n")
		select {}
	}
	if dir, ok := os.LookupEnv(variable); ok {
		said := "connected"
		c, err := socket.Dial(context.Background(), dir)
		if err == nil {
			if _, err = c.Read(make([]byte, 1)); errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
				said = "hung up"
			}
		} else {
			said = err.Error()
		}
		_, _ = os.Stdout.WriteString(said)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// listening is a listener with its lock.
type listening struct {
	net.Listener
	held *socket.Held
}

func (l listening) Close() error { return errors.Join(l.Listener.Close(), l.held.Close()) }

func listen(ctx context.Context, dir string) (net.Listener, error) {
	held, err := socket.Lock(dir)
	if err != nil {
		return nil, err
	}
	l, err := held.Listen(ctx)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return listening{l, held}, nil
}

func private(t *testing.T, long bool) string {
	t.Helper()
	// A short one: the test's name would make any path too long.
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if long {
		dir = filepath.Join(dir, strings.Repeat("a long name ", 12))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOneListensAndOthersReachIt(t *testing.T) {
	t.Parallel()
	for name, long := range map[string]bool{"short": false, "a path longer than a socket's": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := private(t, long)
			if long && runtime.GOOS != "linux" {
				t.Skip("a socket has no long path on this system")
			}
			if _, err := socket.Dial(t.Context(), dir); !errors.Is(err, socket.ErrNone) {
				t.Errorf("before: %v", err)
			}
			l, err := listen(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(filepath.Join(dir, socket.Name)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
			if _, err := listen(t.Context(), dir); !errors.Is(err, socket.ErrBusy) {
				t.Errorf("a second one: %v", err)
			}
			if _, err := socket.Lock(dir); !errors.Is(err, socket.ErrBusy) {
				t.Errorf("a lock: %v", err)
			}
			echo(t, l)
			c, err := socket.Dial(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(c); err != nil || string(got) != "here" {
				t.Errorf("%q, %v", got, err)
			}
			if err := errors.Join(c.Close(), l.Close()); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(filepath.Join(dir, socket.Name)); !os.IsNotExist(err) {
				t.Errorf("the socket is left: %v", err)
			}
			again, err := listen(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			// Who closes twice, as a server and its caller do, takes nothing from the next one.
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(filepath.Join(dir, socket.Name)); err != nil {
				t.Errorf("the socket of the next one is gone: %v", err)
			}
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func echo(t *testing.T, l net.Listener) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "here")
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
}

// What a killed daemon left keeps nobody away, and is nobody.
func TestAKilledDaemonIsNobody(t *testing.T) {
	t.Parallel()
	dir := private(t, false)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"_LISTEN="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if c, err := socket.Dial(t.Context(), dir); err != nil {
		t.Errorf("while it lives: %v", err)
	} else {
		c.Close()
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if _, err := os.Lstat(filepath.Join(dir, socket.Name)); err != nil {
		t.Fatalf("it left nothing: %v", err)
	}
	if _, err := socket.Dial(t.Context(), dir); !errors.Is(err, socket.ErrNone) {
		t.Errorf("%v", err)
	}
	l, err := listen(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	echo(t, l)
	if c, err := socket.Dial(t.Context(), dir); err != nil {
		t.Error(err)
	} else {
		c.Close()
	}
}

// Another user is hung up on, also where the modes let them in.
func TestAnotherUserIsHungUpOn(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	dir := private(t, false)
	l, err := listen(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	echo(t, l)
	for path, mode := range map[string]os.FileMode{dir: 0o755, filepath.Join(dir, socket.Name): 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	exe := filepath.Join(dir, "test")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(exe, data, 0o755); err != nil {
		t.Fatal(err)
	}
	for uid, want := range map[uint32]string{0: "connected", 65534: socket.ErrStranger.Error()} {
		cmd := exec.Command(exe)
		cmd.Dir, cmd.Env = "/", []string{variable + "=" + dir}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("user %d: %s, %v", uid, out, err)
		}
	}
}
