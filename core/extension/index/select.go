package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// manifestSchema is that of the manifests that can be used.
const manifestSchema = "tutti.agent.manifest.v2"

// Wanted says which release is looked for. The zero value is the newest that is no pre-release and needs nothing of the
// host.
type Wanted struct {
	// Version is the one that has to be taken, which may be a pre-release. Empty: the newest that fits.
	Version string
	// PreReleases counts pre-releases, such as 2.0.0-rc.1, among what fits.
	PreReleases bool
	// Host is the version of the host, which a release may ask a lowest one of.
	Host string
	// Capabilities are what the host can do, by the names that publishers use.
	Capabilities []string
	// Have is the version that was installed before, and nothing older is taken but with AllowDowngrade. Empty: none.
	Have           string
	AllowDowngrade bool
}

// Left is a release that was left out, and why.
type Left struct {
	Version string     `json:"version"`
	Code    fault.Code `json:"code"`
	Reason  string     `json:"reason"`
}

// Select gives the newest release that fits and that a policy believes, and the newer ones that were left out. What is
// revoked, expired or for another host is left out; a release that nobody may have signed, or whose signature is not its
// own, ends the search, so that breaking the newest one leads nobody to an older one. Errors: those of [Release.Verify];
// fault.Downgrade, which says what is had and what is offered; the code of the first that was left out, or
// fault.NotInstalled for none.
func (v *Versions) Select(p *trust.Policy, t trust.Terms, w Wanted) (*Release, []Left, error) {
	var left []Left
	leave := func(e Entry, code fault.Code, reason string) { left = append(left, Left{e.Version, code, reason}) }
	t.ID = v.Key
	for _, e := range v.Entries {
		if w.Version != "" && e.Version != w.Version {
			continue
		}
		if code, reason := e.unfit(w); code != "" {
			leave(e, code, reason)
			continue
		}
		_, err := e.Release.Verify(p, t)
		switch code := fault.CodeOf(err); code {
		case "":
			return w.newer(v.Key, e, left)
		case fault.Revoked, fault.Expired, fault.Downgrade, fault.Incompatible:
			leave(e, code, plain(err))
		default:
			return nil, left, err
		}
	}
	return nil, left, v.none(w, left)
}

// Reject leaves a release out of what comes, for what is wrong with its package.
func (v *Versions) Reject(version string, err error) {
	for i := range v.Entries {
		if v.Entries[i].Version == version {
			v.Entries[i].rejected = &Left{version, fault.CodeOf(err), plain(err)}
		}
	}
}

// unfit says why an entry does not fit, or "".
func (e Entry) unfit(w Wanted) (fault.Code, string) {
	switch {
	case e.rejected != nil:
		return e.rejected.Code, e.rejected.Reason
	case e.Withdrawn:
		return fault.Revoked, "its publisher withdrew it"
	case e.version.Prerelease() != "" && !w.PreReleases && w.Version == "":
		return fault.NotInstalled, "it is a pre-release"
	case e.Release.ManifestSchema != manifestSchema:
		return fault.Incompatible, fmt.Sprintf("its manifest is %.80q, and only %q can be used", e.Release.ManifestSchema, manifestSchema)
	}
	if lowest, err := semver.StrictNewVersion(e.Host); err != nil || lowest.GreaterThan(lowestHost) {
		host, unknown := semver.StrictNewVersion(w.Host)
		if err != nil || unknown != nil || host.LessThan(lowest) {
			return fault.Incompatible, fmt.Sprintf("it is for version %s of the host and later, and this is %.40q", e.Host, w.Host)
		}
	}
	for _, needed := range e.Capabilities {
		if !slices.Contains(w.Capabilities, needed) {
			return fault.Incompatible, fmt.Sprintf("it needs a host that can %s", needed)
		}
	}
	return "", ""
}

// lowestHost is what releases name that are for every host.
var lowestHost = semver.New(0, 0, 0, "", "")

// newer gives a release, unless a newer one was there before.
func (w Wanted) newer(key string, e Entry, left []Left) (*Release, []Left, error) {
	have, err := semver.StrictNewVersion(w.Have)
	if err == nil && e.version.LessThan(have) && !w.AllowDowngrade {
		what := "the newest that fits is"
		if w.Version != "" {
			what = "wanted is"
		}
		return nil, left, fault.New(fault.Downgrade, "select", "extension "+key, fmt.Sprintf("there is %s, and %s %s%s", w.Have, what, e.Version, because(left))).
			WithHint("if you want the older one, say so with --allow-downgrade")
	}
	return e.Release, left, nil
}

func (v *Versions) none(w Wanted, left []Left) error {
	code, hint := fault.NotInstalled, ""
	if len(left) > 0 {
		code = left[0].Code
	}
	detail := "the index offers no release that fits" + because(left)
	if w.Version != "" {
		detail = fmt.Sprintf("the index offers no release %.80q that fits%s", w.Version, because(left))
	}
	if slices.ContainsFunc(left, func(l Left) bool { return l.Code == fault.NotInstalled }) {
		hint = "to take a pre-release, say so with --pre-release"
	}
	return fault.New(code, "select", "extension "+v.Key, detail).WithHint(hint)
}

// because says what was left out and why, the newest five of it.
func because(left []Left) string {
	var parts []string
	for _, l := range left[:min(len(left), 5)] {
		parts = append(parts, l.Version+": "+l.Reason)
	}
	if len(parts) == 0 {
		return ""
	}
	if more := len(left) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

// plain is what an error says, without what it is about.
func plain(err error) string {
	if e, ok := err.(*fault.Error); ok && e.Detail != "" {
		return e.Detail
	}
	return err.Error()
}
