//go:build unix

package binding_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
)

// desk is where a person works with one real client: a home, a project and what is set there.
type desk struct {
	dir, home, project string
	environ            []string

	provider, adapterFile string
}

func newDesk(t *testing.T, provider string) *desk {
	t.Helper()
	clients, adapterFile := realClient(t, provider)
	dir := t.TempDir()
	d := &desk{dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), provider: provider, adapterFile: adapterFile}
	for _, made := range []string{d.home, d.project} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	d.environ = append([]string{
		"HOME=" + d.home, "USER=someone", "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/sh",
		"PATH=" + strings.Join([]string{clients, filepath.Dir(node), "/usr/local/bin", "/usr/bin", "/bin"}, ":"),
	}, realClients[provider].environ...)
	return d
}

// host is a host that has the client's adapter, with what is set by now.
func (d *desk) host(t *testing.T) *core.Host {
	t.Helper()
	h, err := core.New(t.Context(), core.Config{
		StateDir: filepath.Join(d.dir, "state"), Home: d.home, Environ: d.environ, Commands: command.Fixed(), Timeout: 5 * time.Minute,
		Adapters: []adapter.Source{{Provider: d.provider, Path: d.adapterFile, UnsafeAnyDigest: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}
