package redact

import "strings"

const (
	// Mask stands where a credential stood.
	Mask = "[redacted]"
	// HostMask stands where the upstream's host name stood.
	HostMask = "[upstream]"
	// MinLength is the length in bytes below which a credential is taken for a stand-in.
	MinLength = 10
	// partLength is the length from which a part of a credential counts as a leak in an error message.
	partLength = 12
)

// Secrets knows what must not be seen. The zero value and nil know nothing and change nothing.
type Secrets struct {
	keys  []string
	hosts []string
	auto  *automaton
}

// New takes the credentials to hide and the host names (with or without a port) to hide in error messages. Empty
// and short credentials are left out.
func New(keys, hosts []string) *Secrets {
	s := &Secrets{}
	var all []string
	for _, k := range keys {
		if len(k) >= MinLength {
			s.keys = append(s.keys, k)
			all = append(all, forms(k)...)
		}
	}
	for _, h := range hosts {
		if len(h) > 3 {
			s.hosts = append(s.hosts, h)
		}
	}
	if len(all) > 0 {
		s.auto = newAutomaton(all)
	}
	return s
}

// Text gives an error message without credentials, long parts of credentials and host names.
func (s *Secrets) Text(text string) string {
	if s == nil || text == "" {
		return text
	}
	if s.auto != nil {
		f := Filter{auto: s.auto}
		text = string(f.Flush(f.Append(make([]byte, 0, len(text)), []byte(text))))
	}
	if len(s.keys) > 0 {
		var found []span
		views := []view{plainView(text), percentView(text), jsonView(text)}
		for _, k := range s.keys {
			pairs := pairsOf(k)
			for _, v := range views {
				found = v.leaks(k, pairs, found)
			}
		}
		text = maskSpans(text, found)
	}
	for _, h := range s.hosts {
		text = strings.ReplaceAll(text, h, HostMask)
	}
	return text
}

// Filter starts a filter for one stream of text; nil if there is nothing to hide.
func (s *Secrets) Filter() *Filter {
	if s == nil || s.auto == nil {
		return nil
	}
	return &Filter{auto: s.auto}
}
