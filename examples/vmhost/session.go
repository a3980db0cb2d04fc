package vmhost

import (
	"maps"
	"slices"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
)

// session is a core.Session that travels. What is secret in one is never written by its own type, and stands in fields here
// that take their place.
type session struct {
	core.Session
	Endpoint *endpoint `json:",omitempty"`
	Servers  []server  `json:",omitempty"`
}

type endpoint struct {
	modelendpoint.Endpoint
	Key string
}

type server struct {
	connector.Server
	Headers []header
}

type header struct{ Name, Value string }

func pack(s core.Session) session {
	p := session{Session: s}
	if e := s.Endpoint; e != nil {
		p.Endpoint = &endpoint{*e, e.Key.Reveal()}
	}
	for _, one := range s.Servers {
		t := server{Server: one}
		for _, h := range one.Headers {
			t.Headers = append(t.Headers, header{h.Name, h.Value.Reveal()})
		}
		p.Servers = append(p.Servers, t)
	}
	return p
}

// unpack is the session on the agents' machine: every path in it is one of that machine.
func (p session) unpack(paths Paths) (core.Session, error) {
	s := p.Session
	s.SkillRoots, s.Logins = slices.Clone(s.SkillRoots), maps.Clone(s.Logins)
	if e := p.Endpoint; e != nil {
		e.Endpoint.Key = modelendpoint.NewKey(e.Key)
		s.Endpoint = &e.Endpoint
	}
	for _, t := range p.Servers {
		for _, h := range t.Headers {
			t.Server.Headers = append(t.Server.Headers, connector.Header{Name: h.Name, Value: modelendpoint.NewKey(h.Value)})
		}
		s.Servers = append(s.Servers, t.Server)
	}
	places := []*string{&s.Cwd, &s.Transcript}
	for i := range s.SkillRoots {
		places = append(places, &s.SkillRoots[i].Path)
	}
	for _, at := range places {
		var err error
		if *at, err = paths.physical(*at); err != nil {
			return s, err
		}
	}
	for name, l := range s.Logins {
		at, err := paths.physical(l.Path)
		if err != nil {
			return s, err
		}
		s.Logins[name] = core.Login{Path: at}
	}
	return s, nil
}
