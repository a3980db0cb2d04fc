package launch

import (
	"maps"
	"slices"
	"sync"
)

// setup is how a client is set up, as far as it says. What is nil it has not said.
type setup struct {
	options map[string]string // by the client's own names
	tools   []string
	servers map[string]string // of MCP, and how they do, by the client's own words
}

// Change is something in which a client that was started again differs from what it was before.
type Change struct {
	What ChangeKind `json:"what"`
	Name string     `json:"name"`          // of the option, tool or server
	Was  string     `json:"was,omitempty"` // the value of an option, how a server did; of a tool that it was there
	Is   string     `json:"is,omitempty"`  // "" for what is not there any more
}

// ChangeKind is what a [Change] is of.
type ChangeKind string

// The kinds of change.
const (
	OptionChange ChangeKind = "option" // as it stands although it was set again
	ToolChange   ChangeKind = "tool"
	ServerChange ChangeKind = "mcp_server"
)

// present is the value of a tool that there is.
const present = "present"

// standing is what a client has said of how it is set up, and what is to be compared with it. Clients say it when a
// conversation begins, with a turn, or bit by bit while their servers start.
type standing struct {
	mu     sync.Mutex
	now    setup
	before *setup // of the process that was ended, until all of it was compared
}

// put takes something that the client says.
func (s *standing) put(said setup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(said.options) > 0 {
		all := maps.Clone(s.now.options)
		if all == nil {
			all = map[string]string{}
		}
		maps.Copy(all, said.options)
		s.now.options = all
	}
	if said.tools != nil {
		s.now.tools = said.tools
	}
	if said.servers != nil {
		s.now.servers = maps.Clone(said.servers)
	}
}

// reset forgets what was said, since another process or conversation begins, and gives it.
func (s *standing) reset() setup {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.now
	if s.before != nil { // a process that ended before it had said everything
		was = s.before.under(was)
	}
	s.now, s.before = setup{}, nil
	return was
}

// under is what was said before, where nothing was said since.
func (s setup) under(since setup) setup {
	options := maps.Clone(s.options)
	if options == nil {
		options = map[string]string{}
	}
	maps.Copy(options, since.options)
	since.options = options
	if since.tools == nil {
		since.tools = s.tools
	}
	if since.servers == nil {
		since.servers = s.servers
	}
	return since
}

// compare has what is said from now on compared with what was said before.
func (s *standing) compare(was setup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = &was
}

// option is how an option stands, "" for one that the client has not told of.
func (s *standing) option(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now.options[name]
}

// forget forgets how an option stands.
func (s *standing) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.now.options, name)
}

// starting are the words of clients for a server of which nothing can be said yet.
var starting = []string{"starting", "pending", "notStarted"}

// changes are those that have not been given yet. At the end of a turn a server of which nothing was said is not there any
// more, and an option of which nothing was said stands as it was set.
func (s *standing) changes(end bool) (list []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before == nil {
		return nil
	}
	b := s.before
	for _, name := range slices.Sorted(maps.Keys(b.options)) {
		if is, told := s.now.options[name]; told {
			if is != b.options[name] {
				list = append(list, Change{OptionChange, name, b.options[name], is})
			}
			delete(b.options, name)
		}
	}
	pending := false
	if b.servers != nil && s.now.servers != nil {
		for _, name := range bothOf(b.servers, s.now.servers) {
			was, is := b.servers[name], s.now.servers[name]
			if wait := slices.Contains(starting, is) || is == "" && !end; wait || slices.Contains(starting, was) {
				pending = pending || wait
				continue
			}
			if was != is {
				list = append(list, Change{ServerChange, name, was, is})
				b.servers[name] = is
			}
		}
	}
	// Tools of servers come and go with them.
	if b.tools != nil && s.now.tools != nil && !pending {
		was, is := setOf(b.tools), setOf(s.now.tools)
		for _, name := range bothOf(was, is) {
			if was[name] != is[name] {
				list = append(list, Change{ToolChange, name, was[name], is[name]})
			}
		}
		b.tools = nil
	}
	if end && !pending {
		s.now, s.before = b.under(s.now), nil
	}
	return list
}

func setOf(names []string) map[string]string {
	set := map[string]string{}
	for _, name := range names {
		set[name] = present
	}
	return set
}

// bothOf are the keys of either, sorted.
func bothOf(a, b map[string]string) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
