package index

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// VersionsSchema is that of a list of releases.
const VersionsSchema = "tutti.agent.versions.v1"

// Limits of a list.
const (
	MaxVersions = 2 << 20 // bytes
	maxEntries  = 2000
)

// Versions are the releases of one agent that a publisher offers, newest first.
type Versions struct {
	Key     string
	Entries []Entry
}

// Entry is one of the list. Only its release is signed.
type Entry struct {
	Version string
	// Host is the lowest version of the host that it is for.
	Host string
	// Capabilities are what the host has to be able to do.
	Capabilities []string
	// Withdrawn says that the publisher took it back.
	Withdrawn bool
	// Release may be nil for what was withdrawn.
	Release *Release

	version  *semver.Version
	rejected *Left
}

type versions struct {
	Schema   string `json:"schemaVersion"`
	Key      string `json:"agentKey"`
	Versions []struct {
		Version      string          `json:"version"`
		Host         string          `json:"minTuttiVersion"`
		Capabilities []string        `json:"requiredHostCapabilities,omitempty"`
		Status       string          `json:"status"`
		Release      json.RawMessage `json:"release,omitempty"`
	} `json:"versions"`
}

var capabilityForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// ParseVersions reads a list. One that breaks a rule anywhere is refused whole, since what is not understood of it may be
// that a release was withdrawn. Errors: fault.PackageRules, which names the field.
func ParseVersions(document []byte) (*Versions, error) {
	const at = "release index"
	if len(document) > MaxVersions {
		return nil, bad(at, "", fmt.Sprintf("has more than %d bytes", MaxVersions))
	}
	var d versions
	if err := strictjson.Decode(document, &d); err != nil {
		return nil, badJSON(at, err)
	}
	switch {
	case d.Schema != VersionsSchema:
		return nil, bad(at, "schemaVersion", fmt.Sprintf("is %.80q, and has to be %q", d.Schema, VersionsSchema))
	case !trust.ValidID(d.Key):
		return nil, bad(at, "agentKey", fmt.Sprintf("is %.80q, which cannot be the key of an agent", d.Key))
	case len(d.Versions) > maxEntries:
		return nil, bad(at, "versions", fmt.Sprintf("lists %d, and may list %d", len(d.Versions), maxEntries))
	}
	v := &Versions{Key: d.Key}
	for i, one := range d.Versions {
		field := fmt.Sprintf("versions[%d]", i)
		e := Entry{Version: one.Version, Host: one.Host, Capabilities: one.Capabilities, Withdrawn: one.Status == "withdrawn"}
		var err error
		if e.version, err = semver.StrictNewVersion(one.Version); err != nil {
			return nil, bad(at, field+".version", fmt.Sprintf("is %.80q, and has to be a semantic version", one.Version))
		}
		if !trust.ValidVersion(one.Host) {
			return nil, bad(at, field+".minTuttiVersion", fmt.Sprintf("is %.80q, and has to be a semantic version", one.Host))
		}
		if one.Status != "active" && !e.Withdrawn {
			return nil, bad(at, field+".status", fmt.Sprintf("is %.40q, and has to be active or withdrawn", one.Status))
		}
		if slices.ContainsFunc(one.Capabilities, func(c string) bool { return !capabilityForm.MatchString(c) }) {
			return nil, bad(at, field+".requiredHostCapabilities", "holds what is not the name of a capability")
		}
		if slices.ContainsFunc(v.Entries, func(o Entry) bool { return o.version.Equal(e.version) }) {
			return nil, bad(at, field+".version", "is "+one.Version+", which is as new as another of the list")
		}
		switch {
		case one.Release != nil:
			if e.Release, err = parseRelease(at+": "+field+".release", one.Release); err != nil {
				return nil, err
			}
			if e.Release.Key != d.Key || e.Release.Version != one.Version {
				return nil, bad(at, field+".release", fmt.Sprintf("is that of %s %s, and it stands under %s %s", e.Release.Key, e.Release.Version, d.Key, one.Version))
			}
		case !e.Withdrawn:
			return nil, bad(at, field+".release", "is missing")
		}
		v.Entries = append(v.Entries, e)
	}
	slices.SortFunc(v.Entries, func(a, b Entry) int { return b.version.Compare(a.version) })
	return v, nil
}
