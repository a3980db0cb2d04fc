package manifest

import (
	"maps"
	"slices"
	"sync"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// maxRecords bounds how many records a Store keeps decoded.
const maxRecords = 64

// records are the records that were decoded or written last, by their digest: a session that is prepared again and again
// has its record read and compared, and not decoded each time.
type records struct {
	mu    sync.Mutex
	known map[string]*Manifest
}

// get is a copy that the caller may change, or nil.
func (r *records) get(digest string) *Manifest {
	r.mu.Lock()
	m := r.known[digest]
	r.mu.Unlock()
	if m == nil {
		return nil
	}
	return m.clone()
}

func (r *records) put(digest string, m *Manifest) {
	m = m.clone()
	m.Created, m.Updated = m.Created.Round(0), m.Updated.Round(0) // as they would be read
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxRecords {
		r.known = make(map[string]*Manifest, maxRecords)
	}
	r.known[digest] = m
}

// read is the record of a session as it stands on the disk. fs.ErrNotExist says that there is none.
func (s *Store) read(tree *fsroot.Tree, name string) (*Manifest, error) {
	data, _, err := tree.ReadFile(manifestPath(name), maxRecord)
	if err != nil {
		return nil, err
	}
	line, err := unseal(data)
	if err != nil {
		return nil, err
	}
	digest := sealOf(data, line)
	if m := s.records.get(digest); m != nil {
		return m, nil
	}
	m, err := decode(line)
	if err == nil {
		s.records.put(digest, m)
	}
	return m, err
}

// sealOf is the digest that stands behind the line of a sealed record.
func sealOf(data, line []byte) string { return string(data[len(line)+1:]) }

func (m *Manifest) clone() *Manifest {
	c := *m
	c.Entries, c.Outside, c.Logins = slices.Clone(m.Entries), slices.Clone(m.Outside), slices.Clone(m.Logins)
	c.Leases, c.Env, c.Inherit = slices.Clone(m.Leases), slices.Clone(m.Env), slices.Clone(m.Inherit)
	c.Names, c.Homes = maps.Clone(m.Names), maps.Clone(m.Homes)
	for i := range c.Logins {
		c.Logins[i].Fresher = slices.Clone(c.Logins[i].Fresher)
	}
	return &c
}
