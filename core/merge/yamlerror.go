package merge

import (
	"bytes"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// yamlError says where a document cannot be read, and not what the library says of it, which may quote the file.
func yamlError(data []byte, err error, label string) error {
	if strings.Contains(err.Error(), unknownAnchor) {
		return unparsable(label, "an alias without its anchor%s", atLine(anchorLine(data)))
	}
	return unparsable(label, "not valid yaml%s", atLine(errorLine(data)))
}

const unknownAnchor = "unknown anchor"

var yamlLine = regexp.MustCompile(`^yaml: line ([0-9]+): (.*)`)

// parserSays begins the messages whose line the library counts from 0; the others it counts from 1. It never names its
// first line.
var parserSays = regexp.MustCompile(`^(did not find expected (node content|'|key|<document start>|<stream-start>)|found (duplicate|incompatible|undefined))`)

// errorLine finds the line by parsing again, below an empty first line.
func errorLine(data []byte) int {
	m := yamlLine.FindStringSubmatch(complaint(append([]byte{'\n'}, data...)))
	if m == nil {
		return 0
	}
	line, _ := strconv.Atoi(m[1])
	if !parserSays.MatchString(m[2]) {
		line--
	}
	return line
}

// anchorLine finds the line of the first alias without anchor: the library does not tell it, but complains as soon as it
// has read it.
func anchorLine(data []byte) int {
	lines := bytes.SplitAfter(data, []byte{'\n'})
	at := make([]int, len(lines))
	for i, end := 0, 0; i < len(lines); i++ {
		end += len(lines[i])
		at[i] = end
	}
	return 1 + sort.Search(len(lines)-1, func(i int) bool {
		return strings.Contains(complaint(data[:at[i]]), unknownAnchor)
	})
}

func complaint(data []byte) (msg string) {
	defer func() {
		if recover() != nil { // a fault of the library
			msg = ""
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); err != nil {
			return err.Error()
		}
	}
}
