package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// newTerminal is a terminal: what a person has in front of them, and what a program is given.
func newTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	t.Cleanup(func() { person.Close() })
	var unlock, number int32
	for request, arg := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
			t.Fatal(errno)
		}
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

// onTerminal starts the tool as a shell on a terminal would.
func (w *world) onTerminal(args ...string) (cmd *exec.Cmd, keys *os.File, screen *bufio.Reader) {
	w.t.Helper()
	person, program := newTerminal(w.t)
	cmd = exec.Command(w.exe, args...)
	cmd.Env, cmd.Dir = append(w.environ, "TERM=xterm"), w.project
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	// A client that is stopped because it is not in the foreground would never end.
	late := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	w.t.Cleanup(func() { late.Stop(); _ = cmd.Process.Kill() })
	return cmd, person, bufio.NewReader(person)
}

// until reads the screen up to a line that holds a text.
func until(t *testing.T, screen *bufio.Reader, text string) string {
	t.Helper()
	var seen strings.Builder
	for {
		line, err := screen.ReadString('\n')
		seen.WriteString(line)
		if strings.Contains(line, text) {
			return seen.String()
		}
		if err != nil {
			t.Fatalf("%v before %q in %q", err, text, seen.String())
		}
	}
}

func TestRunGivesTheTerminalToTheClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client(`[ -t 0 ] && [ -t 1 ] && echo "on a terminal"; read line; echo "read $line"; exit 4`)
	cmd, keys, screen := w.onTerminal("run", "fake", "--trust-workspace", "no")
	seen := until(t, screen, "on a terminal")
	if !strings.Contains(seen, "\x1b[32mgreenroom:") {
		t.Errorf("not announced in colour: %q", seen)
	}
	if _, err := keys.WriteString("a line\n"); err != nil {
		t.Fatal(err)
	}
	until(t, screen, "read a line")
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 4 {
		t.Errorf("status %d", got)
	}
}

func TestTheInterruptKeyReachesTheClientOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client(`trap 'echo interrupted; n=$((n+1))' INT; echo ready
i=0; while [ $i -lt 20 ]; do sleep 0.05; i=$((i+1)); [ -n "$n" ] || i=0; done; echo "$n times"; exit 9`)
	cmd, keys, screen := w.onTerminal("run", "fake", "--trust-workspace", "no")
	until(t, screen, "ready")
	if _, err := keys.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	until(t, screen, "1 times")
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 9 {
		t.Errorf("status %d", got)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

func TestWhatTakesLongIsSaidOnTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clientOf("1.2.3; sleep 1.5", "")
	cmd, _, screen := w.onTerminal("prepare", "fake")
	seen := until(t, screen, "session is ready")
	if before, line, ok := strings.Cut(seen, "preparing fake"); !ok || !strings.Contains(before, "\r") || !strings.Contains(line, "\r\x1b[K") {
		t.Errorf("%q", seen)
	}
	until(t, screen, "greenroom cleanup")
	_ = cmd.Wait()
	if out := w.must("prepare", "fake"); strings.Contains(out, "preparing") {
		t.Errorf("said without a terminal: %q", out)
	}
}

func TestColoursAreForTerminals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		environ []string
		colours bool
	}{
		{nil, true},
		{[]string{"NO_COLOR=1"}, false},
		{[]string{"TERM=dumb"}, false},
	} {
		w := *w
		w.environ = append(w.environ[:len(w.environ):len(w.environ)], c.environ...)
		person, program := newTerminal(t)
		cmd := exec.Command(w.exe, "version")
		cmd.Env, cmd.Stdout = append([]string{"TERM=xterm"}, w.environ...), program
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(person).ReadString('\n')
		if err != nil || strings.Contains(line, "\x1b") != c.colours {
			t.Errorf("%v: %q, %v", c.environ, line, err)
		}
	}
}

// untilAsked reads the screen up to the end of a question, which is no line.
func untilAsked(t *testing.T, screen *bufio.Reader, text string) string {
	t.Helper()
	var seen strings.Builder
	for !strings.HasSuffix(seen.String(), text) {
		b, err := screen.ReadByte()
		if err != nil {
			t.Fatalf("%v before %q in %q", err, text, seen.String())
		}
		seen.WriteByte(b)
	}
	return seen.String()
}

// A person is asked once whether they trust a directory. Yes is kept, also for where there is no terminal, and no is no. The
// line behind the answer is the client's.
func TestH33_APersonIsAskedOnceForEachDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client(`echo "trusted: ${FAKE_TRUSTED:-no}"; if [ -t 0 ]; then read line; echo "read $line"; fi`)
	ask := func(answer, want string, flags ...string) {
		t.Helper()
		cmd, keys, screen := w.onTerminal(append([]string{"run", "fake"}, flags...)...)
		if answer != "" {
			if seen := untilAsked(t, screen, "[y]es, [N]o: "); !strings.Contains(seen, "hooks, mcp servers of its own can set up fake") || !strings.Contains(seen, "~/project?") {
				t.Errorf("asked in the words %q", seen)
			}
			if _, err := keys.WriteString(answer + "\nnot an answer\n"); err != nil {
				t.Fatal(err)
			}
		} else if _, err := keys.WriteString("not an answer\n"); err != nil {
			t.Fatal(err)
		}
		until(t, screen, "trusted: "+want)
		until(t, screen, "read not an answer")
		_ = cmd.Wait()
	}
	piped := func(want string, flags ...string) {
		t.Helper()
		if got := w.must(append([]string{"run", "fake"}, flags...)...); !strings.Contains(got, "trusted: "+want) {
			t.Errorf("without a terminal: %q, want %s", got, want)
		}
	}
	piped("no")
	piped("user_said_yes", "--trust-workspace", "yes")
	piped("no") // the flag is for one session
	ask("", "no", "--trust-workspace", "no")
	ask("n", "no")
	ask("", "user_said_yes", "--trust-workspace", "yes")
	ask("yes", "user_said_yes")
	ask("", "user_said_yes")
	piped("user_said_yes")
	piped("no", "--trust-workspace", "no")
	ask("what", "no", "--trust-workspace", "ask") // and so it is taken back
	piped("no")
	if a := w.run("run", "fake", "--trust-workspace", "ask"); a.status != 2 || !strings.Contains(a.errors, "needs a terminal") {
		t.Errorf("asked where nobody is: %+v", a)
	}
	if a := w.run("prompt", "fake", "--trust-workspace", "no"); a.status != 2 { // "no" is no prompt
		t.Errorf("%+v", a)
	}
}

// What a person puts into the background on a terminal runs on where the session is kept, and ends where it is not.
func TestH53_WhatIsPutIntoTheBackgroundEndsWithTheSession(t *testing.T) {
	t.Parallel()
	// The service is one that a daemon is: of no terminal, nobody's child and in a group of its own.
	const client = `sh -c 'setsid sh -c "echo \$\$ >\"$FAKE_HOME/pid\"; exec sleep 300" >/dev/null 2>&1 </dev/null &'
while ! [ -s "$FAKE_HOME/pid" ]; do sleep 0.01; done; echo "service $(cat "$FAKE_HOME/pid") runs"`
	for name, c := range map[string]struct {
		run  []string
		away [][]string // what takes the session away later
	}{
		"run":                  {nil, nil},
		"run, and transcripts": {[]string{"--keep", "transcripts"}, nil},
		"clean up":             {[]string{"--keep", "all"}, [][]string{{"cleanup", "one"}}},
		"stop":                 {[]string{"--keep", "all"}, [][]string{{"sessions", "stop", "one"}}},
		"clean up all":         {[]string{"--keep", "all"}, [][]string{{"sessions", "recover"}, {"cleanup", "--all", "--keep", "all"}, {"cleanup", "--all"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.client(client)
			cmd, _, screen := w.onTerminal(append([]string{"run", "fake", "--session", "one", "--trust-workspace", "no"}, c.run...)...)
			fields := strings.Fields(until(t, screen, "runs\r"))
			pid := fields[len(fields)-2]
			t.Cleanup(func() { _ = exec.Command("kill", "-KILL", pid).Run() })
			if c.away == nil {
				until(t, screen, "ended what was left running")
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			for i, args := range c.away {
				if !running(pid) {
					t.Fatalf("it has ended before %q", args)
				}
				if out := w.must(args...); i == len(c.away)-1 && args[0] == "cleanup" && !strings.Contains(out, "ended") {
					t.Errorf("%q says %q", args, out)
				}
			}
			if running(pid) {
				t.Error("it runs on")
			}
		})
	}
}

func running(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
