package rules

import "testing"

func TestRangesOfVersions(t *testing.T) {
	t.Parallel()
	for span, ok := range map[string]bool{
		">=1.0 <2": true, ">=0.160 <1": true, "1.x": true, "*": true, "~1.2": true, "^1.2.3 || >= 3, < 4": true, "1.2 - 1.4": true,
		"=1.2.3-rc.1+b": true, ">=1.0.0-0": true, "!=1.3": true, "2": true,
		"1.x or so": false, "one": false, ">=": false, ">=1 ||": false, "1.2.3.4": false, "><1": false, "latest": false, ">=1;<2": false,
	} {
		if have := rangeForm.MatchString(span); have != ok {
			t.Errorf("%q: %v, want %v", span, have, ok)
		}
	}
}
