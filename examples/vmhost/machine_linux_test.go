package vmhost_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"crypto/ecdsa"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/examples/vmhost"
	"github.com/greenroom-agents/greenroom/providers/claude"
	"github.com/greenroom-agents/greenroom/providers/codex"
	"github.com/greenroom-agents/greenroom/providers/cursor"
	"github.com/greenroom-agents/greenroom/providers/kimi"
	"github.com/greenroom-agents/greenroom/providers/opencode"
	"github.com/greenroom-agents/greenroom/providers/tuttiagent"
)

// adapters are all that there are, and the fake agent's.
func adapters() []adapter.Source {
	return []adapter.Source{{InProcess: claude.Adapter{}}, {InProcess: codex.Adapter{}}, {InProcess: cursor.Adapter{}}, {InProcess: kimi.Adapter{}},
		{InProcess: opencode.Adapter{}}, {InProcess: tuttiagent.Adapter{}}, {InProcess: launchtest.Adapter{}}}
}

// remote is what the process in namespaces of its own is told.
type remote struct {
	Dir, Shared string // its own directory, and the one that is mounted in it
	Environ     []string
}

const remoteVar = "GREENROOM_TEST_MACHINE"

// machineMain is a machine with agents, when the process is to be one: in namespaces of its own, with a state directory that
// nobody else sees, and with the shared directory mounted where only it has it.
func machineMain() {
	text := os.Getenv(remoteVar)
	if text == "" {
		return
	}
	var r remote
	err := json.Unmarshal([]byte(text), &r)
	for _, m := range []struct {
		from, to, kind string
		flags          uintptr
	}{
		{"none", "/", "", syscall.MS_REC | syscall.MS_PRIVATE},
		{r.Shared, filepath.Join(r.Dir, "mnt"), "", syscall.MS_BIND},
		{"none", filepath.Join(r.Dir, "state"), "tmpfs", 0},
	} {
		if err == nil {
			err = syscall.Mount(m.from, m.to, m.kind, m.flags, "")
		}
	}
	var list []net.Interface
	if err == nil {
		if list, err = net.Interfaces(); err == nil && len(list) > 1 {
			err = fmt.Errorf("the machine has %d networks", len(list))
		}
	}
	var t vmhost.Trust
	if err == nil {
		t, err = vmhost.LoadTrust(filepath.Join(r.Dir, "cert.pem"), filepath.Join(r.Dir, "key.pem"), filepath.Join(r.Dir, "ca.pem"))
	}
	ctx, stop := context.WithCancel(context.Background())
	var h *core.Host
	if err == nil {
		h, err = hostAt(ctx, r.Dir, r.Environ)
	}
	var l net.Listener
	if err == nil {
		l, err = net.Listen("unix", filepath.Join(r.Dir, "s"))
	}
	if err == nil {
		go func() {
			fmt.Println("ready")
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
		err = (&vmhost.Server{Host: h, Environ: r.Environ, Paths: vmhost.Paths{"/projects": filepath.Join(r.Dir, "mnt")}}).Serve(ctx, l, t)
	}
	if err != nil {
		fmt.Println("the machine:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func hostAt(ctx context.Context, dir string, environ []string) (*core.Host, error) {
	return core.New(ctx, core.Config{StateDir: filepath.Join(dir, "state"), Home: filepath.Join(dir, "home"), Environ: environ,
		Commands: command.Fixed(), Adapters: adapters()})
}

// pems writes what LoadTrust reads.
func pems(t *testing.T, dir string, ca *authority, trust vmhost.Trust) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(trust.Own.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: trust.Own.Certificate[0]}, "ca.pem": {Type: "CERTIFICATE", Bytes: ca.cert.Raw},
		"key.pem": {Type: "PRIVATE KEY", Bytes: key},
	} {
		write(t, filepath.Join(dir, name), string(pem.EncodeToMemory(b)))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// furnish makes the directories of a machine, with a person's set-up that both machines have.
func furnish(t *testing.T, dir string) {
	t.Helper()
	for rel, text := range map[string]string{
		"home/.codex/AGENTS.md": "Be brief.\n", "home/.codex/config.toml": "model = \"one\"\n", "home/.claude/CLAUDE.md": "Be brief.\n",
		"home/.claude/settings.json": "{\"model\":\"one\"}\n", "home/.claude/skills/mine/SKILL.md": "---\nname: mine\ndescription: of a person\n---\n",
		"home/.kimi/config.toml": "", "home/.config/opencode/AGENTS.md": "Be brief.\n",
		"work/app/AGENTS.md": "rules of the project\n", "work/app/.git/HEAD": "ref: refs/heads/main\n",
		"mnt/.keep": "", "state/.keep": "",
	} {
		write(t, filepath.Join(dir, rel), text)
	}
	if err := os.Remove(filepath.Join(dir, "state/.keep")); err != nil {
		t.Fatal(err)
	}
}

// elsewhere starts a machine in a network and a file system of its own. It gives a client of it, and where its file system can be
// looked at from here.
func elsewhere(t *testing.T, dir string, environ []string) (*vmhost.Client, string) {
	t.Helper()
	ca := newAuthority(t)
	pems(t, dir, ca, ca.issue(vmhost.Name))
	told, err := json.Marshal(remote{Dir: dir, Shared: filepath.Join(dir, "work"), Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), remoteVar+"="+string(told))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		noNamespaces(t, err.Error())
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && !t.Skipped() {
			t.Errorf("the machine ended with %v", err)
		}
	})
	switch line, err := bufio.NewReader(out).ReadString('\n'); {
	case strings.Contains(line, "permi"):
		noNamespaces(t, line)
	case err != nil || line != "ready\n":
		t.Fatalf("%s%v", line, err)
	}
	c, err := vmhost.Dial("unix://"+filepath.Join(dir, "s"), ca.issue("somebody"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, fmt.Sprintf("/proc/%d/root", cmd.Process.Pid)
}

// noNamespaces ends a test for which this system gives no namespaces. A build that lacks them has not shown what the test
// shows, so there that is a failure.
func noNamespaces(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("this system gives no namespaces: %s", why)
	}
	t.Skipf("this system gives no namespaces: %s", why)
}
