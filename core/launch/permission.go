package launch

import "context"

// Answer is how a request for permission was answered.
type Answer string

// The answers. The zero value denies.
const (
	Deny        Answer = ""
	AllowOnce   Answer = "allow_once"
	AllowAlways Answer = "allow_always" // for this kind of request, as the client understands it
	CancelTurn  Answer = "cancel"       // neither: the turn is over
)

// Request is what a client asks permission for.
type Request struct {
	Tool Tool
	// Offers are the answers that the client can take. Deny is always possible.
	Offers []Answer
	// Raw is the client's own message.
	Raw []byte
}

// Policy decides about permissions. It may take its time, for example to ask a person; ctx ends with the turn. An answer
// that is not offered counts as Deny.
type Policy func(ctx context.Context, r Request) Answer

// DenyAll denies everything. It is what counts when a host supplies no policy.
func DenyAll(context.Context, Request) Answer { return Deny }

// AllowKinds allows tools of the given kinds once, each time, and denies everything else.
func AllowKinds(kinds ...string) Policy {
	return func(_ context.Context, r Request) Answer {
		for _, k := range kinds {
			if r.Tool.Kind == k {
				return AllowOnce
			}
		}
		return Deny
	}
}

// decide asks the policy, and holds it to what is offered.
func decide(ctx context.Context, p Policy, r Request) Answer {
	// Somebody may be deaf to ctx; the turn ends for them too.
	got := make(chan Answer, 1)
	go func() { got <- p(ctx, r) }()
	var answer Answer
	select {
	case answer = <-got:
	case <-ctx.Done():
	}
	if ctx.Err() != nil || answer == CancelTurn {
		return CancelTurn
	}
	for _, offered := range r.Offers {
		if answer == offered {
			return answer
		}
	}
	// Once is less than always, so it may stand in for it, and never the other way round.
	if answer == AllowAlways {
		for _, offered := range r.Offers {
			if offered == AllowOnce {
				return AllowOnce
			}
		}
	}
	return Deny
}
