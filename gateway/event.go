package gateway

import (
	"time"

	"github.com/greenroom-agents/greenroom/gateway/translate"
)

// EventKind says what an event is about.
type EventKind string

// The kinds of events.
const (
	EventRegistered EventKind = "registered"
	EventCommitted  EventKind = "committed"
	EventDiscarded  EventKind = "discarded"
	EventRevoked    EventKind = "revoked"
	// EventRejected is a request that was not let in.
	EventRejected EventKind = "rejected"
	// EventRequest is a request that was let in and is over.
	EventRequest EventKind = "request"
)

// Outcome says how a request ended.
type Outcome string

// The outcomes of requests.
const (
	OutcomeCompleted  Outcome = "completed"
	OutcomeIncomplete Outcome = "incomplete"
	OutcomeFailed     Outcome = "failed"
	// OutcomeCancelled means that the client went away or took nothing any more.
	OutcomeCancelled Outcome = "cancelled"
)

// Event tells what happened, in names, counts and times. It never holds a body, a credential or an upstream's address.
type Event struct {
	Kind EventKind
	Time time.Time
	// Workspace, Session, Generation, Revision and Dialect are those of the route; zero if there is none.
	Workspace, Session, Revision, Dialect string
	Generation                            uint64

	// RequestID is fresh for each request.
	RequestID string
	// Model is what the client asked for.
	Model  string
	Stream bool
	// Items counts the input items by type, Messages what was made of them.
	Items    map[string]int
	Messages int
	// ToolsKept is the number of tools sent on, ToolsFiltered the types of those left out.
	ToolsKept     int
	ToolsFiltered []string
	// Ignored names the request's fields without effect.
	Ignored []string
	// Repairs counts what was changed in the request and in the answer, by name.
	Repairs map[string]int
	// Omitted is how many optional fields the upstream refused in this request.
	Omitted int

	// RequestBytes came from the client, UpstreamBytes went upstream, ResponseBytes went to the client.
	RequestBytes, UpstreamBytes, ResponseBytes int64
	// TimeToHeaders, TimeToFirstToken and Duration count from the arrival of the request; zero if it did not come to it.
	TimeToHeaders, TimeToFirstToken, Duration time.Duration
	KeepAlives                                int

	// Status is what the client got, 0 if nothing; UpstreamStatus what the upstream gave.
	Status, UpstreamStatus int
	Outcome                Outcome
	// Code is the code of the error, Finish the upstream's finish reason.
	Code, Finish string
	// Usage is in tokens; Estimated says that the upstream gave none.
	Usage     Usage
	Estimated bool
	// Calls is the number of tool calls in the answer.
	Calls int
}

// Usage is what a request cost, in tokens.
type Usage struct {
	Input, Cached, Output, Reasoning, Total int64
}

// Observer is told of events, from several goroutines and before the next request of the connection is read: it must
// return soon.
type Observer interface {
	Observe(Event)
}

// ObserverFunc makes an Observer of a function.
type ObserverFunc func(Event)

// Observe calls the function.
func (f ObserverFunc) Observe(e Event) { f(e) }

func (e *Event) report(r translate.Report) {
	e.Items, e.Messages, e.ToolsKept, e.ToolsFiltered = r.Items, r.Messages, r.ToolsKept, r.ToolsFiltered
	e.Repairs = nil
	e.addRepairs(r.Repairs)
}

func (e *Event) outcome(o translate.Outcome) {
	e.Outcome, e.Finish, e.Estimated, e.Calls = Outcome(o.Status), o.Finish, o.Estimated, o.Calls
	if o.Code != "" {
		e.Code = o.Code
	}
	e.Usage = Usage{
		Input: o.Usage.Input, Cached: o.Usage.Cached, Output: o.Usage.Output, Reasoning: o.Usage.Reasoning,
		Total: o.Usage.Total,
	}
	e.addRepairs(o.Repairs)
}

// addRepairs copies: the map of a report belongs to the translation.
func (e *Event) addRepairs(m map[string]int) {
	if len(m) == 0 {
		return
	}
	if e.Repairs == nil {
		e.Repairs = make(map[string]int, len(m))
	}
	for k, n := range m {
		e.Repairs[k] += n
	}
}

// tell completes an event with its route and passes it on.
func (s *Server) tell(e Event, rt *route) {
	if rt != nil {
		e.Workspace, e.Session, e.Revision = rt.key.workspace, rt.key.session, rt.Revision
		e.Generation, e.Dialect = rt.generation, rt.Route.Dialect.Name
	}
	s.observe(e)
}

func (s *Server) observe(e Event) {
	if s.cfg.Observer == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = s.cfg.Now()
	}
	s.cfg.Observer.Observe(e)
}
