package redact

// Filter removes credentials from one text that arrives in pieces. It holds back only an end of the text that begins
// a credential, at most one byte less than the longest form of it, so ordinary text passes at once. A nil Filter
// passes everything.
type Filter struct {
	auto   *automaton
	state  int32
	masked int
}

// Append appends to dst what of the text so far may be seen and was not given yet.
func (f *Filter) Append(dst, text []byte) []byte {
	if f == nil {
		return append(dst, text...)
	}
	a := f.auto
	for i := 0; i < len(text); i++ {
		if f.state == 0 {
			from := i
			for i < len(text) && a.first[text[i]] == 0 {
				i++
			}
			dst = append(dst, text[from:i]...)
			if i == len(text) {
				break
			}
		}
		to := a.step(f.state, text[i])
		n := &a.nodes[to]
		held := a.text(f.state)
		// What falls off the front of the window can no longer begin a credential.
		if free := len(held) + 1 - int(n.depth); free > 0 {
			dst = append(dst, held[:min(free, len(held))]...)
			if free > len(held) {
				dst = append(dst, text[i])
			}
		}
		f.state = to
		if n.match > 0 {
			dst = append(dst, a.text(to)[:n.depth-n.match]...)
			dst = append(dst, Mask...)
			f.state = 0
			f.masked++
		}
	}
	return dst
}

// Flush appends what is held back, which turned out to be no credential, and makes the filter ready for another text.
func (f *Filter) Flush(dst []byte) []byte {
	if f == nil || f.state == 0 {
		return dst
	}
	dst = append(dst, f.auto.text(f.state)...)
	f.state = 0
	return dst
}

// Held is the number of bytes held back.
func (f *Filter) Held() int {
	if f == nil {
		return 0
	}
	return int(f.auto.nodes[f.state].depth)
}

// Masked is the number of credentials that were found.
func (f *Filter) Masked() int {
	if f == nil {
		return 0
	}
	return f.masked
}
