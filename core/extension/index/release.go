package index

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/canonical"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// ReleaseSchema is that of the document of a release.
const ReleaseSchema = "tutti.agent.release.v1"

// Limits.
const (
	MaxRelease  = 1 << 20  // bytes of the document of a release
	MaxArtifact = 20 << 20 // bytes of its zip file
)

// Release is one that a publisher offers, as its document says. Nobody has verified it; it does not change.
type Release struct {
	Key     string // of the agent
	Version string // semantic
	// ManifestSchema is that of the manifest which the document holds.
	ManifestSchema string
	// URL is where the publisher keeps the zip file: https.
	URL         string
	SHA256      string // of the zip file, in lower-case hexadecimal
	Size        int64  // of the zip file, in bytes
	PublishedAt time.Time
	Commit      string // that it was made from, by the word of the publisher
	Signer      string // the name of its key

	document, message, signature []byte
}

// release is the document.
type release struct {
	Schema      string          `json:"schemaVersion"`
	Key         string          `json:"agentKey"`
	Version     string          `json:"version"`
	Manifest    json.RawMessage `json:"manifest"`
	URL         string          `json:"artifactUrl"`
	SHA256      string          `json:"artifactSha256"`
	Size        int64           `json:"artifactSizeBytes"`
	PublishedAt time.Time       `json:"publishedAt"`
	Commit      string          `json:"gitSha,omitempty"`
	Signature   struct {
		Algorithm string `json:"algorithm"`
		Key       string `json:"keyId"`
		Value     string `json:"value"`
	} `json:"signature"`
}

// signatureField is not part of what is signed.
const signatureField = "signature"

var (
	digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
	commitForm = regexp.MustCompile(`^[0-9A-Za-z._-]{0,64}$`)
)

// ParseRelease reads the document of a release. Errors: fault.PackageRules, which names the field.
func ParseRelease(document []byte) (*Release, error) {
	return parseRelease("release", document)
}

func parseRelease(at string, document []byte) (*Release, error) {
	if len(document) > MaxRelease {
		return nil, bad(at, "", fmt.Sprintf("has more than %d bytes", MaxRelease))
	}
	var d release
	if err := strictjson.Decode(document, &d); err != nil {
		return nil, badJSON(at, err)
	}
	message, err := canonical.Form(document, signatureField)
	if err != nil {
		return nil, badJSON(at, err)
	}
	var manifest struct {
		Schema  string `json:"schemaVersion"`
		Key     string `json:"agentKey"`
		Version string `json:"version"`
	}
	if json.Unmarshal(d.Manifest, &manifest) != nil {
		return nil, bad(at, "manifest", "is not a manifest")
	}
	signature, err := base64.StdEncoding.Strict().DecodeString(d.Signature.Value)
	where, parsed := url.Parse(d.URL)
	switch {
	case d.Schema != ReleaseSchema:
		return nil, bad(at, "schemaVersion", fmt.Sprintf("is %.80q, and has to be %q", d.Schema, ReleaseSchema))
	case !trust.ValidID(d.Key):
		return nil, bad(at, "agentKey", fmt.Sprintf("is %.80q, which cannot be the key of an agent", d.Key))
	case !trust.ValidVersion(d.Version):
		return nil, bad(at, "version", fmt.Sprintf("is %.80q, and has to be a semantic version such as 1.0.0", d.Version))
	case manifest.Key != d.Key || manifest.Version != d.Version:
		return nil, bad(at, "manifest", fmt.Sprintf("is that of %.80q %.80q, and the release is %s %s", manifest.Key, manifest.Version, d.Key, d.Version))
	case parsed != nil || where.Scheme != "https" || where.Host == "" || where.User != nil:
		return nil, bad(at, "artifactUrl", "is no address that begins with https://")
	case !digestForm.MatchString(d.SHA256):
		return nil, bad(at, "artifactSha256", "is not a SHA-256 digest in lower-case hexadecimal")
	case d.Size <= 0 || d.Size > MaxArtifact:
		return nil, bad(at, "artifactSizeBytes", fmt.Sprintf("is %d, and has to be 1 to %d", d.Size, MaxArtifact))
	case d.PublishedAt.Unix() <= 0:
		return nil, bad(at, "publishedAt", "is missing, or before 1970")
	case !commitForm.MatchString(d.Commit):
		return nil, bad(at, "gitSha", "is not the name of a commit")
	case d.Signature.Algorithm != "ed25519":
		return nil, bad(at, "signature.algorithm", fmt.Sprintf("is %.40q, and has to be \"ed25519\"", d.Signature.Algorithm))
	case d.Signature.Key == "" || len(d.Signature.Key) > 128:
		return nil, bad(at, "signature.keyId", "is empty or too long")
	case err != nil || len(signature) != ed25519.SignatureSize:
		return nil, bad(at, "signature.value", "is not an Ed25519 signature in base64")
	}
	return &Release{
		Key: d.Key, Version: d.Version, ManifestSchema: manifest.Schema, URL: d.URL, SHA256: d.SHA256, Size: d.Size,
		PublishedAt: d.PublishedAt, Commit: d.Commit, Signer: d.Signature.Key,
		document: bytes.Clone(document), message: message, signature: signature,
	}, nil
}

// Document is what was read.
func (r *Release) Document() []byte { return bytes.Clone(r.document) }

// Verify says whether a policy believes the release; see [trust.Policy.VerifyNamed]. It was issued when it was published,
// and that second is its sequence. It never expires but with the window of its key.
func (r *Release) Verify(p *trust.Policy, t trust.Terms) (*trust.Verified, error) {
	t.Kind = trust.Extension
	return p.VerifyNamed(trust.Named{
		Key: r.Signer, Message: r.message, Signature: r.signature,
		Release: trust.Release{ID: r.Key, Version: r.Version, Sequence: uint64(r.PublishedAt.Unix()), IssuedAt: r.PublishedAt},
	}, t)
}

// Holds says with fault.Tampered when a zip file is not the one of the release.
func (r *Release) Holds(artifact []byte) error {
	detail := ""
	if got := int64(len(artifact)); got != r.Size {
		detail = fmt.Sprintf("it has %d bytes, signed are %d", got, r.Size)
	} else if sum := sha256.Sum256(artifact); hex.EncodeToString(sum[:]) != r.SHA256 {
		detail = "its SHA-256 is " + hex.EncodeToString(sum[:]) + ", signed is " + r.SHA256
	}
	if detail == "" {
		return nil
	}
	return fault.New(fault.Tampered, "verify", fmt.Sprintf("extension %s %s: zip file", r.Key, r.Version), detail).WithHint("fetch the release again")
}

func bad(at, field, detail string) *fault.Error {
	if field != "" {
		at += ": " + shown(field)
	}
	return fault.New(fault.PackageRules, "read", at, detail).
		WithHint("look whether that is the list of the publisher; if it is, ask them to mend it")
}

func badJSON(at string, err error) error {
	var where *strictjson.Error
	if !errors.As(err, &where) {
		return bad(at, "", err.Error())
	}
	return bad(at, where.Field, fmt.Sprintf("%s (line %d)", where.Detail, where.Line))
}

// shown is a word of somebody else's as messages show it.
func shown(s string) string { return strings.Trim(fmt.Sprintf("%+.200q", s), `"`) }
