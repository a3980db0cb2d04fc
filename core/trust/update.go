package trust

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// updateType is the payload type of a signed policy.
const updateType = "application/vnd.greenroom.trust-policy.v1+json"

// SignPolicy makes the envelope of a new policy, for hosts that have one with these signers as roots.
func SignPolicy(next *Policy, signers ...*Signer) ([]byte, error) {
	if err := next.Complete(); err != nil {
		return nil, err
	}
	payload, err := json.Marshal(next)
	if err != nil {
		return nil, err
	}
	return seal(updateType, payload, signers)
}

// Update is the policy of an envelope, if the roots of p have signed it and it is newer than p. The window of a root is
// held to now. A new policy whose own roots could not sign the next one is taken as it is: the old roots have said so.
func (p *Policy) Update(envelope []byte, now time.Time) (*Policy, error) {
	c := check{policy: p, op: "update", subject: "trust policy"}
	e, payload, err := open(c.op, envelope)
	if err != nil {
		return nil, err
	}
	if e.PayloadType != updateType {
		return nil, c.refuse(fault.Untrusted, fmt.Sprintf("the payload has type %.100q, expected is %q", e.PayloadType, updateType))
	}
	if p.Roots == nil {
		return nil, c.refuse(fault.Untrusted, "the policy has no root that could sign a new one")
	}
	signers, err := c.signers(&e, p.Roots.Keys)
	if err != nil {
		return nil, err
	}
	counted, why := 0, ""
	for _, k := range signers {
		if bad := k.outside(now); bad != "" {
			why += "; the key " + k.label() + " " + bad + ", and now is " + stamp(now)
			continue
		}
		counted++
	}
	if need := max(p.Roots.Threshold, 1); counted < need {
		return nil, c.refuse(fault.Untrusted, fmt.Sprintf("it is signed by %d roots that count, expected are %d%s", counted, need, why))
	}
	next, err := ParsePolicy(payload)
	if err != nil {
		return nil, err
	}
	if next.Version <= p.Version {
		return nil, c.refuse(fault.Downgrade, fmt.Sprintf("it has version %d, and the one here has %d", next.Version, p.Version))
	}
	return next, nil
}
