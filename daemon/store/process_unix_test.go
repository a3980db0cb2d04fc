//go:build unix

package store_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/secret"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// Variables that make the test binary a process that writes to a store until it is ended.
const (
	writerStore = "GREENROOM_TEST_STORE"       // the engine, a colon, and where
	writerWork  = "GREENROOM_TEST_STORE_WRITE" // one of writes
)

// wrote is a write that the store acknowledged.
type wrote struct {
	What     string // "plan", "agent" or "session"
	ID       string
	Revision int64
	Gone     bool
	Lost     bool // somebody else's write came first
}

type writer struct {
	*store.Store
	n int
}

func (w *writer) say(one wrote) {
	data, _ := json.Marshal(one)
	_, _ = os.Stdout.Write(append(data, '\n'))
}

func (w *writer) plan(ctx context.Context) plan.Plan {
	p, err := w.CreatePlan(ctx, "w", spec("made"), key(canary))
	w.check(err)
	w.say(wrote{What: "plan", ID: p.ID, Revision: 1})
	return p
}

func (w *writer) agent(ctx context.Context) agent.Agent {
	a, err := w.CreateAgent(ctx, "w", harness, agent.Spec{Name: "a", Harness: "h", Plan: w.theOne(ctx).ID})
	w.check(err)
	w.say(wrote{What: "agent", ID: a.ID, Revision: 1})
	return a
}

func (w *writer) theOne(ctx context.Context) plan.Plan {
	all, err := w.Plans(ctx, "w")
	w.check(err)
	return all[0]
}

func (w *writer) check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// writes are the kinds of writes there are, each as one step of a process that does nothing else.
var writes = map[string]func(context.Context, *writer){
	"create plan": func(ctx context.Context, w *writer) { w.plan(ctx) },
	"update plan": func(ctx context.Context, w *writer) {
		p := w.theOne(ctx)
		w.n++
		fresh := key(fmt.Sprintf("%s-%d", canary, w.n))
		next, err := w.UpdatePlan(ctx, "w", p.ID, p.Revision, spelt(func(s *plan.Spec) { s.Name = fmt.Sprint("name ", w.n) }, &fresh))
		if errors.Is(err, problem.PlanConflict) {
			w.say(wrote{What: "plan", ID: p.ID, Lost: true})
			return
		}
		w.check(err)
		w.say(wrote{What: "plan", ID: p.ID, Revision: next.Revision})
	},
	"enable plan": func(ctx context.Context, w *writer) {
		p := w.plan(ctx) // one that no agent needs enabled
		for range 5 {
			next, err := w.EnablePlan(ctx, "w", p.ID, p.Revision, !p.Enabled)
			w.check(err)
			p = next
			w.say(wrote{What: "plan", ID: p.ID, Revision: p.Revision})
		}
	},
	"copy plan": func(ctx context.Context, w *writer) {
		p, err := w.DuplicatePlan(ctx, "w", w.theOne(ctx).ID, "")
		w.check(err)
		w.say(wrote{What: "plan", ID: p.ID, Revision: 1})
	},
	"delete plan": func(ctx context.Context, w *writer) {
		p := w.plan(ctx)
		w.check(w.DeletePlan(ctx, "w", p.ID, p.Revision))
		w.say(wrote{What: "plan", ID: p.ID, Gone: true})
	},
	"record detection": func(ctx context.Context, w *writer) {
		p := w.theOne(ctx)
		_, err := w.RecordDetection(ctx, "w", p.ID, checked(p))
		w.check(err)
	},
	"create agent": func(ctx context.Context, w *writer) { w.agent(ctx) },
	"update agent": func(ctx context.Context, w *writer) {
		a := w.agent(ctx)
		for range 5 {
			a.Instructions += "more. "
			next, err := w.UpdateAgent(ctx, "w", a.ID, a.Revision, harness, a.Spec)
			w.check(err)
			a = next
			w.say(wrote{What: "agent", ID: a.ID, Revision: a.Revision})
		}
	},
	"delete agent": func(ctx context.Context, w *writer) {
		a := w.agent(ctx)
		w.check(w.DeleteAgent(ctx, "w", a.ID, a.Revision))
		w.say(wrote{What: "agent", ID: a.ID, Gone: true})
	},
	"bind session": func(ctx context.Context, w *writer) { w.session(ctx, false) },
	"end session":  func(ctx context.Context, w *writer) { w.session(ctx, true) },
	"accept": func(ctx context.Context, w *writer) {
		id := w.session(ctx, false)
		_, err := w.Accept(ctx, "w", id, acceptance.AgentClaimed, "turn", acceptance.Program)
		w.check(err)
	},
	"reseal": func(ctx context.Context, w *writer) {
		_, unreadable, err := w.Reseal(ctx)
		w.check(err)
		if unreadable != 0 {
			w.check(fmt.Errorf("%d credentials cannot be read", unreadable))
		}
	},
}

func (w *writer) session(ctx context.Context, end bool) string {
	p := w.theOne(ctx)
	w.n++
	id := fmt.Sprintf("s-%d-%d", os.Getpid(), w.n)
	snap := store.Snapshot{Workspace: "w", Session: id, Plan: p.ID, Revision: p.Revision, Harness: "h"}
	for from := range int64(2) {
		bound, err := w.BindSession(ctx, from, snap)
		w.check(err)
		w.say(wrote{What: "session", ID: id, Revision: bound.Generation})
	}
	if end {
		w.check(w.EndSession(ctx, "w", id))
		w.say(wrote{What: "session", ID: id, Gone: true})
	}
	return id
}

// write is what a writing process does.
func write(at, work string) {
	ctx := context.Background()
	r, err := secret.NewRing(rand.Reader, []byte(strings.Repeat("a", 16)))
	w := new(writer)
	w.check(err)
	c := store.Config{Ring: always(r), Now: time.Now, Random: rand.Reader}
	engine, where, _ := strings.Cut(at, ":")
	if engine == "SQLite" {
		w.Store, err = store.OpenSQLite(ctx, where, c)
	} else {
		w.Store, err = store.OpenPostgres(ctx, where, c)
	}
	w.check(err)
	fmt.Println("{}") // it is open, and begins
	for {
		writes[work](ctx, w)
	}
}

// writing is a process that writes.
type writing struct {
	cmd *exec.Cmd
	out *bufio.Scanner
	err strings.Builder
}

func startWriting(t *testing.T, at place, work string) *writing {
	t.Helper()
	w := &writing{cmd: exec.Command(os.Args[0])}
	w.cmd.Env = append(os.Environ(), writerStore+"="+at.where, writerWork+"="+work)
	w.cmd.Stderr = &w.err
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.out = bufio.NewScanner(out)
	if !w.out.Scan() {
		_ = w.cmd.Wait()
		t.Fatalf("%s: it did not begin: %s", work, w.err.String())
	}
	return w
}

// kill ends it with SIGKILL, and gives what it still said.
func (w *writing) kill(t *testing.T) []wrote {
	t.Helper()
	if err := w.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	said := w.rest(t)
	_ = w.cmd.Wait()
	if w.err.Len() > 0 {
		t.Errorf("it failed by itself: %s", w.err.String())
	}
	return said
}

func (w *writing) rest(t *testing.T) (said []wrote) {
	for w.out.Scan() {
		var one wrote
		if json.Unmarshal(w.out.Bytes(), &one) == nil { // the last line may be cut
			said = append(said, one)
		}
	}
	return said
}

// workNames are the names of all writes, in one order.
func workNames() []string {
	var names []string
	for name := range writes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
