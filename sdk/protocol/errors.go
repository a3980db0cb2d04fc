package protocol

import "fmt"

// UnknownError says that a message holds something that this version of the contract does not know: a field, a choice
// of a closed set, or a kind of entry or value. Nothing of such a message is used.
type UnknownError struct {
	What string // e.g. "field 17 of greenroom.preparer.v1.Layout"
}

func (e *UnknownError) Error() string { return "unknown " + e.What }

// LimitError says that a message is too large or nests too deeply.
type LimitError struct {
	What  string // e.g. "bytes of greenroom.preparer.v1.Layout"
	Limit int
}

func (e *LimitError) Error() string { return fmt.Sprintf("more than %d %s", e.Limit, e.What) }

// InvalidError says that something can't be carried: text that is not UTF-8, a key that occurs twice, a missing value.
type InvalidError struct {
	What string
}

func (e *InvalidError) Error() string { return e.What }

// PanicError says that an adapter panicked. Text is what it panicked with; a trace goes to the adapter's log only.
type PanicError struct {
	Text string
}

func (e *PanicError) Error() string { return "the adapter panicked: " + e.Text }

// FaultError is an error of an adapter that is no refusal.
type FaultError struct {
	Text string
}

func (e *FaultError) Error() string { return e.Text }
