package preparertest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/sdk/internal/process"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// Build builds the main package in a directory, for [Config.Binary], and returns the path of the binary.
func Build(t testing.TB, dir string) string {
	t.Helper()
	if built := os.Getenv(hostEnv); built != "" {
		return built // this process plays a host for a test that built it before
	}
	out := filepath.Join(t.TempDir(), "adapter")
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", out, ".")
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the adapter: %v\n%s", err, said)
	}
	return out
}

// sameLayouts asks the binary and the value in this process the same, the binary in surroundings that differ from those of
// this process in all that an adapter might look at.
func sameLayouts(t testing.TB, c Config) []error {
	ctx, local := t.Context(), protocol.InProcess(c.Preparer)
	d, err := local.Describe(ctx)
	if err != nil {
		return []error{err}
	}
	home, env := surroundings(t, d)
	p, err := process.Start(process.Config{Path: c.Binary, Args: c.Args, Dir: home, Env: env})
	if err != nil {
		return []error{fmt.Errorf("the binary does not start: %w", err)}
	}
	defer p.Stop()
	theirs, err := p.Describe(ctx)
	if err != nil {
		return []error{fmt.Errorf("describe: %w", err)}
	}
	here, _ := protocol.DescriptorDigest(d)
	if there, _ := protocol.DescriptorDigest(theirs); here != there {
		return []error{errors.New("the binary has another descriptor than the value in this process")}
	}
	var out []error
	rnd := rand.New(rand.NewPCG(c.Seed, 2))
	for n := range 50 {
		r := randomRequest(d, rnd)
		if here, there := answer(ctx, local, r), answer(ctx, p, r); here != there {
			out = append(out, fmt.Errorf("request %d: the value in this process and the binary answer differently: %s", n, difference(here, there)))
			if len(out) == most {
				break
			}
		}
	}
	return out
}

// command is the binary as a host starts it, without a host behind it.
func command(t testing.TB, c Config, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), c.Binary, c.Args...)
	cmd.Env = env
	if runtime.GOOS == "windows" {
		cmd.Env = append(cmd.Env, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	}
	return cmd
}

// quiet looks at standard output: one line, the handshake, and nothing before or behind it.
func quiet(t testing.TB, c Config) []error {
	dir, err := os.MkdirTemp("", "gr-") // short, for the socket
	if err != nil {
		return []error{err}
	}
	defer os.RemoveAll(dir)
	cmd := command(t, c, protocol.CookieKey+"="+protocol.CookieValue, fmt.Sprint("PLUGIN_PROTOCOL_VERSIONS=", protocol.Version),
		"PLUGIN_UNIX_SOCKET_DIR="+dir, "TMPDIR="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return []error{err}
	}
	if err := cmd.Start(); err != nil {
		return []error{err}
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stdout); s.Scan(); {
			lines <- s.Text()
		}
	}()
	var out []error
	wait, first := 10*time.Second, true
	for {
		select {
		case line, ok := <-lines:
			switch {
			case !ok && first:
				return append(out, errors.New("the binary ended without a handshake"))
			case !ok:
				return append(out, errors.New("the binary ended by itself"))
			case first && !strings.HasPrefix(line, "1|"):
				out = append(out, fmt.Errorf("before the handshake it wrote %q to standard output", clip(line)))
			case !first:
				out = append(out, fmt.Errorf("after the handshake it wrote %q to standard output", clip(line)))
			default:
				first, wait = false, 300*time.Millisecond
			}
		case <-time.After(wait):
			if first {
				out = append(out, errors.New("no handshake came"))
			}
			return out
		}
	}
}

func clip(s string) string { return s[:min(len(s), 120)] }

// touchesNothing runs the binary with scratch directories for everything that a program writes to by habit.
func touchesNothing(t testing.TB, c Config) []error {
	home := t.TempDir()
	p, err := process.Start(process.Config{Path: c.Binary, Args: c.Args, Dir: home, Env: []string{
		"HOME=" + home, "USERPROFILE=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home, "XDG_STATE_HOME=" + home,
	}})
	if err != nil {
		return []error{fmt.Errorf("the binary does not start: %w", err)}
	}
	defer p.Stop()
	d, err := p.Describe(t.Context())
	if err != nil {
		return []error{err}
	}
	rnd := rand.New(rand.NewPCG(c.Seed, 3))
	for range 20 {
		answer(t.Context(), p, randomRequest(d, rnd))
	}
	found, err := os.ReadDir(home)
	if err != nil {
		return []error{err}
	}
	var out []error
	for _, f := range found {
		out = append(out, fmt.Errorf("the adapter wrote %s into its home", f.Name()))
	}
	return out
}

// byHand starts the binary without a host: it says what it is and ends.
func byHand(t testing.TB, c Config) []error {
	cmd := command(t, c)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	if err := cmd.Start(); err != nil {
		return []error{err}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		cmd.Process.Kill()
		<-ended
		return []error{errors.New("run by hand, the binary does not end")}
	}
	if code := cmd.ProcessState.ExitCode(); code != 2 || said.Len() == 0 {
		return []error{fmt.Errorf("run by hand, the binary exits with code %d and %d bytes on standard error; call serve.Serve and nothing before it", code, said.Len())}
	}
	return nil
}
