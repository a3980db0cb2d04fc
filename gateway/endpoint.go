package gateway

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

var versionSegment = regexp.MustCompile(`^v[0-9]+$`)

// suffix is the path of the protocol behind the version.
func (k Kind) suffix() string {
	if k == KindMessagesPassthrough {
		return "/messages"
	}
	return "/chat/completions"
}

// endpoint gives the URL that requests go to.
func (r *Route) endpoint() (*url.URL, error) {
	raw := strings.TrimSpace(r.BaseURL)
	if raw == "" || hasControl(raw) {
		return nil, routeError("BaseURL", "is empty or holds control characters")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, routeError("BaseURL", "is not a URL")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, routeError("BaseURL", "is neither http nor https")
	case u.User != nil:
		return nil, routeError("BaseURL", "holds a user name or a password")
	case u.Hostname() == "" || u.Opaque != "":
		return nil, routeError("BaseURL", "names no host")
	}
	u.Fragment, u.RawFragment = "", ""
	if !r.KeepQuery {
		u.RawQuery, u.ForceQuery = "", false
	}
	if r.FullURL {
		return u, nil
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	if !strings.HasSuffix(path, r.Kind.suffix()) {
		if !versionSegment.MatchString(path[strings.LastIndexByte(path, '/')+1:]) {
			path += "/v1"
		}
		path += r.Kind.suffix()
	}
	if u.Path, err = url.PathUnescape(path); err != nil {
		return nil, routeError("BaseURL", "is not a URL")
	}
	u.RawPath = path
	return u, nil
}

// isLoopback says whether a URL leads to this machine, by address or by the one name that always does.
func isLoopback(u *url.URL) bool {
	host := u.Hostname()
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
