package layout

import (
	"errors"
	"strings"
	"unicode"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// Check holds a layout to the rules of sdk/rules and to what its adapter's descriptor says. Nothing was touched when it
// refuses one: fault.LayoutRefused, which names the first finding.
func Check(d preparer.Descriptor, l *preparer.Layout) error {
	if l == nil {
		return refused("layout", "is missing")
	}
	if found := rules.CheckLayout(d, l); len(found) > 0 {
		return fromFinding(found[0])
	}
	return nil
}

// CheckDescriptor holds a descriptor to the rules.
func CheckDescriptor(d preparer.Descriptor) error {
	found := rules.CheckDescriptor(d)
	if len(found) == 0 {
		return nil
	}
	err := fromFinding(found[0])
	err.Code, err.Op = fault.AdapterFault, "check descriptor"
	return err
}

func fromFinding(err error) *fault.Error {
	var f *rules.Finding
	if !errors.As(err, &f) {
		return refused("layout", err.Error())
	}
	return refused(printable(f.Where), printable(f.What))
}

// printable takes what could act on a terminal or a log out of the words of an adapter.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
