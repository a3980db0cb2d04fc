package core

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os/exec"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/manifest"
)

// Keep is what a clean-up leaves.
type Keep = manifest.Keep

// What can be left.
const (
	KeepNothing     = manifest.KeepNothing     // everything goes
	KeepTranscripts = manifest.KeepTranscripts // what the client wrote stays, for a later preparation
	KeepAll         = manifest.KeepAll         // only logins are settled
)

// CleanupOptions says how a session is taken away. The zero value takes everything away, and refuses while a client
// runs.
type CleanupOptions = manifest.CleanupOptions

// Kept is something that was left where it stands, and why.
type Kept = manifest.Kept

// Report says what an operation did.
type Report struct {
	// Removed counts the entries of the sessions that were taken away.
	Removed int `json:"removed"`
	// Kept lists what was left, because it is not ours any more.
	Kept []Kept `json:"kept,omitempty"`
	// Recovered lists sessions that a killed process left half done, and that were put in order.
	Recovered []Recovered `json:"recovered,omitempty"`
	// Ended lists the directory names of sessions in which something was ended that ran on: a client that a killed host had
	// left, or what a client had left in a session that was taken away. Once for each client.
	Ended []string `json:"ended,omitempty"`
	// Busy lists the directory names of sessions that somebody works on, and that were passed over.
	Busy []string `json:"busy,omitempty"`
}

// Recovered is a session that was put in order.
type Recovered struct {
	Name  string         `json:"name"`
	From  manifest.State `json:"from"` // "" for one that never got a record
	State manifest.State `json:"state"`
}

// Cleanup takes a session away: all that lies below its directory, and in the workspace what is ours and still as we
// wrote it. Unless all is kept, what clients that [Lease.Start] has started had left running is ended first, as by [Host.Stop],
// since its directory goes from under it. For a session that does not exist there is nothing to do, and that is no error, so
// that a clean-up can be done again.
func (h *Host) Cleanup(ctx context.Context, r Ref, o CleanupOptions) (*Report, error) {
	for what, id := range map[string]string{"workspace": r.Workspace, "session": r.ID} {
		if err := checkID(what, id); err != nil {
			return nil, err
		}
	}
	name := manifest.Name(r.Workspace, r.ID)
	return watched(ctx, h, name, "clean up", "session", func(ctx context.Context, at *operation) (*Report, error) {
		return h.cleanup(ctx, name, o, at)
	})
}

func (h *Host) cleanup(ctx context.Context, name string, o CleanupOptions, at *operation) (*Report, error) {
	if err := h.ensure(); err != nil {
		return nil, err
	}
	ses, err := h.store.Acquire(ctx, name, false)
	if errors.Is(err, fault.NotFound) {
		return &Report{}, nil
	}
	if err != nil {
		return nil, err
	}
	h.setLocked(at, true)
	defer h.setLocked(at, false)
	defer ses.Close()
	report := &Report{}
	if ses.Manifest != nil {
		report.Removed = len(ses.Manifest.Entries)
	}
	report.Kept, err = ses.Cleanup(ctx, o)
	report.Ended = ses.Ended
	if err != nil || o.Keep == KeepAll {
		report.Removed = 0
	}
	return report, err
}

// CleanupDamaged takes a session away whose record is damaged, so that nothing says what its ids are: by the name of its
// directory, which [Host.Sessions] lists with the error. [ErrInvalid] is a name that Greenroom does not make, or the one of
// a session whose record can be read.
func (h *Host) CleanupDamaged(ctx context.Context, name string, o CleanupOptions) (*Report, error) {
	refused := func(code fault.Code, detail string) error { return fault.New(code, "clean up", "session", detail) }
	if !manifest.IsName(name) {
		return nil, refused(fault.Invalid, "this is not the name of a session's directory")
	}
	return watched(ctx, h, name, "clean up", "session", func(ctx context.Context, at *operation) (*Report, error) {
		switch _, err := h.store.Load(name); {
		case errors.Is(err, fault.Corrupt):
			return h.cleanup(ctx, name, o, at)
		case errors.Is(err, fs.ErrNotExist):
			return nil, refused(fault.NotFound, "there is no such session")
		case err != nil:
			return nil, err
		}
		return nil, refused(fault.Invalid, "its record is not damaged: it is cleaned up by its ids")
	})
}

// Recover puts in order what killed processes left, for every session that nobody works on: clients that they started with
// [Lease.Start] and that still run are ended, and records brought to an end. Doing it twice does what doing it once does. When a file system hangs, it ends with what it did until then.
func (h *Host) Recover(ctx context.Context) (*Report, error) {
	var ended []string
	var left error
	names, err := watched(ctx, h, "", "recover", "state", func(ctx context.Context, _ *operation) (names []string, err error) {
		if err := h.ensure(); err != nil {
			return nil, err
		}
		ended, left = h.store.Sweep("")
		return h.store.Names(ctx)
	})
	if err != nil {
		return nil, err
	}
	report := &Report{Ended: ended}
	failed := []error{left}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return report, inTime(ctx, err)
		}
		one, err := watched(ctx, h, name, "recover", name, func(ctx context.Context, o *operation) (*Report, error) {
			one := &Report{}
			return one, h.recover(ctx, name, one, o)
		})
		if errors.Is(err, fault.Poisoned) {
			one, err = &Report{Busy: []string{name}}, nil
		}
		if one != nil {
			report.add(one)
		}
		if err != nil {
			failed = append(failed, err)
		}
		if errors.Is(err, fault.Deadline) {
			break
		}
	}
	return report, errors.Join(failed...)
}

// add adds what was done about one more session.
func (r *Report) add(one *Report) {
	r.Removed += one.Removed
	r.Kept = append(r.Kept, one.Kept...)
	r.Recovered = append(r.Recovered, one.Recovered...)
	r.Busy = append(r.Busy, one.Busy...)
}

func (h *Host) recover(ctx context.Context, name string, report *Report, o *operation) error {
	var from manifest.State
	before, err := h.store.Load(name)
	if err == nil {
		from = before.State
	} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fault.Corrupt) {
		return err
	}
	h.setLocked(o, true) // most of the work is done on the way in
	defer h.setLocked(o, false)
	ses, err := h.store.TryAcquire(ctx, name)
	switch {
	case errors.Is(err, fault.Busy):
		report.Busy = append(report.Busy, name)
		return nil
	case errors.Is(err, fault.NotFound):
		report.Recovered = append(report.Recovered, Recovered{Name: name, From: from})
		return nil
	case err != nil:
		return err
	}
	defer ses.Close()
	if err := ses.Rest(ctx); err != nil {
		return err
	}
	report.Kept = append(report.Kept, ses.Reports...)
	if ses.Damaged() || ses.Manifest != nil && ses.Manifest.State == from && from == manifest.Ready {
		return nil
	}
	r := Recovered{Name: name, From: from}
	if ses.Manifest != nil {
		if r.State = ses.Manifest.State; r.State == from {
			return nil
		}
	}
	report.Recovered = append(report.Recovered, r)
	return nil
}

// Info is what is recorded of a session.
type Info struct {
	Ref        Ref            `json:"ref"`
	Name       string         `json:"name"` // of its directory
	Provider   string         `json:"provider"`
	Cwd        string         `json:"cwd"`
	Dir        string         `json:"dir"`
	State      manifest.State `json:"state"`
	Generation int            `json:"generation"`
	Created    time.Time      `json:"created"`
	Updated    time.Time      `json:"updated"`
	Running    bool           `json:"running"`
	Adapter    string         `json:"adapter"` // version
	Client     string         `json:"client"`  // version
	Inherit    []string       `json:"inherit"`
	Models     string         `json:"models,omitempty"` // "endpoint", "native", or "native: " and why it is not an endpoint
	Env        []string       `json:"env"`              // names only
	Tree       []Node         `json:"tree"`
	// Conversation is the one that a client which package launch drove had last, "" when none was.
	Conversation string `json:"conversation,omitempty"`
}

// Chosen is what of the user's own set-up the session was prepared with, to prepare it again.
func (i Info) Chosen() (Inherit, error) { return chosen(i.Inherit) }

// Sessions lists the sessions of the state directory. One whose record cannot be read comes with an error.
func (h *Host) Sessions(ctx context.Context) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		end, err := h.begin()
		if err != nil {
			yield(Info{}, err)
			return
		}
		defer end()
		names, err := h.store.Names(ctx)
		if err != nil {
			yield(Info{}, inTime(ctx, err))
			return
		}
		for _, name := range names {
			m, err := h.store.Load(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // being made, or being taken away
			}
			if !yield(h.info(ctx, name, m), inTime(ctx, err)) {
				return
			}
		}
	}
}

// Session is what is recorded of one session.
func (h *Host) Session(ctx context.Context, r Ref) (Info, error) {
	end, err := h.begin()
	if err != nil {
		return Info{}, err
	}
	defer end()
	name := manifest.Name(r.Workspace, r.ID)
	m, err := h.store.Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Info{}, fault.New(fault.NotFound, "show session", name, "there is no such session")
	}
	return h.info(ctx, name, m), inTime(ctx, err)
}

func (h *Host) info(ctx context.Context, name string, m *manifest.Manifest) Info {
	in := Info{Name: name, Dir: h.store.Dir(name)}
	if m == nil {
		return in
	}
	in.Ref, in.Provider, in.Cwd = Ref{Workspace: m.Workspace, ID: m.Session}, m.Provider, m.Cwd
	in.State, in.Generation, in.Created, in.Updated = m.State, m.Generation, m.Created, m.Updated
	in.Adapter, in.Client, in.Inherit, in.Env = m.Adapter.Version, m.Client.Version, m.Inherit, m.Env
	in.Running, in.Models, in.Conversation = h.store.Held(ctx, name), m.Models, h.store.Talk(name)
	for _, e := range m.Entries {
		in.Tree = append(in.Tree, Node{Place: "session:" + e.Path, Kind: string(e.Kind), Target: e.Target, Custody: string(e.Custody), Why: e.Why})
	}
	for _, o := range m.Outside {
		if o.Link {
			in.Tree = append(in.Tree, Node{Place: "workspace:" + o.Path, Kind: string(manifest.Link), Custody: string(manifest.Ours), Why: skillLink})
			continue
		}
		in.Tree = append(in.Tree, Node{Place: "workspace:" + o.Path, Kind: "block", Custody: string(manifest.Ours), Why: "managed block, taken out at clean-up"})
	}
	return in
}

// Lease says that a client runs in a session. It ends with the process that holds it.
type Lease struct {
	lease *manifest.Lease
}

// Run is a client that was started in a session, with everything that it has started.
type Run = manifest.Run

// Start starts a client that [Prepared.Command] has made, and records it with the time of its start: should this process be
// killed and the client live on, then the next Hold or Cleanup of the session, or Recover, ends it, and [Host.Stop] can be
// called for it. What it starts inherits a variable, GREENROOM_RUN, by which it is found. Call [Run.End] when the client was
// waited for, or to end it, or [Run.Leave] to let what it has started run on until the session is taken away.
func (l *Lease) Start(client *exec.Cmd) (*Run, error) { return l.lease.Start(client) }

// Note is what was kept under a key for those that run clients in the session, such as what an agent was told: nil for
// nothing. It lies in the session's directory, and goes with it. Call it before Release.
func (l *Lease) Note(key string) ([]byte, error) { return l.lease.Note(key) }

// KeepNote keeps up to 64 KiB under a key, in the place of what was there.
func (l *Lease) KeepNote(key string, data []byte) error { return l.lease.KeepNote(key, data) }

// Remember records which conversation of the client's the session has now, for [Info]. It is of printable characters without
// spaces, and no secret.
func (l *Lease) Remember(conversation string) error { return l.lease.Remember(conversation) }

// Stop ends the clients that run in a session and were started with [Lease.Start], whoever did, with everything that they
// have started, also what was left to run on after them: it is asked to, and killed after two seconds. It says of how many
// clients there was anything. The session stays prepared.
// Where the system does not tell what a process has started the code is "client_unsupported", and [ErrRunning] for what
// cannot be ended.
func (h *Host) Stop(ctx context.Context, r Ref) (int, error) {
	name := manifest.Name(r.Workspace, r.ID)
	return watched(ctx, h, "", "stop", "session", func(context.Context, *operation) (int, error) { return h.store.Stop(name) })
}

// Hold takes a lease on a ready session, for as long as a client runs in it: Cleanup refuses meanwhile, and logins that
// the client rewrites are brought home when the lease is released. A session that is not ready is ErrIncomplete.
func (h *Host) Hold(ctx context.Context, r Ref) (*Lease, error) {
	end, err := h.beginWriting()
	if err != nil {
		return nil, inTime(ctx, err)
	}
	defer end()
	lease, err := h.store.Hold(ctx, manifest.Name(r.Workspace, r.ID))
	if err != nil {
		return nil, inTime(ctx, err)
	}
	return &Lease{lease: lease}, nil
}

// Release ends the lease, also when the host was closed. What it reports are logins that both the client and somebody
// else changed.
func (l *Lease) Release(ctx context.Context) (*Report, error) {
	kept, err := l.lease.Release(ctx)
	return &Report{Kept: kept}, inTime(ctx, err)
}
