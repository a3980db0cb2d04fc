package input

import (
	"crypto/sha256"
	"sync"

	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// maxTitles bounds how many front matters a Memo remembers.
const maxTitles = 1024

// Memo remembers what files say, by a digest of their content, so that a file that did not change is read and not
// parsed. A nil Memo remembers nothing, and the zero value is ready. It is safe for concurrent use.
type Memo struct {
	Documents merge.Memo

	mu     sync.Mutex
	titles map[[sha256.Size]byte]titled
	spots  map[spot][]located
}

type titled struct {
	title string
	err   error
}

func (m *Memo) documents() *merge.Memo {
	if m == nil {
		return nil
	}
	return &m.Documents
}

// title is the name in the front matter of a SKILL.md.
func (m *Memo) title(data []byte) (string, error) {
	if m == nil {
		title, _, err := skill.FrontMatter(data)
		return title, err
	}
	key := sha256.Sum256(data)
	m.mu.Lock()
	t, ok := m.titles[key]
	m.mu.Unlock()
	if ok {
		return t.title, t.err
	}
	t.title, _, t.err = skill.FrontMatter(data)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.titles == nil {
		m.titles = map[[sha256.Size]byte]titled{}
	}
	if len(m.titles) >= maxTitles {
		clear(m.titles)
	}
	m.titles[key] = t
	return t.title, t.err
}
