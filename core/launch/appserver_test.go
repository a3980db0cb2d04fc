package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const marker = ".actor-system-skills.marker"

// actor is the adapter of a client that is told of skills over its protocol.
type actor struct{ transport preparer.Transport }

func (a actor) Describe() preparer.Descriptor {
	return preparer.Descriptor{
		Provider: "actor", Version: "1.0.0",
		Client:       preparer.Client{Executables: []string{"actor"}, Transport: a.transport},
		Instructions: []preparer.Channel{preparer.HomeFile}, Rewrite: preparer.InstructionsOnly,
		Skills: preparer.SkillChannel{Kind: preparer.SkillExtraRoots, Links: true, Names: preparer.PlainNames},
		Env:    []string{"ACTOR_HOME"},
	}
}

func (a actor) Prepare(_ context.Context, r preparer.Request) (*preparer.Layout, error) {
	l, home, skills := preparer.NewLayout(), preparer.Session("actor"), preparer.Session("skills")
	l.Block(home.Join("AGENTS.md"), []preparer.Base{preparer.Empty()}, r.Instructions.Text())
	l.Set("ACTOR_HOME", home.Value())
	if a.transport != preparer.CodexAppServer {
		return l, nil
	}
	l.Skills(preparer.PlaceSkills{At: skills})
	l.Action(preparer.Action{Kind: preparer.SnapshotTree, At: home.Join("skills/.system"), Marker: marker})
	l.Action(preparer.Action{Kind: preparer.ExtraRoots, At: skills})
	l.Action(preparer.Action{Kind: preparer.VerifySkills})
	return l, nil
}

type stage struct {
	*testing.T
	dir     string
	host    *core.Host
	session core.Session
}

func newStage(t *testing.T, a actor) *stage {
	t.Helper()
	s := &stage{T: t, dir: t.TempDir()}
	cwd := filepath.Join(s.dir, "work")
	if err := errors.Join(os.Mkdir(cwd, 0o755), os.Mkdir(filepath.Join(s.dir, "home"), 0o755)); err != nil {
		t.Fatal(err)
	}
	var err error
	s.host, err = core.New(t.Context(), core.Config{
		Commands: command.Fixed(),
		StateDir: filepath.Join(s.dir, "state"), Home: filepath.Join(s.dir, "home"), Adapters: []adapter.Source{{InProcess: a}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.host.Close() })
	s.session = core.Session{Workspace: "w", ID: "one", Provider: "actor", Cwd: cwd}
	return s
}

// prepare prepares the session and unpacks what its client would when it starts.
func (s *stage) prepare() *core.Prepared {
	s.Helper()
	p, err := s.host.Prepare(s.Context(), s.session)
	if err != nil {
		s.Fatal(err)
	}
	at := filepath.Join(p.Dir, "actor/skills/.system")
	if _, err := os.Stat(at); err == nil {
		return p
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(at, "maker"), 0o755), os.WriteFile(filepath.Join(at, marker), []byte("1\n"), 0o644),
		os.WriteFile(filepath.Join(at, "maker/SKILL.md"), []byte("---\nname: maker\n---\n"), 0o644)); err != nil {
		s.Fatal(err)
	}
	return p
}

var who = launch.Info{Name: "stage", Version: "0"}

func (s *stage) open(p *core.Prepared, client *launchtest.Appserver) (*launch.Appserver, error) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), 10*time.Second)
	defer cancel()
	pipes, end := client.Play()
	s.Cleanup(end)
	return launch.OpenAppserver(ctx, p, pipes, who)
}

func TestC193_StepsComeInOrderAndBeforeAnyThread(t *testing.T) {
	t.Parallel()
	s := newStage(t, actor{preparer.CodexAppServer})
	p := s.prepare()
	system := filepath.Join(p.Dir, "actor/skills/.system")
	client := &launchtest.Appserver{}
	client.Before = func(method string, _ json.RawMessage) {
		fi, err := os.Lstat(system)
		if err != nil {
			t.Errorf("at %s: %v", method, err)
			return
		}
		swapped, want := fi.Mode()&os.ModeSymlink != 0, method != "initialize" && method != "initialized"
		if swapped != want && method != "initialized" { // the client may read that one late
			t.Errorf("at %s the client's skills are in the store: %v", method, swapped)
		}
	}
	a, err := s.open(p, client)
	if err != nil {
		t.Fatal(err)
	}
	thread, err := a.Start(t.Context(), map[string]any{"approvalPolicy": "never", "cwd": "/elsewhere"})
	if err != nil || thread.ID == "" {
		t.Fatal(thread, err)
	}
	if again, err := a.Resume(t.Context(), thread.ID, nil); err != nil || again != thread {
		t.Errorf("resumed: %v %v", again, err)
	}
	want := []string{"initialize", "initialized", "skills/extraRoots/set", "skills/list", "thread/start", "thread/resume"}
	if diff := cmp.Diff(want, client.Called()); diff != "" {
		t.Error(diff)
	}
	if roots := client.Roots(); len(roots) != 1 || !strings.HasPrefix(roots[0], filepath.Join(s.dir, "state/store/skills")+"/") {
		t.Errorf("told of %v", roots)
	}
	// A session that is prepared and started again tells the same.
	again := &launchtest.Appserver{}
	if _, err := s.open(s.prepare(), again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(client.Roots(), again.Roots()); diff != "" {
		t.Error(diff)
	}
}

func TestC195_H23_AStepThatFailsFailsTheStart(t *testing.T) {
	t.Parallel()
	gone := launch.RPCError{Code: -32601, Message: "no such method at /home/somebody"}
	bad := launch.RPCError{Code: -32600, Message: "bad request at /home/somebody"}
	const skill = "tutti-cli"
	for name, c := range map[string]struct {
		client *launchtest.Appserver
		want   core.Code
		says   string
	}{
		"refuses to begin":     {&launchtest.Appserver{Refuse: map[string]launch.RPCError{"initialize": bad}}, core.ErrHandshake, "refused"},
		"ends at once":         {&launchtest.Appserver{End: "initialize"}, core.ErrHandshake, "ended"},
		"does not know roots":  {&launchtest.Appserver{Refuse: map[string]launch.RPCError{"skills/extraRoots/set": gone}}, core.ErrHandshake, "version 0.51.2, does not know"},
		"refuses roots":        {&launchtest.Appserver{Refuse: map[string]launch.RPCError{"skills/extraRoots/set": bad}}, core.ErrHandshake, "refused"},
		"ends at the roots":    {&launchtest.Appserver{End: "skills/extraRoots/set"}, core.ErrHandshake, "ended"},
		"does not know a list": {&launchtest.Appserver{Refuse: map[string]launch.RPCError{"skills/list": gone}}, core.ErrHandshake, "version 0.51.2, does not know"},
		"answers junk":         {&launchtest.Appserver{Junk: "skills/list"}, core.ErrHandshake, "something else"},
		"forgets a skill":      {&launchtest.Appserver{Forget: []string{skill}}, core.ErrSkillsMissing, "does not list"},
		"lists a skill twice":  {&launchtest.Appserver{Twice: []string{skill}}, core.ErrSkillsMissing, "more than once"},
		"switches a skill off": {&launchtest.Appserver{Disabled: []string{skill}}, core.ErrSkillsMissing, "does not list"},
		"renames a skill":      {&launchtest.Appserver{Rename: []string{skill}}, core.ErrSkillsMissing, "another name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, actor{preparer.CodexAppServer})
			p := s.prepare()
			p.Version = "0.51.2"
			_, err := s.open(p, c.client)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "somebody") {
				t.Errorf("the client's words are in the message: %v", err)
			}
			var said *launch.RPCError
			if len(c.client.Refuse) > 0 && (!errors.As(err, &said) || !strings.Contains(said.Message, "somebody")) {
				t.Error("the client's own error is lost")
			}
			for _, method := range c.client.Called() {
				if strings.HasPrefix(method, "thread/") {
					t.Error("a thread was started")
				}
			}
		})
	}
}

func TestC195_WhatIsMissingOnTheDisk(t *testing.T) {
	t.Parallel()
	t.Run("a root", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, actor{preparer.CodexAppServer})
		root := filepath.Join(s.dir, "connector")
		if err := os.Mkdir(root, 0o755); err != nil {
			t.Fatal(err)
		}
		s.session.SkillRoots = []core.SkillRoot{{Name: "crm", Path: root}}
		p := s.prepare()
		if err := os.Remove(root); err != nil {
			t.Fatal(err)
		}
		client := &launchtest.Appserver{}
		if _, err := s.open(p, client); !errors.Is(err, core.ErrSkillsMissing) {
			t.Errorf("got %v", err)
		}
		if got := client.Roots(); got != nil {
			t.Errorf("the client was told of %v", got)
		}
	})
	t.Run("the client's own skills", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, actor{preparer.CodexAppServer})
		p := s.prepare()
		if err := os.RemoveAll(filepath.Join(p.Dir, "actor/skills/.system")); err != nil {
			t.Fatal(err)
		}
		client := &launchtest.Appserver{}
		if _, err := s.open(p, client); !errors.Is(err, core.ErrSnapshot) {
			t.Errorf("got %v", err)
		}
		if got := client.Roots(); got != nil {
			t.Errorf("the client was told of %v", got)
		}
	})
	t.Run("the protocol", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, actor{preparer.NoTransport})
		p, err := s.host.Prepare(t.Context(), s.session)
		if err == nil {
			_, err = s.open(p, &launchtest.Appserver{})
		}
		if !errors.Is(err, core.ErrInvalid) {
			t.Errorf("got %v", err)
		}
	})
}

func TestC195_AClientThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"initialize", "skills/extraRoots/set", "skills/list"} {
		s := newStage(t, actor{preparer.CodexAppServer})
		p := s.prepare()
		pipes, end := (&launchtest.Appserver{Hang: method}).Play()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		if _, err := launch.OpenAppserver(ctx, p, pipes, who); !errors.Is(err, core.ErrDeadline) {
			t.Errorf("%s: %v", method, err)
		}
		cancel()
		end()
	}
}
