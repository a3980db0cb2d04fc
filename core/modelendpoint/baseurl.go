package modelendpoint

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// URLError says why a base URL cannot be used. It never holds the URL, in which a person may have put a credential.
type URLError string

// The reasons.
const (
	URLMissing        URLError = "missing"
	URLMalformed      URLError = "malformed"
	SchemeMissing     URLError = "scheme_missing"
	SchemeUnsupported URLError = "scheme_unsupported"
	UserinfoRefused   URLError = "userinfo_not_allowed"
)

var reasons = map[URLError]string{
	URLMissing: "is blank", URLMalformed: "is no URL of a host", SchemeMissing: "has no scheme",
	SchemeUnsupported: "is neither http nor https", UserinfoRefused: "holds a user name or a password",
}

func (e URLError) Error() string { return reasons[e] }

// version is the last segment of a path that says which version of the protocol is spoken.
var version = regexp.MustCompile(`^v[0-9]+[a-z0-9]*$`)

// Normalise gives the form of a base URL that clients are configured with, without a slash at the end, a query and a
// fragment. For openai and responses it ends in a version, "/v1" unless there is one; clients add the rest. For the
// anthropic protocol it ends before "/v1", which clients add too. It is idempotent. Errors are URLErrors.
func Normalise(protocol preparer.Protocol, base string) (string, error) {
	base = strings.TrimSpace(base)
	if base == "" {
		return "", URLMissing
	}
	u, err := url.Parse(base)
	switch {
	case err != nil && !strings.Contains(base, "://"), err == nil && u.Scheme == "", err == nil && u.Opaque != "":
		// "host:8080/v1" is a scheme and an opaque rest to the parser.
		return "", SchemeMissing
	case err != nil:
		return "", URLMalformed
	case u.Scheme != "http" && u.Scheme != "https":
		return "", SchemeUnsupported
	case u.User != nil:
		return "", UserinfoRefused
	case u.Hostname() == "":
		return "", URLMalformed
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	last := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case protocol == preparer.Anthropic && last == "v1":
		path = strings.TrimRight(strings.TrimSuffix(path, "v1"), "/")
	case protocol != preparer.Anthropic && !version.MatchString(last):
		path += "/v1"
	}
	return u.Scheme + "://" + u.Host + path, nil
}

// Loopback says whether a base URL leads to this machine, by address or by the one name that always does.
func Loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	if strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return err == nil && addr.Unmap().IsLoopback()
}
