package canon

import _ "embed"

// BaseName is the name of the text that a model of an endpoint is told first.
const BaseName = "base"

//go:embed base.md
var base string

// Base is what a model is told before everything else by a client that has such a text for its vendor's models only. It
// depends on nothing, so that an upstream can keep the beginning of every request.
func Base() string { return base }
