package manifest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/process"
)

// runDir holds a record of each client that runs.
const runDir = "c"

// Patience is how long what runs in a session may take to end after it was asked to, before it is killed.
const Patience = 2 * time.Second

// Run is a client that runs in a session, with everything that it has started.
type Run struct {
	state *Store
	file  string
	is    run
	tied  *process.Tied
	once  sync.Once
}

// run is its record. It needs not be durable beyond our process: with the system, what it tells of ends too.
type run struct {
	Host process.ID   `json:"host"` // who drives it
	Tree process.Tree `json:"tree"`
	// Left says that the client has ended, and that its host has let go of what it had started: that may run on for as long
	// as there is the session.
	Left bool `json:"left,omitempty"`
}

// Start starts a client and records it: its mark before, since we may be killed before anything else is known of it.
func (l *Lease) Start(cmd *exec.Cmd) (*Run, error) {
	host, _ := process.Of(os.Getpid()) // a system that does not say who we are keeps no record that anybody uses
	r := &Run{state: l.state, is: run{Host: host, Tree: process.Tree{Mark: process.NewMark()}}}
	r.file = runDir + "/" + l.name + "." + r.is.Tree.Mark
	process.Put(cmd, r.is.Tree.Mark)
	if err := r.write(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		_ = r.state.forget(r.file)
		return nil, err
	}
	r.tied = process.Tie(cmd.Process, r.is.Tree.Mark)
	r.is.Tree.Leader, _ = process.Of(cmd.Process.Pid)
	r.is.Tree.Leader.PID = cmd.Process.Pid
	if err := r.write(); err != nil {
		r.End(0)
		_ = cmd.Wait()
		return nil, err
	}
	return r, nil
}

func (r *Run) write() error {
	if !process.Told {
		return nil
	}
	tree, err := r.state.Tree()
	if err != nil {
		return err
	}
	defer tree.Close()
	data, err := json.Marshal(r.is)
	if err != nil {
		return err
	}
	return tree.WriteFile(r.file, data, fsroot.WriteOptions{Mode: 0o600})
}

// End ends what is left of the client and of everything that it has started: TERM, then KILL after grace. It is called
// before or right after the client was waited for; a second call does nothing.
func (r *Run) End(grace time.Duration) {
	r.once.Do(func() {
		if r.is.Tree.End(grace, true) {
			_ = r.state.forget(r.file) // what is left of it says nothing about anything that runs
		}
		r.tied.Close()
	})
}

// Leave lets what a client has started run on after its end, until the session is taken away. It is called right after the
// client was waited for.
func (r *Run) Leave() {
	r.once.Do(func() {
		tree, any := r.is.Tree.Left()
		if any {
			// A record that cannot be written stays what it was, by which everything is ended.
			r.is.Tree, r.is.Left = tree, true
			_ = r.write()
		} else {
			_ = r.state.forget(r.file)
		}
		r.tied.Leave()
	})
}

func (s *Store) forget(file string) error {
	tree, err := s.Tree()
	if err != nil {
		return err
	}
	defer tree.Close()
	if err := tree.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sweep ends what killed hosts have left running, in one session or, with a blank name, in all, and gives the names of
// the sessions in which there was something. What another host drives, or may, it leaves alone, and so it does with what was
// left to run on in a session, as long as that has not lost its directory or its record.
func (s *Store) Sweep(name string) ([]string, error) {
	if !process.Told {
		return nil, nil
	}
	return s.end(name, func(tree *fsroot.Tree, of string, r run) bool {
		if r.Left {
			return !whole(tree, of) || !r.Tree.Any()
		}
		return r.Host.Gone()
	})
}

// whole says that a session has its directory and its record.
func whole(tree *fsroot.Tree, name string) bool {
	for _, rel := range []string{"s/" + name, manifestPath(name)} {
		if _, err := tree.Lstat(rel); errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// clear ends everything that runs in a session, or was left to, because its directory goes from under it.
func (s *Store) clear(name string) ([]string, error) {
	if !process.Told {
		return nil, nil
	}
	return s.end(name, func(*fsroot.Tree, string, run) bool { return true })
}

// Stop ends every client that runs in a session, whoever drives it, and what clients were left to leave. It says of how many
// there was anything.
func (s *Store) Stop(name string) (int, error) {
	if !process.Told {
		return 0, fault.New(fault.ClientUnsupported, "end client", name, "this system does not tell what a client has started")
	}
	ended, err := s.clear(name)
	return len(ended), err
}

// end ends the recorded clients that are chosen, all at once, and gives the session of each in which anything was left.
func (s *Store) end(name string, choose func(state *fsroot.Tree, of string, r run) bool) (ended []string, err error) {
	tree, err := s.Tree()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	list, err := tree.List(runDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed []error
	for _, e := range list {
		of, mark, ok := strings.Cut(e.Name(), ".")
		if !ok || name != "" && of != name {
			continue
		}
		data, _, err := tree.ReadFile(runDir+"/"+e.Name(), 64<<10)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has just ended
		}
		var r run
		// A record that is not what we write says nothing, and is nobody's to act on.
		if err != nil || json.Unmarshal(data, &r) != nil || r.Tree.Mark != mark || !choose(tree, of, r) {
			continue
		}
		wg.Go(func() {
			was := r.Tree.Any()
			over := r.Tree.End(Patience, false)
			var err error
			if over {
				err = s.forget(runDir + "/" + e.Name())
			} else {
				err = fault.New(fault.Running, "end client", of, "it could not be ended")
			}
			mu.Lock()
			defer mu.Unlock()
			if was && over {
				ended = append(ended, of)
			}
			if err != nil {
				failed = append(failed, err)
			}
		})
	}
	wg.Wait()
	return ended, errors.Join(failed...)
}
