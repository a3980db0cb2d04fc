package manifest

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// Schema is the version of the manifest that this package writes. A record of another schema is refused and left
// alone.
const Schema = 1

// Manifest is the record of one session.
type Manifest struct {
	Schema     int       `json:"schema"`
	Workspace  string    `json:"workspace"`
	Session    string    `json:"session"`
	Provider   string    `json:"provider"`
	Cwd        string    `json:"cwd"`
	State      State     `json:"state"`
	Generation int       `json:"generation"` // counts the preparations that changed something
	Adapter    Adapter   `json:"adapter"`
	Client     Client    `json:"client"`
	Created    time.Time `json:"created"`
	Updated    time.Time `json:"updated"`
	// Entries is what stands below the session's directory on our account, sorted by path.
	Entries []Entry `json:"entries"`
	// Outside is what stands in the workspace on our account.
	Outside []Outside `json:"outside,omitempty"`
	Logins  []Login   `json:"logins,omitempty"`
	// Leases are the store digests that this session keeps alive.
	Leases []string `json:"leases,omitempty"`
	// Program is the store digest of the program that the session's commands run through, which it keeps alive, "" for none.
	Program string `json:"program,omitempty"`
	// Snapshots are the copies of the client's own skills that the session has led to, each of them kept alive.
	Snapshots []Snapshot `json:"snapshots,omitempty"`
	// Names are the names that skills were given, by skill id, so that they stay.
	Names map[string]string `json:"names,omitempty"`
	// Homes are the user's client homes that the session was prepared from, by id, for people to read.
	Homes map[string]string `json:"homes,omitempty"`
	// Env lists the names of the variables that the session sets, never their values.
	Env []string `json:"env,omitempty"`
	// Copied says that copies stand in the place of links, since none could be made.
	Copied bool `json:"copied,omitempty"`
	// Models says whose models the session runs on: "endpoint", "native", or "native: " and why it is not an endpoint.
	Models string `json:"models,omitempty"`
	// Commands is what the commands of the session were narrowed by when it was first prepared.
	Commands command.Projection `json:"commands,omitzero"`
	// Inherit is the choice for each kind in the form kind=mode, sorted.
	Inherit []string `json:"inherit,omitempty"`
}

// State is where a session is in its life.
type State string

// The states.
const (
	Preparing  State = "preparing"  // being changed; what stands outside may be half done
	Ready      State = "ready"      // the tree is as recorded
	Incomplete State = "incomplete" // a later preparation failed: not launchable until the next one
	Cleaning   State = "cleaning"   // being taken away; never written, since the name of its directory says so
)

// Adapter is which adapter laid the session out.
type Adapter struct {
	Version string `json:"version"`
	Digest  string `json:"digest,omitempty"`
	Unsafe  bool   `json:"unsafe,omitempty"` // ran without a pinned digest
}

// Client is the client that was found.
type Client struct {
	Executable string `json:"executable,omitempty"`
	Version    string `json:"version,omitempty"`
}

// Entry is one thing below the session's directory.
type Entry struct {
	Path    string  `json:"path"`
	Kind    Kind    `json:"kind"`
	Custody Custody `json:"custody"`
	Target  string  `json:"target,omitempty"` // of a link
	// Via is how a link was made where the system has no symbolic ones: "junction" or "hard".
	Via    fsroot.LinkKind `json:"via,omitempty"`
	Digest string          `json:"digest,omitempty"` // of a file of ours without a secret
	Why    string          `json:"why,omitempty"`
}

// Owns says whether the session has a file that is ours alone. A nil manifest has none.
func (m *Manifest) Owns(rel string) bool {
	return m != nil && slices.ContainsFunc(m.Entries, func(e Entry) bool { return e.Path == rel && e.Kind == File && e.Custody == Ours })
}

// Snapshot is a copy, in the store, of skills that the client unpacked below the session's directory.
type Snapshot struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
}

// Kind is what an entry is on the disk.
type Kind string

// The kinds.
const (
	Dir  Kind = "dir"
	File Kind = "file"
	Link Kind = "link"
)

// Custody is who owns an entry once it was written.
type Custody string

// The custodies.
const (
	Ours    Custody = "ours"
	Seeded  Custody = "seeded"  // we wrote the first version, the client owns it now
	Exposed Custody = "exposed" // a link that the client writes through
	Scratch Custody = "scratch" // a directory that goes with all that programs of ours wrote there
)

// Outside is a managed block of ours in a file of the workspace, or a link of ours there.
type Outside struct {
	Path string `json:"path"` // below the workspace
	Key  string `json:"key"`  // of the workspace record
	Link bool   `json:"link,omitempty"`
	// Was and Post are the digests of the whole file before and after this preparation changed it, "" for no file.
	// They are equal when it only joined the sessions that share the block.
	Was  string `json:"was"`
	Post string `json:"post"`
	// Undo is the text of the block that this preparation replaced, or where the link led to before, with HadBlock.
	Undo     string `json:"undo,omitempty"`
	HadBlock bool   `json:"hadBlock,omitempty"`
	Joined   bool   `json:"joined,omitempty"` // this preparation added us to the holders
	// Dropped says that this preparation gives the block up, at its end. Only the record of one that is under way says so.
	Dropped bool `json:"dropped,omitempty"`
}

// Login is an exposed login file of the user's.
type Login struct {
	Path     string   `json:"path"`     // below the session's directory
	Source   string   `json:"source"`   // absolute path of the user's file, links resolved as far as it exists
	Label    string   `json:"label"`    // of the source, for messages
	Baseline string   `json:"baseline"` // digest of the source when it was exposed, "" for none
	JSON     bool     `json:"json,omitempty"`
	Fresher  []string `json:"fresher,omitempty"`
	Copy     bool     `json:"copy,omitempty"` // a copy stands there because links do not work
}

// Encode is the manifest as it is written: one line of JSON, and its SHA-256.
func (m *Manifest) Encode() ([]byte, error) { return seal(m) }

// Decode reads what Encode wrote. A wrong digest is fault.Corrupt; another schema is fault.UnknownSchema.
func Decode(data []byte) (*Manifest, error) {
	line, err := unseal(data)
	if err != nil {
		return nil, err
	}
	return decode(line)
}

func decode(line []byte) (*Manifest, error) {
	if err := known(line, "read manifest"); err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(line, &m); err != nil {
		return nil, fault.Wrap(err, fault.Corrupt, "read manifest", "", "is not a manifest")
	}
	return &m, nil
}

// known refuses a record of another schema before anything else of it is looked at, since nothing else need be the
// same there.
func known(line []byte, op string) error {
	n, err := schemaOf(line)
	if err != nil {
		return fault.Wrap(err, fault.Corrupt, op, "", "is no record")
	}
	if n != Schema {
		return unknown(op)
	}
	return nil
}

func unknown(op string) error {
	return fault.New(fault.UnknownSchema, op, "", "was written by another version of greenroom").
		WithHint("use the version that prepared the session, or remove its directory by hand")
}

func schemaOf(line []byte) (int, error) {
	var r struct {
		Schema int `json:"schema"`
	}
	err := json.Unmarshal(line, &r)
	return r.Schema, err
}

func seal(v any) ([]byte, error) {
	line, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(line)+66)
	out = append(out, line...)
	out = append(out, '\n')
	out = append(out, Digest(line)...)
	return append(out, '\n'), nil
}

func unseal(data []byte) ([]byte, error) {
	line, sum, ok := bytes.Cut(data, []byte("\n"))
	if !ok || Digest(line) != string(bytes.TrimSuffix(sum, []byte("\n"))) {
		// A newer version may seal its records in another way, and they are not ours to call damaged.
		if n, err := schemaOf(line); err == nil && n > Schema {
			return nil, unknown("read manifest")
		}
		return nil, fault.New(fault.Corrupt, "read manifest", "", "does not match its digest").
			WithHint("clean the session up: what lies in its own directory can still be removed")
	}
	return line, nil
}
