package rules

import "testing"

func TestProse(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		"You are a helpful agent and you do things.":                               false, // nine
		"You are a helpful agent and you always do the things.":                    true,
		"one two three. four five! six, seven\neight nine ten":                     true,
		"#!/bin/sh\nset -eu\nexec \"$HERE/bin\" --flag value --other x y z \"$@\"": false,
		"read, write, edit, glob":                                                  false,
		"/usr/bin/a /usr/bin/b /c d/e f/g h/i j/k l/m n/o p/q r/s":                 false,
		"": false,
	}
	for text, want := range cases {
		if have := prose(text) != ""; have != want {
			t.Errorf("prose(%q) = %v", text, have)
		}
	}
}
