package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	os.Exit(m.Run())
}

// transports are those that the agents speak, a host for each.
var transports = []preparer.Transport{preparer.ACP, preparer.CodexAppServer, preparer.ClaudeStreamJSON}

// troupe is hosts with agents that are driven.
type troupe struct {
	*testing.T
	dir   string
	hosts []*core.Host
	env   []string
}

func newTroupe(t *testing.T) *troupe {
	t.Helper()
	x := &troupe{T: t, dir: t.TempDir()}
	for _, d := range []string{"home", "work"} {
		if err := os.Mkdir(filepath.Join(x.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	x.env = []string{"HOME=" + filepath.Join(x.dir, "home"), "PATH=" + launchtest.Install(t) + ":" + os.Getenv("PATH")}
	for _, transport := range transports {
		h, err := core.New(t.Context(), core.Config{StateDir: filepath.Join(x.dir, "state-"+string(transport)), Home: filepath.Join(x.dir, "home"), Environ: x.env,
			Commands: command.Fixed(), Adapters: []adapter.Source{{InProcess: launchtest.Adapter{Transport: transport}}}, Timeout: 2 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		x.hosts = append(x.hosts, h)
	}
	return x
}

// turns are what agents are told, most of which ends badly.
var turns = []string{
	"say a\ntool t1 execute ls\ndone t1 x\nsay b", "repeat 500 x", "say a\nsleep 300ms\nsay b", "ask t1 execute rm", "child %s", "orphan %s", "child %s\ndie soon",
	"say a\ndie soon", "noise x\nsay a", "rant 100000\nsay a", "fail 1 not now", "say a\nsleep 1m",
}

// session is one session from its beginning to its end.
func (x *troupe) session(ctx context.Context, h *core.Host, id string, r *rand.Rand, killed *atomic.Int64) error {
	ses := core.Session{Workspace: "w", ID: id, Provider: launchtest.Provider, Cwd: filepath.Join(x.dir, "work")}
	p, err := h.Prepare(ctx, ses)
	if err != nil {
		return err
	}
	c, err := launch.Open(ctx, p, launch.Options{Host: h, Environ: x.env, Policy: launch.AllowKinds("execute"), StartTimeout: 2 * time.Minute, CancelGrace: 200 * time.Millisecond})
	if err != nil {
		return err
	}
	if _, err := c.NewSession(ctx); err != nil {
		return errors.Join(err, c.Close())
	}
	for range 1 + r.IntN(4) {
		text := turns[r.IntN(len(turns))]
		if strings.Contains(text, "%s") {
			text = fmt.Sprintf(text, filepath.Join(x.dir, "number-"+id))
		}
		fate := r.IntN(5)
		for e := range c.Prompt(ctx, launch.Block{Text: "pid\n" + text}) {
			if e.Kind != launch.Text {
				continue
			}
			if pid, err := strconv.Atoi(e.Text); err == nil && fate == 0 && pid > 1 {
				killed.Add(1)
				if p, err := os.FindProcess(pid); err == nil {
					_ = p.Kill()
				}
			}
			if fate == 1 {
				fate = -1
				killed.Add(1)
				if _, err := h.Stop(ctx, ses.Ref()); err != nil {
					return errors.Join(err, c.Close())
				}
			}
			if fate == 2 || strings.Contains(text, "1m") {
				time.AfterFunc(time.Duration(r.IntN(100))*time.Millisecond, c.Cancel)
			}
			if fate == 3 {
				break // the host stops reading
			}
		}
	}
	if err := c.Close(); err != nil {
		return err
	}
	_, err = h.Cleanup(ctx, ses.Ref(), core.CleanupOptions{})
	return err
}

// left are the processes that work where the agents did.
func (x *troupe) left() (list []string) {
	x.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		x.Fatal(err)
	}
	for _, e := range entries {
		if cwd, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd")); err == nil && strings.HasPrefix(cwd, x.dir) {
			line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			list = append(list, e.Name()+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return list
}

// TestSoak_DrivenSessions drives agents that are killed, stopped and cancelled at random, and then looks for what was left. For as
// long as GREENROOM_SOAK says, and for a minute at least, there are 200 at once; without it a few for a moment.
func TestSoak_DrivenSessions(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a client has started")
	}
	atOnce, length := 6, 2*time.Second
	if given, err := time.ParseDuration(os.Getenv("GREENROOM_SOAK")); err == nil {
		atOnce, length = 200, max(given, time.Minute)
	}
	x := newTroupe(t)
	seed := uint64(time.Now().UnixNano())
	var killed atomic.Int64
	for i, h := range x.hosts { // what is made once is there from here on
		if err := x.session(t.Context(), h, fmt.Sprint("first-", i), rand.New(rand.NewPCG(1, 1)), &killed); err != nil {
			t.Fatal(err)
		}
	}
	before := weigh()
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var sessions atomic.Int64
	var wg sync.WaitGroup
	for w := range atOnce {
		r := rand.New(rand.NewPCG(seed, uint64(w)))
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				// A session that has begun is seen to its end.
				err := x.session(context.WithoutCancel(ctx), x.hosts[w%len(x.hosts)], fmt.Sprintf("s%d-%d", w, n), r, &killed)
				if err != nil {
					t.Errorf("seed %d: session s%d-%d: %v%s", seed, w, n, err, causes(err))
					cancel()
				}
				sessions.Add(1)
			}
		})
	}
	wg.Wait()
	t.Logf("%d sessions, %d at once, %d killed", sessions.Load(), atOnce, killed.Load())
	if list := x.left(); len(list) > 0 {
		t.Errorf("seed %d: %d processes are left: %v", seed, len(list), list[:min(5, len(list))])
	}
	after := weigh()
	for begin := time.Now(); after.routines > before.routines+4 && time.Since(begin) < 5*time.Second; after = weigh() {
		time.Sleep(50 * time.Millisecond) // timers that have nothing to cancel any more
	}
	if after.files > before.files+4 || after.routines > before.routines+4 {
		t.Errorf("seed %d: before there were %v, after %v", seed, before, after)
	}
	for i, h := range x.hosts {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		for _, dir := range []string{"m", "s", "w", "h", "c"} {
			if entries, err := os.ReadDir(filepath.Join(x.dir, "state-"+string(transports[i]), dir)); err != nil || len(entries) > 0 {
				t.Errorf("seed %d: %s holds %d entries, %v", seed, dir, len(entries), err)
			}
		}
	}
}
