package core

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/manifest"
)

// leaver is a client that ends and leaves programs running: one that makes itself a service, as a daemon does, one that
// does not listen to TERM, one that has put its environment away, and one that is stopped and says goodbye when it is asked.
const leaver = `
sh -c 'setsid sleep 300 & echo $! >daemon'
setsid sh -c 'trap "" TERM; echo $$ >deaf; while :; do sleep 1; done' &
env -i /bin/sh -c 'echo $$ >bare; exec sleep 300' &
setsid sh -c 'trap "echo bye >farewell; exit" TERM; echo $$ >stopped; kill -STOP $$; while :; do sleep 0.05; done' &
while ! [ -s daemon -a -s deaf -a -s bare -a -s stopped ]; do sleep 0.01; done
while ! grep -q ') T ' /proc/$(cat stopped)/stat; do sleep 0.01; done`

var leftOver = []string{"daemon", "deaf", "bare", "stopped"}

// abandoned prepares a session and runs a client in it that leaves things running, which have written their numbers to the
// directory it gives.
func (s *stage) abandoned(id string) (Ref, string) {
	s.t.Helper()
	p := s.prepare(s.session(id))
	lease, err := s.host.Hold(s.t.Context(), p.Ref)
	if err != nil {
		s.t.Fatal(err)
	}
	dir := s.t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", leaver)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true}
	run, err := lease.Start(cmd)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		s.t.Fatal(err)
	}
	run.Leave()
	if _, err := lease.Release(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		for _, name := range leftOver {
			_ = exec.Command("kill", "-KILL", strings.TrimSpace(s.read(filepath.Join(dir, name)))).Run()
		}
	})
	return p.Ref, dir
}

// runs are those of a client's programs that have not ended.
func (s *stage) runs(dir string) (list []string) {
	s.t.Helper()
	for _, name := range leftOver {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(s.read(filepath.Join(dir, name))) + "/stat")
		if err == nil && !strings.Contains(string(stat), ") Z ") {
			list = append(list, name)
		}
	}
	return list
}

func (s *stage) allRun(when, dir string) {
	s.t.Helper()
	if got := s.runs(dir); len(got) != len(leftOver) {
		s.t.Fatalf("%s: only %v run", when, got)
	}
}

func (s *stage) noneRuns(when, dir string) {
	s.t.Helper()
	if got := s.runs(dir); len(got) > 0 {
		s.t.Errorf("%s: %v run on", when, got)
	}
	if _, err := os.Stat(filepath.Join(dir, "farewell")); err != nil {
		s.t.Errorf("%s: it was killed without having been asked to end", when)
	}
}

// dirName is the name of a session's directory.
func dirName(r Ref) string { return manifest.Name(r.Workspace, r.ID) }

// records are the records of clients in a session.
func (s *stage) records(ref Ref) (list []string) {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.state, "c"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), dirName(ref)+".") {
			list = append(list, e.Name())
		}
	}
	return list
}

// What a person has put into the background stays there while the session does, whoever looks after the sessions.
func TestH53_WhatAClientLeavesRunsOnWhileThereIsTheSession(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ref, dir := s.abandoned("one")
	other := s.open(nil, prop{provider: "prop"})
	if _, err := other.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.allRun("recovered", dir)
	if _, err := other.Cleanup(t.Context(), ref, CleanupOptions{Keep: KeepAll}); err != nil {
		t.Fatal(err)
	}
	s.allRun("settled", dir)
	s.prepare(s.session("one"))
	lease, err := other.Hold(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	s.allRun("held again", dir)
	if _, err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.records(ref); len(got) != 1 {
		t.Errorf("the records %v, want one", got)
	}
	if n, err := s.host.Stop(t.Context(), ref); n != 1 || err != nil {
		t.Errorf("stopped %d, %v", n, err)
	}
	s.noneRuns("stopped", dir)
	if info, err := s.host.Session(t.Context(), ref); err != nil || info.State != "ready" {
		t.Errorf("the session is %+v, %v", info, err)
	}
}

// What was left ends before the session's directory goes, whoever takes it away and however, and nothing else does.
func TestH53_WhatAClientLeavesEndsWithTheSession(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*testing.T, *stage, Ref) (*Report, error){
		"cleaned up": func(t *testing.T, s *stage, ref Ref) (*Report, error) {
			return s.host.Cleanup(t.Context(), ref, CleanupOptions{})
		},
		"by another process": func(t *testing.T, s *stage, ref Ref) (*Report, error) {
			return s.open(nil, prop{provider: "prop"}).Cleanup(t.Context(), ref, CleanupOptions{})
		},
		"transcripts kept": func(t *testing.T, s *stage, ref Ref) (*Report, error) {
			return s.host.Cleanup(t.Context(), ref, CleanupOptions{Keep: KeepTranscripts})
		},
		"its record damaged": func(t *testing.T, s *stage, ref Ref) (*Report, error) {
			s.write("state/m/"+dirName(ref)+".json", "{")
			return s.host.CleanupDamaged(t.Context(), dirName(ref), CleanupOptions{})
		},
		"by two at once": func(t *testing.T, s *stage, ref Ref) (*Report, error) {
			second := make(chan error)
			go func() {
				_, err := s.host.Cleanup(t.Context(), ref, CleanupOptions{})
				second <- err
			}()
			r, err := s.open(nil, prop{provider: "prop"}).Cleanup(t.Context(), ref, CleanupOptions{})
			if err := <-second; err != nil {
				t.Error(err)
			}
			r.Ended = []string{dirName(ref)} // one of both has it
			return r, err
		},
		"its directory removed": func(t *testing.T, s *stage, ref Ref) (*Report, error) {
			if err := os.RemoveAll(s.host.store.Dir(dirName(ref))); err != nil {
				t.Fatal(err)
			}
			return s.host.Recover(t.Context())
		},
		"its record removed": func(t *testing.T, s *stage, ref Ref) (*Report, error) {
			if err := os.Remove(s.path("state/m/" + dirName(ref) + ".json")); err != nil {
				t.Fatal(err)
			}
			return s.host.Recover(t.Context())
		},
		"half removed, and prepared again": func(t *testing.T, s *stage, ref Ref) (*Report, error) {
			dir := s.host.store.Dir(dirName(ref))
			if err := os.Rename(dir, dir+".gone"); err != nil {
				t.Fatal(err)
			}
			s.prepare(s.session("one"))
			return &Report{Ended: []string{dirName(ref)}}, nil // a preparation tells of nothing
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			ref, dir := s.abandoned("one")
			_, beside := s.abandoned("two")
			s.allRun("at first", dir)
			r, err := away(t, s, ref)
			if err != nil {
				t.Fatal(err)
			}
			s.noneRuns(name, dir)
			if len(r.Ended) != 1 || r.Ended[0] != dirName(ref) {
				t.Errorf("it says that it ended something in %v", r.Ended)
			}
			if got := s.records(ref); len(got) > 0 {
				t.Errorf("the records %v are left", got)
			}
			s.allRun("the session beside it", beside)
		})
	}
}

// A clean-up that is forced ends the client that runs, so that nothing writes to a directory that is not there.
func TestH53_AForcedCleanupEndsWhatRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ref, dir := s.abandoned("one")
	lease, err := s.host.Hold(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	client := exec.Command("sleep", "300")
	if _, err := lease.Start(client); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = client.Wait(); close(ended) }()
	if _, err := s.host.Cleanup(t.Context(), ref, CleanupOptions{}); err == nil {
		t.Error("a session in which a client runs was taken away")
	}
	s.allRun("refused", dir)
	r, err := s.host.Cleanup(t.Context(), ref, CleanupOptions{UnsafeForce: true})
	if err != nil || len(r.Ended) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	s.noneRuns("forced", dir)
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the client runs on")
		_ = client.Process.Kill()
	}
	if _, err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// A number that somebody else has got is no reason to end them, and what nobody has any more leaves no record.
func TestH53_WhoHasANumberNowIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ref, dir := s.abandoned("one")
	file := filepath.Join(s.state, "c", s.records(ref)[0])
	var r map[string]any
	if err := json.Unmarshal([]byte(s.read(file)), &r); err != nil {
		t.Fatal(err)
	}
	tree := r["tree"].(map[string]any)
	for _, id := range tree["rest"].([]any) {
		id.(map[string]any)["start"] = id.(map[string]any)["start"].(float64) - 1
	}
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	tree["mark"] = strings.Repeat("0", 32) // that nobody has
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	s.write("state/c/"+name+"."+strings.Repeat("0", 32), string(data))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	s.cleanup(s.session("one"))
	s.allRun("others of those numbers", dir)
	if got := s.records(ref); len(got) > 0 {
		t.Errorf("the records %v are left", got)
	}
}

// A client that leaves nothing leaves no record either.
func TestH53_NothingLeftIsNothingRecorded(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session("one"))
	lease, err := s.host.Hold(t.Context(), p.Ref)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("true")
	run, err := lease.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.records(p.Ref); len(got) != 1 {
		t.Errorf("while it runs the records are %v", got)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	run.Leave()
	if got := s.records(p.Ref); len(got) > 0 {
		t.Errorf("the records %v are left", got)
	}
	if _, err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
}
