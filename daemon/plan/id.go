package plan

import (
	"encoding/base64"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// IsID says whether a text can be the id of anything: it is UTF-8 and holds no control characters. Nothing is stored under
// another one, and not every database lets itself be asked for one.
func IsID(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// NewID is the id of a new plan.
func NewID(random io.Reader) (string, error) {
	var b [12]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", problem.Wrap(err, problem.Storage, "there is no randomness for an id")
	}
	return "mp-" + base64.RawURLEncoding.EncodeToString(b[:]), nil
}
