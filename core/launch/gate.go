package launch

import (
	"errors"
	"io"
	"strings"
	"sync/atomic"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// errSilent is why a turn ends of which nothing was ever heard.
var errSilent = errors.New("the client says nothing")

// pulse counts how often a client says anything.
type pulse struct {
	from  io.Reader
	beats *atomic.Int64
}

func (p *pulse) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	if n > 0 {
		p.beats.Add(1)
	}
	return n, err
}

// blocked is the error of a client that is silent after it was given a prompt.
func (c *Conn) blocked() error {
	return fault.New(ErrBlocked, "prompt", c.p.Provider, "it shows nothing"+c.gates()+c.lastWords()).
		WithHint("start it once on a terminal, and answer what it asks")
}

// gates says what may hold up a client that nobody looks at, "" for nothing that is known.
func (c *Conn) gates() string {
	list := c.p.Gates()
	if len(list) == 0 {
		return ""
	}
	return ", it may wait at " + strings.Join(list, ", ")
}
