package lockfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// Name is the name of the file.
const Name = "greenroom.lock.yaml"

// Version is the version of the format.
const Version = 1

// MaxBytes is how many bytes a lock file may have.
const MaxBytes = 1 << 20

// Lock is the content of the file.
type Lock struct {
	Version  int       `yaml:"version"`
	Adapters []Adapter `yaml:"adapters"` // sorted by ID
}

// Adapter is one adapter that was chosen.
type Adapter struct {
	// ID is the provider that it serves.
	ID       string `yaml:"id" json:"id"`
	Version  string `yaml:"version" json:"version"`
	Sequence uint64 `yaml:"sequence" json:"sequence"`
	// Protocols are the versions of the contract that it speaks.
	Protocols []int `yaml:"protocols,flow,omitempty" json:"protocols,omitempty"`
	// Statement is the digest of what was signed.
	Statement string `yaml:"statement" json:"statement"`
	// Signers are the IDs of the keys that counted.
	Signers []string `yaml:"signers" json:"signers"`
	// Platforms are the binaries, by system and architecture, such as "linux/amd64".
	Platforms map[string]Binary `yaml:"platforms" json:"platforms"`
}

// Binary is the program for one platform.
type Binary struct {
	SHA256 string `yaml:"sha256" json:"sha256"`
	Size   int64  `yaml:"size" json:"size"`
}

const header = "# Written by `greenroom adapters install` and `greenroom adapters lock`; keep it under version control.\n"

var (
	digestForm   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	platformForm = regexp.MustCompile(`^[a-z0-9]{1,20}/[a-z0-9]{1,20}$`)
)

// Parse reads a lock file. An empty one locks nothing.
func Parse(data []byte) (*Lock, error) {
	l := &Lock{Version: Version}
	if len(bytes.TrimSpace(data)) == 0 {
		return l, nil
	}
	if len(data) > MaxBytes {
		return nil, bad("", fmt.Sprintf("has more than %d bytes", MaxBytes))
	}
	l.Version = 0
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(l); err != nil {
		return nil, bad("", "is not valid: "+firstLine(err))
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, bad("", "holds a second document")
	}
	if l.Version != Version {
		return nil, fault.New(fault.UnknownSchema, "read", Name, fmt.Sprintf("it has version %d, only %d is known", l.Version, Version)).
			WithHint("use the newer Greenroom that wrote it")
	}
	return l, l.check()
}

func (l *Lock) check() error {
	seen := map[string]bool{}
	for _, a := range l.Adapters {
		switch {
		case !trust.ValidID(a.ID) || seen[a.ID]:
			return bad(fmt.Sprintf("%.80q", a.ID), "stands twice, or is no ID")
		case !trust.ValidVersion(a.Version) || a.Sequence == 0 || !digestForm.MatchString(a.Statement) || len(a.Signers) == 0:
			return bad(a.ID, "lacks its version, sequence, statement or signers")
		case len(a.Platforms) == 0:
			return bad(a.ID, "names no platform")
		}
		seen[a.ID] = true
		for platform, b := range a.Platforms {
			if !platformForm.MatchString(platform) || !digestForm.MatchString(b.SHA256) || b.Size <= 0 {
				return bad(fmt.Sprintf("%s: %.40q", a.ID, platform), "is no platform, or lacks its digest or size")
			}
		}
	}
	return nil
}

// Encode writes a lock file.
func (l *Lock) Encode() ([]byte, error) {
	sorted := Lock{Version: Version, Adapters: slices.Clone(l.Adapters)}
	slices.SortFunc(sorted.Adapters, func(a, b Adapter) int { return cmp.Compare(a.ID, b.ID) })
	if err := sorted.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(header)
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(sorted); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

// Find is the adapter of an ID, and whether it is locked.
func (l *Lock) Find(id string) (Adapter, bool) {
	i := slices.IndexFunc(l.Adapters, func(a Adapter) bool { return a.ID == id })
	if i < 0 {
		return Adapter{}, false
	}
	return l.Adapters[i], true
}

// Put locks an adapter in the place of the one of its ID.
func (l *Lock) Put(a Adapter) {
	l.Drop(a.ID)
	l.Adapters = append(l.Adapters, a)
}

// Drop takes the adapter of an ID out.
func (l *Lock) Drop(id string) {
	l.Adapters = slices.DeleteFunc(l.Adapters, func(a Adapter) bool { return a.ID == id })
}

func bad(at, detail string) error {
	subject := Name
	if at != "" {
		subject += ": " + at
	}
	return fault.New(fault.Corrupt, "read", subject, detail).WithHint("mend the file, or take it away and install the adapters again")
}

func firstLine(err error) string {
	text := err.Error()
	if i := bytes.IndexByte([]byte(text), '\n'); i >= 0 && i+1 < len(text) {
		text = text[i+1:]
	}
	if len(text) > 200 {
		text = text[:200]
	}
	return string(bytes.TrimSpace([]byte(text)))
}
