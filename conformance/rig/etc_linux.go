package rig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// behindEtc shows a process the machine's /etc with files laid over it. The directories that are its arguments lie in the
// namespace that the process has to itself, so nothing of this is seen outside of it.
const behindEtc = `mount --bind /etc "$1" && mount --bind "$2" /etc && shift 2 && exec "$@"`

// Etc makes a command see other files below /etc, by name, besides what is there, in a mount namespace of its own: whoever
// may do as they please with a machine lays such files down, and no test may. An entry of /etc of which a file has a name
// below it is hidden. Where no such namespace can be had the test is skipped, clients required or not.
func Etc(t testing.TB, root string, cmd *exec.Cmd, files map[string]string) {
	t.Helper()
	if err := namespaces(); err != nil {
		t.Skip(err)
	}
	dir := Scratch(t, root)
	have, etc := filepath.Join(dir, "have"), filepath.Join(dir, "etc")
	for _, dir := range []string{have, etc} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		Write(t, filepath.Join(etc, filepath.FromSlash(name)), content)
	}
	entries, err := os.ReadDir("/etc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if err := os.Symlink(filepath.Join(have, entry.Name()), filepath.Join(etc, entry.Name())); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	inNamespace(cmd, behindEtc, have, etc)
}

// inNamespace runs a command as the last line of a script, in a mount namespace of its own.
func inNamespace(cmd *exec.Cmd, script string, args ...string) {
	cmd.Args = append(append([]string{"sh", "-c", script, "sh"}, args...), append([]string{cmd.Path}, cmd.Args[1:]...)...)
	cmd.Path = "/bin/sh"
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 { // one's own users, in which one is root
		cmd.SysProcAttr.Unshareflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
}

// namespaces says why no mount namespace can be had; nil when one can.
var namespaces = sync.OnceValue(func() error {
	cmd := exec.Command("true")
	inNamespace(cmd, `mount --bind /etc /etc && exec "$@"`)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("no mount namespace can be had here: %w: %s", err, out)
	}
	return nil
})
