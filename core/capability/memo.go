package capability

import "sync"

// maxResolved bounds how many results a Memo remembers.
const maxResolved = 64

// Memo remembers results by their digest: packs and sources are asked each time, and what they say is rendered once. A nil
// Memo remembers nothing, and the zero value is ready. It belongs to one set of texts, and is safe for concurrent use.
type Memo struct {
	mu    sync.Mutex
	known map[string]*Resolved
}

func (m *Memo) get(digest string) *Resolved {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[digest]
}

func (m *Memo) put(r *Resolved) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= maxResolved {
		m.known = map[string]*Resolved{}
	}
	m.known[r.Digest] = r
}
