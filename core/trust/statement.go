package trust

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
)

// Kind is what a release is a release of.
type Kind string

// The kinds.
const (
	Extension Kind = "extension" // a package of data that describes an agent
	Adapter   Kind = "adapter"   // binaries that describe a client
)

func (k Kind) known() bool { return k == Extension || k == Adapter }

// flag is what the command line tool has to be told when a key is added for it, "" for what it takes by itself.
func (k Kind) flag() string {
	if k == Adapter {
		return " --kind adapter"
	}
	return ""
}

// predicate is the type of a statement about a release of a kind.
func (k Kind) predicate() string {
	return "https://github.com/greenroom-agents/greenroom/" + string(k) + "-release/v1"
}

// Release is what is said of the files that were signed.
type Release struct {
	// ID is the key of the extension, or the provider of the adapter.
	ID string `json:"id"`
	// Version is a semantic version.
	Version string `json:"version"`
	// Sequence grows with each release of an ID, by any amount. It says which of two releases is the newer one.
	Sequence uint64 `json:"sequence"`
	// IssuedAt is when it was signed, by the word of the signer.
	IssuedAt time.Time `json:"issuedAt"`
	// ExpiresAt is when it is not to be used any more. Zero: never.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// Host is the range of versions of Greenroom that it is for. Empty: all.
	Host string `json:"host,omitempty"`
	// Protocols are the versions of the contract that the adapter speaks. Adapters only.
	Protocols []int `json:"protocols,omitempty"`
	// Platforms name the file of each system and architecture, such as "linux/amd64". Adapters only.
	Platforms map[string]Binary `json:"platforms,omitempty"`
}

// Binary is the program for one platform.
type Binary struct {
	File string `json:"file"` // one of the files of the statement
	Size int64  `json:"size"` // in bytes
}

// Digests are the lower-case hexadecimal SHA-256 digests of files, by clean relative path.
type Digests map[string]string

// The shape of an in-toto statement.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     Release   `json:"predicate"`
}

type subject struct {
	Name   string `json:"name"`
	Digest sum    `json:"digest"`
}

type sum struct {
	SHA256 string `json:"sha256"`
}

// From the specifications of in-toto and DSSE.
const (
	statementType = "https://in-toto.io/Statement/v1"
	payloadType   = "application/vnd.in-toto+json"
)

// maxFiles is how many files one statement may list.
const maxFiles = 2000

var (
	idForm     = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$`)
	digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// ValidID says whether a text can be the ID of a release: 1 to 64 of a-z, 0-9, dot, underscore and hyphen, with a letter
// or digit at both ends.
func ValidID(id string) bool { return idForm.MatchString(id) }

// ValidVersion says whether a text is a semantic version, in full and without a "v".
func ValidVersion(version string) bool {
	_, err := semver.StrictNewVersion(version)
	return err == nil
}

// encode writes the bytes that are signed.
func encode(k Kind, r Release, files Digests) ([]byte, error) {
	s := statement{Type: statementType, PredicateType: k.predicate(), Predicate: r}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		s.Subject = append(s.Subject, subject{name, sum{files[name]}})
	}
	if bad := s.wrong(k); bad != "" {
		return nil, unsignable(r, bad)
	}
	return json.Marshal(s)
}

// decode reads bytes that a trusted key has signed.
func decode(k Kind, payload []byte) (statement, string) {
	var s statement
	if err := strictjson.Decode(payload, &s); err != nil {
		return s, "the statement is not valid: " + err.Error()
	}
	return s, s.wrong(k)
}

// verified is a statement as callers get it.
func (s statement) verified(k Kind, payload []byte) *Verified {
	v := &Verified{Kind: k, Release: s.Predicate, Files: Digests{}, Digest: hexSum(payload)}
	for _, f := range s.Subject {
		v.Files[f.Name] = f.Digest.SHA256
	}
	return v
}

// wrong says what is wrong with a statement, or "".
func (s statement) wrong(k Kind) string {
	r := s.Predicate
	switch {
	case s.Type != statementType:
		return fmt.Sprintf("the statement has type %.100q, expected is %q", s.Type, statementType)
	case s.PredicateType != k.predicate():
		return fmt.Sprintf("the statement is about %.100q, expected is %q", s.PredicateType, k.predicate())
	case len(s.Subject) == 0 || len(s.Subject) > maxFiles:
		return fmt.Sprintf("it lists %d files, and has to list 1 to %d", len(s.Subject), maxFiles)
	}
	if bad := r.wrong(k); bad != "" {
		return bad
	}
	names := map[string]bool{}
	for _, f := range s.Subject {
		switch {
		case f.Name == "" || names[f.Name]:
			return fmt.Sprintf("the file %.80q is listed twice, or has no name", f.Name)
		case !digestForm.MatchString(f.Digest.SHA256):
			return fmt.Sprintf("the file %.80q has no SHA-256 digest", f.Name)
		}
		names[f.Name] = true
	}
	for platform, b := range r.Platforms {
		if !names[b.File] || b.Size <= 0 {
			return fmt.Sprintf("the platform %.40q names no file that is listed", platform)
		}
	}
	return ""
}

// wrong says what is wrong with what is said of a release of a kind, or "".
func (r Release) wrong(k Kind) string {
	switch {
	case !ValidID(r.ID):
		return fmt.Sprintf("the id %.80q cannot be one", r.ID)
	case !ValidVersion(r.Version):
		return fmt.Sprintf("the version %.80q is not a semantic version", r.Version)
	case r.Sequence == 0:
		return "the sequence is missing"
	case r.IssuedAt.IsZero():
		return "the time of issue is missing"
	case !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(r.IssuedAt):
		return "it expires before it is issued"
	case k != Adapter && (r.Platforms != nil || r.Protocols != nil):
		return "only an adapter has platforms and protocols"
	}
	if r.Host != "" {
		if _, err := semver.NewConstraint(r.Host); err != nil {
			return fmt.Sprintf("the range of hosts %.80q is none", r.Host)
		}
	}
	return ""
}
