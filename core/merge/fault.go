package merge

import (
	"bytes"
	"fmt"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// The limits of a parsed file.
const (
	maxBytes = 8 << 20
	maxDepth = 10_000
	// maxMarks bounds the entries of a document by the bytes that part them: a node costs hundreds of bytes.
	maxMarks = 300_000
)

const opMerge = "merge"

// unparsable is the error of a file that cannot be used as it stands.
func unparsable(label, format string, args ...any) error {
	return fault.New(fault.Unparsable, opMerge, label, fmt.Sprintf(format, args...))
}

// badEdit is the error of an edit that no base could make right.
func badEdit(label, format string, args ...any) error {
	return fault.New(fault.LayoutRefused, opMerge, label, fmt.Sprintf(format, args...))
}

// misread is the error of a document that does not read back as it was meant. It guards against faults of the
// encoders, so that a wrong file is never written.
func misread(label string) error {
	return fault.New(fault.Internal, opMerge, label, "what was written does not read back as it was meant")
}

// unwritable is the like for YAML, where it is the file that is odd: some constructs the library reads, but does not
// write so that they read back the same.
func unwritable(label string) error {
	return fault.New(fault.Unparsable, opMerge, label, "cannot be written again without a change of its meaning").
		WithHint("write the unusual parts of the file more plainly")
}

// position is the line and the column, both from 1, of a byte offset.
func position(data []byte, off int) (line, col int) {
	off = min(off, len(data))
	head := data[:off]
	return bytes.Count(head, []byte{'\n'}) + 1, off - bytes.LastIndexByte(head, '\n')
}

// atLine is " at line n", or nothing when the line is not known.
func atLine(line int) string {
	if line <= 0 {
		return ""
	}
	return fmt.Sprintf(" at line %d", line)
}

// shape is the error of a file that has something of another kind than an edit needs.
func shape(label string, p place, got kind, line int, want, hint string) error {
	return fault.New(fault.Unparsable, opMerge, label,
		fmt.Sprintf("key %s is %s%s, not %s", p, got, atLine(line), want)).WithHint(hint)
}
