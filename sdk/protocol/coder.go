package protocol

import (
	"slices"
	"strconv"
)

// Limits of a message, both ways.
const (
	// MaxMessage is the largest request, descriptor or layout, in bytes of its encoding.
	MaxMessage = 8 << 20
	// MaxDepth is how deep a value may nest.
	MaxDepth = 64
	// MaxValues is how many values one message may hold. It stops a small value that refers to itself many times over.
	MaxValues = 1 << 20
)

// encoder and decoder keep the first error, so that the converters read like the types they convert.
type (
	encoder struct{ state }
	decoder struct{ state }
)

type state struct {
	err    error
	depth  int
	values int
}

func (s *state) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// enter counts a value and its depth. It says whether to go on.
func (s *state) enter() bool {
	s.depth++
	s.values++
	switch {
	case s.depth > MaxDepth:
		s.fail(&LimitError{What: "levels of nesting in a value", Limit: MaxDepth})
	case s.values > MaxValues:
		s.fail(&LimitError{What: "values in a message", Limit: MaxValues})
	}
	return s.err == nil
}

func (s *state) leave() { s.depth-- }

// each converts a list. Empty gives nil.
func each[A, B any](in []A, convert func(A) B) []B {
	if len(in) == 0 {
		return nil
	}
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = convert(v)
	}
	return out
}

// texts copies a list of strings, so that no one holds on to a message. Empty gives nil.
func texts(in []string) []string {
	if len(in) == 0 {
		return nil
	}
	return slices.Clone(in)
}

// table collects entries by key, and refuses a key that occurs twice. Empty gives nil.
func table[K ~string, A, B any](d *decoder, what string, in []A, key func(A) K, convert func(A) B) map[K]B {
	if len(in) == 0 {
		return nil
	}
	out := make(map[K]B, len(in))
	for _, v := range in {
		k := key(v)
		if _, twice := out[k]; twice {
			d.fail(&InvalidError{What: what + " " + strconv.Quote(string(k)) + " occurs twice"})
			return nil
		}
		out[k] = convert(v)
	}
	return out
}

// number narrows to an int, which may have 32 bits.
func (d *decoder) number(n int64) int {
	if int64(int(n)) != n {
		d.fail(&LimitError{What: "in a number", Limit: int(^uint(0) >> 1)})
	}
	return int(n)
}
