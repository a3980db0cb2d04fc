package translate

// fixer copies JSON text and mends what models most often leave wrong: a comma in front of a closing bracket, and
// brackets that are missing at the end. Text that is valid JSON comes out as it went in, but for space in front of it.
type fixer struct {
	open    []byte // the closing brackets that are due
	held    []byte // a comma and the space behind it
	quoted  bool
	escaped bool
	broken  bool // a bracket came that does not fit
	dropped bool // a comma was left out
	begun   bool // something other than space has come
}

func (f *fixer) feed(dst, text []byte) []byte {
	for _, c := range text {
		if !f.begun {
			if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
				continue
			}
			f.begun = true
		}
		if f.quoted {
			switch {
			case f.escaped:
				f.escaped = false
			case c == '\\':
				f.escaped = true
			case c == '"':
				f.quoted = false
			}
			dst = append(dst, c)
			continue
		}
		if len(f.held) > 0 {
			switch c {
			case ' ', '\t', '\r', '\n':
				f.held = append(f.held, c)
				continue
			case '}', ']':
				f.dropped = true
			default:
				dst = append(dst, f.held...)
			}
			f.held = f.held[:0]
		}
		switch c {
		case ',':
			f.held = append(f.held, c)
			continue
		case '"':
			f.quoted = true
		case '{':
			f.open = append(f.open, '}')
		case '[':
			f.open = append(f.open, ']')
		case '}', ']':
			if n := len(f.open); n > 0 && f.open[n-1] == c {
				f.open = f.open[:n-1]
			} else {
				f.broken = true
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// finish appends the brackets that are due. Text that ends within a string or does not fit together stays as it is.
func (f *fixer) finish(dst []byte) []byte {
	if f.quoted || f.broken || len(f.open) == 0 {
		return append(dst, f.held...)
	}
	for i := len(f.open) - 1; i >= 0; i-- {
		dst = append(dst, f.open[i])
	}
	return dst
}
