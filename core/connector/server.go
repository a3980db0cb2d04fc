package connector

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Server is an MCP server of the host's that a session's client reaches by HTTP.
type Server struct {
	// Name is what the model sees in the names of its tools. It begins with a letter and has up to 40 letters, digits,
	// dashes and underscores. Where the user has a server of this name, it gets another one.
	Name string
	// URL is absolute, without a user name, a query and a fragment: what is secret about it belongs into a header. One
	// that has a header is reached by https, or on this machine.
	URL     string
	Headers []Header
}

// Header is a header that goes with every request. Its value is a credential: it is in the environment that the client
// is started with, and nowhere else.
type Header struct {
	Name  string
	Value modelendpoint.Key
}

const (
	maxServers = 64
	maxHeaders = 16
	maxHeader  = 8 << 10
)

var (
	serverForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)
	headerForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
)

// Servers gives servers in one order, those of the names and of the headers' names, and refuses what no client can be
// given. Errors hold neither a URL nor a value.
func Servers(list []Server) ([]Server, error) {
	bad := func(what, detail string) ([]Server, error) {
		return nil, fault.New(fault.Invalid, "prepare", what, detail)
	}
	if len(list) > maxServers {
		return bad("servers", "are more than 64")
	}
	list = slices.Clone(list)
	seen := map[string]bool{}
	for i := range list {
		s := &list[i]
		if !serverForm.MatchString(s.Name) {
			return bad("server", "has a name that does not begin with a letter or holds other than letters, digits, dashes and underscores")
		}
		what := "server " + s.Name
		if seen[fold(s.Name)] {
			return bad(what, "is there twice")
		}
		seen[fold(s.Name)] = true
		if why := badURL(s.URL, len(s.Headers) > 0); why != "" {
			return bad(what, why)
		}
		s.Headers = slices.Clone(s.Headers)
		slices.SortFunc(s.Headers, func(a, b Header) int { return strings.Compare(fold(a.Name), fold(b.Name)) })
		if len(s.Headers) > maxHeaders {
			return bad(what, "has more than 16 headers")
		}
		for n, h := range s.Headers {
			value := h.Value.Reveal()
			switch {
			case !headerForm.MatchString(h.Name):
				return bad(what, "has a header whose name is none")
			case n > 0 && strings.EqualFold(s.Headers[n-1].Name, h.Name):
				return bad(what, "has header "+h.Name+" twice")
			case strings.TrimSpace(value) != value || value == "" || len(value) > maxHeader || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
				return bad(what, "has a value of header "+h.Name+" that is blank, too long or that no header can carry")
			}
		}
	}
	slices.SortFunc(list, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Bearers gives servers for a client that takes a bearer token of each and no other header: the value of Authorization is
// the token without its scheme. A server with another header is refused.
func Bearers(list []Server) ([]Server, error) {
	const scheme = "Bearer "
	list = slices.Clone(list)
	for i, s := range list {
		list[i].Headers = slices.Clone(s.Headers)
		for n, h := range s.Headers {
			value := h.Value.Reveal()
			token := strings.TrimSpace(value[min(len(scheme), len(value)):])
			if !strings.EqualFold(h.Name, "Authorization") || !strings.EqualFold(value[:min(len(scheme), len(value))], scheme) || token == "" {
				return nil, fault.New(fault.Refused, "prepare", "server "+s.Name,
					"wants a header that its client cannot be given: of all headers it takes a bearer token only").
					WithHint("give the server's credential as Authorization, with the scheme Bearer")
			}
			list[i].Headers[n] = Header{Name: h.Name, Value: modelendpoint.NewKey(token)}
		}
	}
	return list, nil
}

// badURL says why a URL cannot be that of a server, or "".
func badURL(text string, credentials bool) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "has a URL that is none of http or https"
	case strings.ContainsAny(text, "${}`\"'<>\\"):
		return "has a URL with characters that a client's file may read as something else"
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#"):
		return "has a URL with a user name, a query or a fragment; a credential belongs into a header"
	case credentials && u.Scheme == "http" && !modelendpoint.Loopback(text):
		return "would get its credentials over an open connection"
	}
	return ""
}

// Named gives the servers names that none of the user's has, whatever its letter case: its own, or that with the suffix
// -tutti, -tutti-2 and so on. The servers are those of [Servers]. Renamed has the new name by the old one.
func Named(list []Server, users []string) (named []Server, renamed map[string]string) {
	taken := make(map[string]bool, len(users)+len(list))
	for _, name := range users {
		taken[fold(name)] = true
	}
	list, renamed = slices.Clone(list), map[string]string{}
	var clash []int
	for i, s := range list {
		if taken[fold(s.Name)] {
			clash = append(clash, i)
			continue
		}
		taken[fold(s.Name)] = true
	}
	for _, i := range clash {
		name := list[i].Name + "-tutti"
		for n := 2; taken[fold(name)]; n++ {
			name = list[i].Name + "-tutti-" + strconv.Itoa(n)
		}
		renamed[list[i].Name] = name
		taken[fold(name)], list[i].Name = true, name
	}
	slices.SortFunc(list, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return list, renamed
}

// Handles is what an adapter is told of servers. The variables for their credentials are named begin1, begin2 and so on.
func Handles(list []Server, begin string) []preparer.Server {
	var told []preparer.Server
	n := 0
	for _, s := range list {
		one := preparer.Server{Name: s.Name, URL: s.URL}
		for _, h := range s.Headers {
			n++
			one.Headers = append(one.Headers, preparer.Header{Name: h.Name, Var: begin + strconv.Itoa(n), Value: handle(n)})
		}
		told = append(told, one)
	}
	return told
}

// Credentials are the values that the handles of [Handles] stand for, by the names of those.
func Credentials(list []Server) map[string]string {
	values := map[string]string{}
	for _, s := range list {
		for _, h := range s.Headers {
			values[handle(len(values)+1).Name] = h.Value.Reveal()
		}
	}
	return values
}

func handle(n int) preparer.Secret { return preparer.Secret{Name: "server-header-" + strconv.Itoa(n)} }

// fold is a name without its letter case. Names are ASCII.
func fold(name string) string { return strings.ToLower(name) }
