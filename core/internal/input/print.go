package input

import (
	"crypto/sha256"
	"encoding/binary"
)

// Print tells one result of Take from another: it is the same for two in which everything was found alike, by content
// and not by when it was written. It is a digest, also of secrets, and never shown.
func (s *Snapshot) Print() string {
	h := sha256.New()
	p := printer{make([]byte, 0, 1024)}
	for _, name := range s.order {
		it := s.Items[name]
		p.text(name)
		p.flag(it.Exists)
		p.flag(it.Missing)
		p.flag(it.Withheld)
		p.number(it.Index)
		p.text(it.Path)
		p.text(it.Label)
		p.text(it.Source)
		p.number(len(it.Data))
		h.Write(p.buf)
		h.Write(it.Data)
		p.buf = p.buf[:0]
		p.number(len(it.Names))
		for _, c := range it.Names {
			p.text(c.Name)
			p.text(c.Title)
			p.text(c.Path)
		}
	}
	for _, r := range s.Rejected {
		p.text(r.Label)
		p.text(r.Reason)
	}
	h.Write(p.buf)
	return string(h.Sum(nil))
}

// printer writes values one behind the other, so that no two lists of values are written alike.
type printer struct{ buf []byte }

func (p *printer) number(n int) { p.buf = binary.AppendUvarint(p.buf, uint64(n)) }

func (p *printer) text(s string) {
	p.number(len(s))
	p.buf = append(p.buf, s...)
}

func (p *printer) flag(b bool) {
	if b {
		p.number(1)
	} else {
		p.number(0)
	}
}
