package launch_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// Whatever a host does at the wrong moment ends, with an answer.
func TestCallsAtTheWrongMoment(t *testing.T) {
	t.Parallel()
	each(t, "a prompt during the close", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, _ := s.open()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 20 {
					if e := last(s.turn(c, "say a")); e.Err != nil && !errors.Is(e.Err, core.ErrBusy) && !errors.Is(e.Err, core.ErrClosed) {
						t.Errorf("%+v %v", e, e.Err)
					}
				}
			})
		}
		all.Go(func() {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		if e := last(s.turn(c, "say x")); !errors.Is(e.Err, core.ErrClosed) {
			t.Errorf("%+v", e)
		}
		if _, err := c.NewSession(t.Context()); !errors.Is(err, core.ErrClosed) {
			t.Errorf("a conversation after the end: %v", err)
		}
	})
	each(t, "cancelled twice while permission is asked", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		asked := make(chan struct{}, 1)
		c, _ := s.open(func(o *launch.Options) {
			o.Policy = func(ctx context.Context, _ launch.Request) launch.Answer {
				asked <- struct{}{}
				<-ctx.Done()
				return launch.AllowAlways
			}
		})
		go func() {
			<-asked
			for range 5 {
				c.Cancel()
			}
		}()
		events := s.turn(c, "ask t1 execute x\nsleep 1m")
		if e := last(events); e.Reason != launch.Cancelled {
			t.Errorf("%+v", e)
		}
		for _, e := range events {
			if e.Kind == launch.PermissionRequest && e.Answer != launch.CancelTurn {
				t.Errorf("answered %q", e.Answer)
			}
		}
		c.Cancel()
		if got := said(s.turn(c, "say on")); got != "on" {
			t.Errorf("the next turn says %q", got)
		}
	})
	each(t, "before there is a conversation", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, err := launch.Open(t.Context(), s.prepare("one"), s.options())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for name, err := range map[string]error{"prompt": last(s.turn(c, "say x")).Err, "model": c.SetModel(t.Context(), "large"),
			"option": c.Set(t.Context(), "mode", "plan"), "guide": c.Guide(t.Context(), launch.Block{Text: "x"})} {
			if !errors.Is(err, core.ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.NewSession(ctx); err == nil {
			t.Error("a conversation of a context that is over")
		}
		if _, err := c.NewSession(t.Context()); err != nil {
			t.Errorf("after one that was given up: %v", err)
		}
		if got := said(s.turn(c, "say on")); got != "on" {
			t.Errorf("it says %q", got)
		}
	})
}

// Text arrives whole and in order, however it is cut into messages and whatever bytes it is made of.
func TestTextArrivesAsItWasSaid(t *testing.T) {
	t.Parallel()
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		c, _ := s.open()
		for _, text := range []string{"ä€😀", "\u2028\u2029", `"\u0000`, "</x>&", "e\u0301", strings.Repeat("😀", 100_000)} {
			if got := said(s.turn(c, "say "+text+"\nsay "+text)); got != text+text {
				t.Errorf("%.20q arrived as %.40q, %d bytes", text, got, len(got))
			}
		}
		// Bytes that are no text count as what cannot be shown, and break nothing.
		if got := said(s.turn(c, "noise \xff\xfe\nsay on")); got != "on" {
			t.Errorf("said %q", got)
		}
	})
}

// A secret that the client prints is masked, however it is cut when it is written.
func TestSecretsInPiecesAreMasked(t *testing.T) {
	t.Parallel()
	const secret = "sk-secret-of-this-session-51c2"
	each(t, "", func(t *testing.T, scene newSceneFunc) {
		s := scene(t)
		p := s.prepare("one")
		p.Env = append(p.Env, core.EnvVar{Name: "FAKE_KEY", Op: "set", Value: secret, Secret: true})
		c, err := launch.Open(t.Context(), p, s.options())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		e := last(s.turn(c, "drip "+secret+"\ndie of "+secret))
		if !errors.Is(e.Err, launch.ErrEnded) || strings.Contains(e.Err.Error(), secret[:12]) || strings.Count(e.Err.Error(), "[masked]") != 2 {
			t.Errorf("%v", e.Err)
		}
		e = last(s.turn(c, "fail 1 no "+secret))
		if !errors.Is(e.Err, launch.ErrFault) || strings.Contains(e.Err.Error(), secret) {
			t.Errorf("%v", e.Err)
		}
	})
}

// A connection that is closed leaves no goroutine and no open file, however its turns ended.
func TestNothingIsLeftOfConnections(t *testing.T) {
	s := newStream(t)
	app, acp := newApp(t), newScene(t)
	round := func() {
		for _, s := range []*scene{s, app, acp} {
			c, err := launch.Open(t.Context(), s.prepare("one"), s.options(func(o *launch.Options) { o.CancelGrace = 100 * time.Millisecond }))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.NewSession(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.turn(c, "say a")
			s.turn(c, "die now")
			s.turn(c, "flood 20000000")
			for range c.Prompt(t.Context(), launch.Block{Text: "repeat 500 x\nsleep 1m"}) {
				break
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	files := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("this system does not tell which files are open")
		}
		return len(list)
	}
	round()
	goroutines, open := runtime.NumGoroutine(), files()
	for range 3 {
		round()
	}
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		g, f := runtime.NumGoroutine(), files()
		if g <= goroutines && f <= open {
			break
		}
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("%d goroutines and %d files, were %d and %d", g, f, goroutines, open)
		}
	}
}

// What a client never answers does not hold up the end of the connection.
func TestCloseDoesNotWaitForAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scene newSceneFunc
		hang  string
		talk  bool // there is a conversation before
		call  func(context.Context, *launch.Conn) error
	}{
		"a conversation":                  {newScene, "session/new", false, begin},
		"a conversation of an app-server": {newApp, "thread/start", false, begin},
		"a conversation of a stream":      {newStream, "initialize", false, begin},
		"a model":                         {newScene, "session/set_config_option", true, setModel},
		"a model of a stream":             {newStream, "set_model", true, setModel},
		"an option":                       {newScene, "session/set_config_option", true, setMode("mode")},
		"an option of a stream":           {newStream, "set_permission_mode", true, setMode("permission_mode")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := c.scene(t, "-hang", c.hang)
			conn, err := launch.Open(t.Context(), s.prepare("one"), s.options(func(o *launch.Options) { o.StartTimeout = time.Hour }))
			if err != nil {
				t.Fatal(err)
			}
			if c.talk {
				if _, err := conn.NewSession(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			asked := make(chan error, 1)
			go func() {
				err := c.call(t.Context(), conn)
				for errors.Is(err, core.ErrBusy) { // with the look below, whether it is
					err = c.call(t.Context(), conn)
				}
				asked <- err
			}()
			// Until the call holds the connection; from then on nothing else does. The look itself waits for nothing.
			over, cancel := context.WithCancel(t.Context())
			cancel()
			for !errors.Is(conn.Set(over, "", ""), core.ErrBusy) {
				runtime.Gosched()
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
			if err := <-asked; !errors.Is(err, core.ErrClosed) {
				t.Errorf("the call ended with %v", err)
			}
		})
	}
}

func begin(ctx context.Context, c *launch.Conn) error {
	_, err := c.NewSession(ctx)
	return err
}

func setModel(ctx context.Context, c *launch.Conn) error { return c.SetModel(ctx, "large") }

func setMode(option string) func(context.Context, *launch.Conn) error {
	return func(ctx context.Context, c *launch.Conn) error { return c.Set(ctx, option, "plan") }
}
