package plan

import (
	"encoding/base64"
	"io"

	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// NewID is the id of a new plan.
func NewID(random io.Reader) (string, error) {
	var b [12]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", problem.Wrap(err, problem.Storage, "there is no randomness for an id")
	}
	return "mp-" + base64.RawURLEncoding.EncodeToString(b[:]), nil
}
