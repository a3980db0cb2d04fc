package core

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// saving is a prop that has a saver mode.
func saving() prop {
	p := binding()
	describe, extra := p.describe, p.extra
	p.describe = func(d *preparer.Descriptor) {
		describe(d)
		d.Saver = true
	}
	p.extra = func(r preparer.Request, l *preparer.Layout) {
		extra(r, l)
		if s := r.Saver; s != nil {
			l.Document(preparer.Session("prop/worker.toml"), preparer.TOML, preparer.Object{"model": preparer.S(s.Model), "told": s.Worker.Text()})
			l.Block(preparer.Session("prop/saver.md"), []preparer.Base{preparer.Empty()}, r.Instructions.Text(), s.Policy.Text())
		}
	}
	return p
}

func TestC224_C228_SaverModeIsOnForWhoAsks(t *testing.T) {
	t.Parallel()
	s := newStage(t, saving())
	plain := s.prepare(s.session("one"))
	ses := s.session("one")
	ses.Saver = &Saver{Model: "small"}
	on := s.prepare(ses)
	if got := s.read(filepath.Join(on.Dir, "prop/worker.toml")); !strings.Contains(got, "model = 'small'") || !strings.Contains(got, "You are the worker of a session.") {
		t.Errorf("the worker is told %s", got)
	}
	if got := s.read(filepath.Join(on.Dir, "prop/saver.md")); strings.Count(got, "## Saver mode") != 1 {
		t.Errorf("the session is told %s", got)
	}
	if on.Generation != plain.Generation+1 {
		t.Errorf("generation %d after %d", on.Generation, plain.Generation)
	}
	// Off again, nothing of it stays.
	s.prepare(s.session("one"))
	for _, rel := range []string{"prop/worker.toml", "prop/saver.md"} {
		if _, err := os.Lstat(filepath.Join(on.Dir, rel)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s stays when the mode is off: %v", rel, err)
		}
	}
}

func TestC224_TheWorkersModelIsOneOfTheEndpoint(t *testing.T) {
	t.Parallel()
	s := newStage(t, saving())
	ask := func(model string) (string, error) {
		ses := bound(s.session("m-"+model), "http://127.0.0.1:1/v1")
		ses.Endpoint.Models = append(ses.Endpoint.Models, modelendpoint.Model{ID: "small"})
		ses.Saver = &Saver{Model: model}
		p, err := s.host.Prepare(t.Context(), ses)
		if err != nil {
			return "", err
		}
		return s.read(filepath.Join(p.Dir, "prop/worker.toml")), nil
	}
	for model, want := range map[string]string{"small": "model = 'small'", "": "model = 'large'"} {
		if got, err := ask(model); err != nil || !strings.Contains(got, want) {
			t.Errorf("%q: %v in %s", model, err, got)
		}
	}
	for _, model := range []string{"other", "two words"} {
		if _, err := ask(model); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: got %v", model, err)
		}
	}
}

func TestC228_AClientWithoutASaverModeRefuses(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := s.session("one")
	ses.Saver = &Saver{}
	if _, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
	if list, err := os.ReadDir(filepath.Join(s.state, "s")); err == nil && len(list) > 0 {
		t.Error("something of the session stands")
	}
}

// What a session is told of its worker holds for any client: how its tools are called is the client's matter.
func TestC224_SaverTextsNameNoTools(t *testing.T) {
	t.Parallel()
	text := canon.SaverPolicy() + canon.SaverWorker()
	for _, not := range []string{"fork_turns", "max_concurrent", "spawn", "_agent", "lightweight", "{{"} {
		if strings.Contains(text, not) {
			t.Errorf("it says %q", not)
		}
	}
	for _, fact := range []string{
		"takes the\nwork off you", "One worker is the rule", "only when each writes to files of its own", "pass this conversation on",
		"do not do the same work yourself", "go on with the worker that has it", "stop it", "unless the task says that you may",
	} {
		if !strings.Contains(text, fact) {
			t.Errorf("it does not say %q", fact)
		}
	}
}
