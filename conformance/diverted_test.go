package conformance_test

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// diversion is one way to lead a client on an endpoint elsewhere. Each is first shown to work with our measures taken away,
// so that a case which can do nothing fails, and then to do nothing.
type diversion struct {
	// set puts it in place. Variables of the shell are added to the user's environment.
	set func(*stage)
	// unguarded takes our measures away from the client that is about to run. nil: c.unguarded of the client's cases.
	unguarded func(*stage, *exec.Cmd)
}

// diverted runs a client on an endpoint twice, without our measures and with them.
func diverted(t *testing.T, c client, d diversion, unguarded func(*stage, *exec.Cmd)) {
	t.Helper()
	t.Parallel()
	if d.unguarded != nil {
		unguarded = d.unguarded
	}
	open := func() (*stage, *greenroom, *exec.Cmd) {
		s := newStage(t, c, upstream.Say("first"), upstream.Say("second"))
		d.set(s)
		g := s.open()
		session := g.onPlan("diverted")
		cmd, err := g.prepare(session).Command(context.Background(), g.environ, c.turn("hello")...)
		if err != nil {
			t.Fatal(err)
		}
		return s, g, cmd
	}
	control, _, cmd := open()
	unguarded(control, cmd)
	rig.Run(cmd, patience)
	if led := control.led(); len(led) == 0 {
		t.Error("it leads nowhere with our measures taken away: the case shows nothing")
	} else {
		t.Logf("without our measures: %s", strings.Join(led, "; "))
	}

	s, _, cmd := open()
	s.play(cmd)
	if led := s.led(); len(led) > 0 {
		t.Error(strings.Join(led, "; "))
	}
}

// led is all that shows that a client was led away from its endpoint.
func (s *stage) led() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, r := range s.thief.Requests() {
		say("the thief is asked %s %s with %s", r.Method, r.Path, credentials(r))
	}
	for _, host := range s.proxy.Targets() {
		say("a proxy is asked for %s", host)
	}
	for _, name := range []string{"helper", "socket", "project-server"} {
		if s.marked(name) {
			say("%s was used", name)
		}
	}
	turns := s.up.Turns()
	if len(turns) == 0 {
		say("the endpoint is not asked")
	}
	for _, r := range turns {
		if got := credentials(r); got != "Bearer "+planKey {
			say("the endpoint is asked with %s", got)
		}
		if got := r.Header.Get("X-Diverted"); got != "" {
			say("a header is added")
		}
		if !strings.Contains(string(r.Body), `"model":"plan-large"`) {
			say("another model is asked for")
		}
	}
	return list
}

// credentials are those that a request carries.
func credentials(r upstream.Request) string {
	return strings.Join(slices.Concat(r.Header["Authorization"], r.Header["X-Api-Key"], r.Header["Api-Key"]), " and ")
}

// helper is a program that leaves a mark and prints something like a credential.
func (s *stage) helper() string {
	s.Helper()
	path := filepath.Join(s.tools, "helper")
	rig.WriteProgram(s, path, "#!/bin/sh\n: > '"+filepath.Join(s.marks, "helper")+"'\necho helper-key-51c2\n")
	return path
}

// socket is a unix socket that leaves a mark when something is written to it.
func (s *stage) socket() string {
	s.Helper()
	path := filepath.Join(s.dir, "thief.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if n, _ := c.Read(make([]byte, 1)); n > 0 {
				rig.Write(s, filepath.Join(s.marks, "socket"), "")
			}
			c.Close()
		}
	}()
	return path
}

// shell adds variables to the user's shell.
func shell(list func(*stage) []string) func(*stage) {
	return func(s *stage) { s.environ = append(s.environ, list(s)...) }
}

// inherited gives a client the shell's variables back that a session takes away or sets anew.
func inherited(s *stage, cmd *exec.Cmd, names ...string) {
	for _, kv := range s.environ {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(names, name) {
			cmd.Env = append(without(cmd.Env, name), kv)
		}
	}
}

// without is an environment without a variable.
func without(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
}

// The seam between endpoint and proxy is the same for every client.
func TestH40_TheEndpointIsReachedWithoutTheUsersProxy(t *testing.T) {
	t.Parallel()
	for _, c := range []client{codex, claude, opencode} { // Kimi Code goes to this machine directly, whatever is set
		t.Run(c.name, func(t *testing.T) {
			diverted(t, c, diversion{
				set: func(s *stage) { s.environ = without(s.environ, "NO_PROXY") },
			}, func(_ *stage, cmd *exec.Cmd) { cmd.Env = without(without(cmd.Env, "NO_PROXY"), "no_proxy") })
		})
	}
}

// A session on an endpoint asks it and nobody else, with its key and nothing of the user's, and works like any other.
func TestC256_C262_OnAnEndpoint(t *testing.T) {
	t.Parallel()
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			// The client stores what its commands print, so this one says whether the key is there without saying it.
			s := newStage(t, c, c.shell("if env | grep -q 'plan-key-51c[2]'; then echo key-is-seen; else echo key-is-hidden; fi"), upstream.Say("first-answer"), upstream.Say("second-answer"))
			g := s.open()
			home, project := s.take(s.home), s.take(s.cwd)
			session := g.onPlan("plan")
			p := g.prepare(session)
			thread, err := c.thread(g.run(p, c.turn("first-prompt")...).Stdout)
			if err != nil {
				t.Fatal(err)
			}
			g.run(g.prepare(session), c.resume(thread, "second-prompt")...)
			turns := s.turns(3)
			for _, turn := range turns {
				g.oursOnce(p, turn)
				s.counts(s.text(turn), map[string]int{userInstructions: 1, userSkill: 1, projectInstructions: 1, "first-prompt": 1})
			}
			if led := s.led(); len(led) > 0 {
				t.Error(strings.Join(led, "; "))
			}
			g.onlyInTheEnvironment(p)
			results, err := turns[1].ToolResults()
			if err != nil || len(results) != 1 {
				t.Fatalf("the command gave %q, %v", results, err)
			}
			told := slices.ContainsFunc(p.Diagnostics, func(d core.Diagnostic) bool { return strings.HasPrefix(d.Code, c.name+".key-in-") })
			if strings.Contains(results[0], "key-is-seen") != told || strings.Contains(results[0], "key-is-hidden") == told {
				t.Errorf("what commands see of the key is %q, and the session says that they see it: %v", results[0], told)
			}
			model := "plan-large"
			if c.descriptor().Model.Addressing == preparer.ProviderPrefixed {
				model = preparer.EndpointProvider + "/" + model
			}
			if p.Models.Source != core.FromEndpoint || p.Models.Default != model {
				t.Errorf("the session says %+v", p.Models)
			}
			g.cleanup(session)
			g.nothingLeft()
			s.unchanged("the home", home, s.take(s.home), c.ownState()...)
			s.unchanged("the project", project, s.take(s.cwd))
		})
	}
}
