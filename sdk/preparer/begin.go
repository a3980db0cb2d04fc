package preparer

import (
	"context"
	"slices"
	"strings"
)

// Begin starts the layout of a request with what a descriptor says of every client alike. It refuses an endpoint that the
// client does not speak to or that lacks a part. It puts the endpoint's key into the variable that the descriptor names
// for it and empties the one for the other kind of key, since a client that finds both may send both. What is left in
// [EndpointKeyVar] of a session that this one was started in goes, where the descriptor has it among its names. And it
// hands over the credentials of the host's MCP servers.
func Begin(ctx context.Context, d Descriptor, r Request) (*Layout, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := NewLayout()
	if r.Endpoint != nil {
		if err := d.admits(r.Endpoint); err != nil {
			return nil, err
		}
		l.key(d.Model, r.Endpoint)
	}
	if (r.Endpoint == nil || d.Model.KeyVar != EndpointKeyVar) && slices.Contains(d.Env, EndpointKeyVar) {
		l.Strip(EndpointKeyVar)
	}
	for _, s := range r.Servers {
		for _, h := range s.Headers {
			l.Set(h.Var, h.Value)
		}
	}
	return l, nil
}

// admits says whether a client can be bound to an endpoint.
func (d Descriptor) admits(e *Endpoint) error {
	m := d.Model
	switch {
	case m.Protocol == NoProtocol:
		return Refuse(d.Provider+".no-endpoint", d.Provider+" speaks to the models of its vendor only",
			"start the session without a model endpoint")
	case !m.Speaks(e.Protocol):
		hint := "choose an endpoint of the " + string(m.Protocol) + " protocol"
		if m.Endpoint == ResponsesToChatGateway {
			hint = "put a gateway before an endpoint of the " + string(m.Protocol) + " protocol"
		}
		return Refuse(d.Provider+".endpoint-protocol", d.Provider+" speaks "+m.Spoken()+
			" to a model endpoint, and this one speaks another protocol", hint)
	case e.BaseURL == "" || e.Default == "" || e.Key.Name == "" || len(e.Models) == 0:
		return Refuse(d.Provider+".endpoint-incomplete", "the model endpoint lacks a base URL, a key or a model", "complete the endpoint")
	}
	return nil
}

// key hands over the key of an endpoint.
func (l *Layout) key(m Model, e *Endpoint) {
	name, other := m.KeyVar, m.APIKeyVar
	if e.Auth == APIKey && other != "" {
		name, other = other, name
	}
	if name != "" {
		l.Set(name, e.Key)
	}
	if other != "" {
		l.SetEmpty(other)
	}
}

// Secretive says whether credentials of the host's stand in the session's environment: the key of an endpoint, or what its
// MCP servers want to have.
func (r Request) Secretive() bool {
	return r.Endpoint != nil || r.HasServerVars()
}

// HasServerVars says whether one of the host's MCP servers wants a credential.
func (r Request) HasServerVars() bool {
	return slices.ContainsFunc(r.Servers, func(s Server) bool { return len(s.Headers) > 0 })
}

// IDs are the ids of the models.
func (e *Endpoint) IDs() List {
	ids := make(List, len(e.Models))
	for i, m := range e.Models {
		ids[i] = S(m.ID)
	}
	return ids
}

// Other is the first model beside the default, and the default where there is no other.
func (e *Endpoint) Other() string {
	for _, m := range e.Models {
		if m.ID != e.Default {
			return m.ID
		}
	}
	return e.Default
}

// Called is what a person calls the endpoint, or other where they do not say or where the client has a meaning of its own
// for that name.
func (e *Endpoint) Called(other, reserved string) string {
	if name := strings.TrimSpace(e.Name); name == "" || strings.EqualFold(name, reserved) {
		return other
	}
	return e.Name
}

// Lines are the approved beginnings of command lines, each on a line of its own: before, the words with between between
// them, after.
func (c Commands) Lines(before, between, after string) (lines []Value) {
	for _, words := range c.Approved {
		lines = append(lines, S(before+strings.Join(words, between)+after+"\n"))
	}
	return lines
}

// Title is what a person calls the model: its name, or else its id.
func (m EndpointModel) Title() string {
	if m.Name != "" {
		return m.Name
	}
	return m.ID
}

// Window is how many tokens the model reads at once, for a client that compacts a conversation before it outgrows that.
// Where it is not known, it is what models of today have at the least.
func (m EndpointModel) Window() int {
	if m.ContextTokens > 0 {
		return m.ContextTokens
	}
	return 128_000
}

// Takes is what a model takes, in the words that most clients have for it. What is not known of one is not assumed: a
// picture that it cannot see would spoil a whole conversation.
func (m EndpointModel) Takes() List {
	if m.Images {
		return Strings("text", "image")
	}
	return Strings("text")
}

// ServerFile places a file of the host's MCP servers, where there are some, for a client that reads the values of headers
// from variables whose names stand between before and after. It gives the path of the file, or nothing.
func (l *Layout) ServerFile(r Request, at Place, before, after string) []Value {
	if len(r.Servers) == 0 {
		return nil
	}
	list := Object{}
	for _, s := range r.Servers {
		list[s.Name] = Object{"type": S("http"), "url": S(s.URL), "headers": s.HeaderVars(before, after)}
	}
	l.CheckedDocument(at, JSON, Object{"mcpServers": list}, Key("mcpServers"))
	return []Value{at.Value()}
}

// HeaderVars are the headers of the server with the names of the variables that hold their values, between what a client
// wants to have around such a name.
func (s Server) HeaderVars(before, after string) Object {
	headers := Object{}
	for _, h := range s.Headers {
		headers[h.Name] = S(before + h.Var + after)
	}
	return headers
}
