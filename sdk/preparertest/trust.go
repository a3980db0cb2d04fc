package preparertest

import (
	"context"
	"errors"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// trusts shows that a gate which trust is said to govern is: a session whose workspace is trusted is another one than
// where nobody said so, unless neither answer is given; who said yes makes no difference; and an answer that the adapter
// does not know is no. An adapter whose descriptor has no such gate takes no notice of trust.
func trusts(ctx context.Context, p preparer.Preparer) (out []error) {
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil {
		return nil // what describe answers is another rule
	}
	asked := func(t preparer.Trust) string {
		r := DefaultRequest(d)
		r.Options.TrustWorkspace = t
		return answer(ctx, local, r)
	}
	no, yes := asked(preparer.NotTrusted), asked(preparer.UserSaidYes)
	if asked(preparer.HostCreated) != yes {
		out = append(out, errors.New("a workspace that the host made is another one to the layout than one that the user trusts"))
	}
	governed := false
	for _, g := range d.Gates {
		governed = governed || len(g.Lets) > 0 && (g.Answer != preparer.NotAnswered || g.Untrusted != preparer.NotAnswered)
	}
	switch {
	case governed && no == yes:
		out = append(out, errors.New("the descriptor says that trust in the workspace lets something in, and it makes no difference"))
	case !governed && no != yes:
		out = append(out, errors.New("trust in the workspace makes a difference, and the descriptor does not say what it lets in"))
	}
	r := DefaultRequest(d)
	r.Options.TrustWorkspace = "everybody"
	if l, err := p.Prepare(ctx, r); err == nil {
		if comparable(l) != no {
			out = append(out, errors.New("an answer about trust that the adapter does not know counts for another one than no"))
		}
	}
	return out
}
