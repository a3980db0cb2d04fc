package conformance_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// product is what the host calls itself, so that its text is found again.
const product = "Testbed 51c2"

// adapterDir is where this run of the tests builds the adapters.
var adapterDir string

func TestMain(m *testing.M) {
	otherMain()
	dir, err := os.MkdirTemp("", "greenroom-adapters-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	adapterDir = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// buildAdapters builds the adapters' binaries once, and names them with their digests.
var buildAdapters = sync.OnceValues(func() ([]adapter.Source, error) {
	var sources []adapter.Source
	for _, c := range clients {
		module, err := filepath.Abs(filepath.Join("..", "providers", c.name))
		if err != nil {
			return nil, err
		}
		path := filepath.Join(adapterDir, "greenroom-"+c.name)
		cmd := exec.Command("go", "build", "-o", path, "./cmd/greenroom-"+c.name)
		cmd.Dir = module
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build the adapter of %s: %w\n%s", c.name, err, out)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		sources = append(sources, adapter.Source{Path: path, SHA256: hex.EncodeToString(sum[:])})
	}
	return sources, nil
})

// ownState are the paths below the user's home that a run of the client may change, by the adapter's own list.
func (c client) ownState() []string {
	var own []string
	d := c.descriptor()
	homes := map[string]string{}
	for _, home := range d.Homes {
		homes[home.ID] = home.Default
	}
	homes[d.Homes[0].ID] = c.home
	for _, at := range d.OwnState {
		switch at.Base {
		case preparer.BaseHome:
			own = append(own, path.Join(homes[at.Home], at.Path))
		case preparer.BaseUser:
			own = append(own, at.Path)
		}
	}
	return own
}

// greenroom is a host on the stage, with adapters as processes.
type greenroom struct {
	*stage
	host  *core.Host
	state string
	first string // the host's directory on PATH
	log   *lockedBuffer
}

// open starts a host, with changes to its configuration.
func (s *stage) open(changes ...func(*core.Config)) *greenroom {
	s.Helper()
	sources, err := buildAdapters()
	if err != nil {
		s.Fatal(err)
	}
	g := &greenroom{
		stage: s, state: filepath.Join(s.dir, "state"), first: filepath.Join(s.dir, "host-tools"), log: &lockedBuffer{},
	}
	rig.WriteProgram(s, filepath.Join(g.first, "tutti"), "#!/bin/sh\necho host-tool-51c2\n")
	config := core.Config{
		StateDir: g.state,
		Home:     s.home,
		Environ:  s.environ,
		Adapters: sources,
		Identity: core.Identity{Product: product},
		Path:     []string{g.first},
		Commands: command.Fixed(),
		Logger:   slog.New(slog.NewTextHandler(g.log, &slog.HandlerOptions{Level: slog.LevelInfo})),
	}
	for _, change := range changes {
		change(&config)
	}
	g.host, err = core.New(context.Background(), config)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := g.host.Close(); err != nil {
			s.Errorf("close the host: %v", err)
		}
	})
	return g
}

// session is a session of the stage's client in the user's project, which they trust.
func (g *greenroom) session(id string, preset core.Preset) core.Session {
	return core.Session{
		Workspace: "workspace 51c2", ID: id, Provider: g.client.name, Cwd: g.cwd,
		Inherit: core.Inherit{Preset: preset}, TrustWorkspace: preparer.UserSaidYes,
	}
}

func (g *greenroom) prepare(session core.Session) *core.Prepared {
	g.Helper()
	p, err := g.host.Prepare(context.Background(), session)
	if err != nil {
		g.Fatalf("prepare: %v\nlog: %s", err, tail(g.log.String()))
	}
	return p
}

// run runs the client in a session and demands that it succeeds.
func (g *greenroom) run(p *core.Prepared, args ...string) rig.Result {
	g.Helper()
	cmd, err := p.Command(context.Background(), g.environ, args...)
	if err != nil {
		g.Fatal(err)
	}
	return g.play(cmd)
}

func (g *greenroom) cleanup(session core.Session) {
	g.Helper()
	if _, err := g.host.Cleanup(context.Background(), session.Ref(), core.CleanupOptions{}); err != nil {
		g.Errorf("clean up: %v", err)
	}
}

// take is a snapshot of a directory.
func (s *stage) take(dir string) rig.Snapshot {
	s.Helper()
	snapshot, err := rig.Take(dir)
	if err != nil {
		s.Fatal(err)
	}
	return snapshot
}

// unchanged demands that nothing differs between two snapshots but what own names.
func (s *stage) unchanged(what string, before, after rig.Snapshot, own ...string) {
	s.Helper()
	if changes := before.Changes(after, own...); len(changes) > 0 {
		s.Errorf("%s: %s", what, strings.Join(changes, "; "))
	}
}

// nothingLeft demands that the host's state holds no file of a session. Bundles and caches are shared and stay, and so
// does the mark of the directory itself.
func (g *greenroom) nothingLeft() {
	g.Helper()
	for name, entry := range g.take(g.state) {
		shared := strings.HasPrefix(name, "store/") || strings.HasPrefix(name, "cache/") || name == "greenroom-state"
		if !shared && !entry.Mode.IsDir() || strings.HasPrefix(name, "s/") {
			g.Errorf("left behind: %s", name)
		}
	}
}

// instructions are what the session's agent should be told, rendered apart from the host.
func (g *greenroom) instructions() string {
	g.Helper()
	set, err := canon.Default()
	if err != nil {
		g.Fatal(err)
	}
	resolved, err := capability.Resolve(g.Context(), capability.Request{
		Identity: capability.Identity{Product: product}, Texts: set, Descriptor: g.client.descriptor(),
	})
	if err != nil {
		g.Fatal(err)
	}
	document, err := set.Document(resolved.Facts)
	if err != nil {
		g.Fatal(err)
	}
	return strings.TrimSpace(document.Text)
}

// oursOnce demands that a request tells the instructions once and lists each of our skills once.
func (g *greenroom) oursOnce(p *core.Prepared, r upstream.Request) {
	g.Helper()
	text := g.text(r)
	g.counts(text, map[string]int{g.instructions(): 1, "# " + product + " session": 1})
	if len(p.Skills) < 2 {
		g.Errorf("the session has %d skills of ours, want at least 2", len(p.Skills))
	}
	for _, skill := range p.Skills {
		g.counts(text, map[string]int{g.client.listing(skill.Name): 1})
		if _, err := os.Stat(skill.Path); err != nil {
			g.Errorf("the skill %s does not lie where the host says: %v", skill.Name, err)
		}
	}
}

// lockedBuffer takes logs from several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
