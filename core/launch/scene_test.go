package launch_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestMain(m *testing.M) {
	launchtest.Main()
	hostMain()
	os.Exit(m.Run())
}

// scene is a host with a session of the fake agent.
type scene struct {
	*testing.T
	host *core.Host
	env  []string
	cwd  string
}

func newScene(t *testing.T, flags ...string) *scene {
	t.Helper()
	return sceneOf(t, launchtest.Adapter{Flags: flags})
}

// newStream is a scene whose agent speaks stream-json.
func newStream(t *testing.T, flags ...string) *scene {
	t.Helper()
	return sceneOf(t, launchtest.Adapter{Flags: flags, Transport: preparer.ClaudeStreamJSON})
}

// newApp is a scene whose agent speaks the protocol of the app-server.
func newApp(t *testing.T, flags ...string) *scene {
	t.Helper()
	return sceneOf(t, launchtest.Adapter{Flags: flags, Transport: preparer.CodexAppServer})
}

func sceneOf(t *testing.T, a launchtest.Adapter) *scene {
	t.Helper()
	dir := t.TempDir()
	s := &scene{T: t, cwd: filepath.Join(dir, "work")}
	for _, d := range []string{s.cwd, filepath.Join(dir, "home")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.env = []string{"PATH=" + launchtest.Install(t) + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home")}
	host, err := core.New(t.Context(), core.Config{
		StateDir: filepath.Join(dir, "state"), Home: filepath.Join(dir, "home"), Environ: s.env, Commands: command.Fixed(),
		Adapters: []adapter.Source{{InProcess: a}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	s.host = host
	return s
}

func (s *scene) prepare(id string) *core.Prepared {
	s.Helper()
	p, err := s.host.Prepare(s.Context(), core.Session{Workspace: "w", ID: id, Provider: launchtest.Provider, Cwd: s.cwd})
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// options are those of a host in a hurry.
func (s *scene) options(change ...func(*launch.Options)) launch.Options {
	o := launch.Options{Host: s.host, Environ: s.env, StartTimeout: 30 * time.Second, CancelGrace: 5 * time.Second, EndGrace: 5 * time.Second}
	for _, c := range change {
		c(&o)
	}
	return o
}

// open opens a connection with a conversation.
func (s *scene) open(change ...func(*launch.Options)) (*launch.Conn, launch.Conversation) {
	s.Helper()
	c, err := launch.Open(s.Context(), s.prepare("one"), s.options(change...))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := c.Close(); err != nil {
			s.Error(err)
		}
	})
	talk, err := c.NewSession(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return c, talk
}

// turn runs a turn to its end.
func (s *scene) turn(c *launch.Conn, prompt string) []launch.Event {
	s.Helper()
	return slices.Collect(c.Prompt(s.Context(), launch.Block{Text: prompt}))
}

// said is the text of a turn.
func said(events []launch.Event) (text string) {
	for _, e := range events {
		if e.Kind == launch.Text {
			text += e.Text
		}
	}
	return text
}

func last(events []launch.Event) launch.Event { return events[len(events)-1] }

type newSceneFunc func(t *testing.T, flags ...string) *scene

// each runs a test once for each protocol.
func each(t *testing.T, name string, run func(t *testing.T, scene newSceneFunc)) {
	t.Helper()
	for protocol, scene := range map[string]newSceneFunc{"acp": newScene, "app-server": newApp, "stream-json": newStream} {
		t.Run(name+" "+protocol, func(t *testing.T) {
			t.Parallel()
			run(t, scene)
		})
	}
}
