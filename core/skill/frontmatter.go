package skill

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxHead bounds the front matter that is looked at.
const maxHead = 64 << 10

// FrontMatter reads the name and the description of a SKILL.md as leniently as the clients do: front matter between
// two lines of three dashes that names the skill is enough, and a value that holds a colon need not be quoted. It is for
// skills of the user's, which are only ever listed.
func FrontMatter(data []byte) (name, description string, err error) {
	head, _, err := split(data)
	if err != nil {
		return "", "", err
	}
	var parsed struct {
		Name        any `yaml:"name"`
		Description any `yaml:"description"`
	}
	if yaml.Unmarshal(head, &parsed) == nil {
		name, _ = parsed.Name.(string)
		description, _ = parsed.Description.(string)
	} else {
		name, description = line(head, "name"), line(head, "description")
	}
	name, description = strings.TrimSpace(name), strings.TrimSpace(description)
	if name == "" {
		return "", "", errors.New("the front matter names no skill")
	}
	return name, description, nil
}

// line is the value of a key that stands alone at the beginning of a line.
func line(head []byte, key string) string {
	for l := range strings.Lines(string(head)) {
		if value, ok := strings.CutPrefix(l, key+":"); ok {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// split parts a SKILL.md into its front matter, without the delimiters, and what follows it.
func split(data []byte) (head, body []byte, err error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if string(bytes.TrimRight(first, " \t\r")) != "---" {
		return nil, nil, errors.New("it does not begin with front matter")
	}
	for at := 0; at < len(rest) && at <= maxHead; {
		l, _, more := bytes.Cut(rest[at:], []byte("\n"))
		next := min(at+len(l)+1, len(rest))
		if string(bytes.TrimRight(l, " \t\r")) == "---" {
			return rest[:at], rest[next:], nil
		}
		if !more {
			break
		}
		at = next
	}
	return nil, nil, errors.New("its front matter has no end")
}

// head is the front matter of a skill of ours.
type head struct{ name, description string }

// parseHead reads front matter strictly: YAML that is one mapping, with a name and a description that are strings.
func parseHead(data []byte) (head, error) {
	doc, _, err := headNode(data)
	if err != nil {
		return head{}, err
	}
	h := head{name: scalar(doc, "name"), description: scalar(doc, "description")}
	switch {
	case strings.TrimSpace(h.name) == "":
		return head{}, errors.New("the front matter of " + MainFile + " has no name")
	case strings.TrimSpace(h.description) == "":
		return head{}, errors.New("the front matter of " + MainFile + " has no description")
	}
	return h, nil
}

// headNode is the mapping of the front matter, and what follows it.
func headNode(data []byte) (*yaml.Node, []byte, error) {
	text, body, err := split(data)
	if err != nil {
		return nil, nil, err
	}
	if !utf8.Valid(text) {
		return nil, nil, errors.New("the front matter of " + MainFile + " is not UTF-8")
	}
	var doc yaml.Node
	var values map[string]any // refuses a key that stands twice
	if yaml.Unmarshal(text, &doc) != nil || yaml.Unmarshal(text, &values) != nil || len(doc.Content) != 1 {
		return nil, nil, errors.New("the front matter of " + MainFile + " is not valid YAML")
	}
	return doc.Content[0], body, nil
}

func scalar(mapping *yaml.Node, key string) string {
	if v := child(mapping, key); v != nil && v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" {
		return v.Value
	}
	return ""
}

func child(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// rename is a SKILL.md with another name in its front matter; everything else stays, byte by byte where the name is
// the same already.
func rename(data []byte, name string) ([]byte, error) {
	mapping, body, err := headNode(data)
	if err != nil {
		return nil, err
	}
	if scalar(mapping, "name") == name {
		return data, nil
	}
	value := child(mapping, "name")
	if value == nil {
		return nil, errors.New("the front matter of " + MainFile + " has no name")
	}
	// What refers to the old name keeps it.
	walk(mapping, func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode && n.Alias == value {
			*n = yaml.Node{Kind: value.Kind, Tag: value.Tag, Value: value.Value, Style: value.Style}
		}
	})
	*value = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}
	return joinHead(mapping, body)
}

// walk calls a function for a node and all below it.
func walk(n *yaml.Node, call func(*yaml.Node)) {
	call(n)
	for _, below := range n.Content {
		walk(below, call)
	}
}

// Main writes a SKILL.md: front matter with a name and a description, in YAML that every strict parser takes whatever
// the two hold, and a body.
func Main(name, description string, body []byte) ([]byte, error) {
	if !utf8.ValidString(name) || !utf8.ValidString(description) {
		return nil, errors.New("a name or description is not UTF-8")
	}
	str := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	return joinHead(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		str("name"), str(name), str("description"), str(description),
	}}, body)
}

func joinHead(mapping *yaml.Node, body []byte) ([]byte, error) {
	// The library writes some values so that they read as others: folded texts whose lines are indented, blocks that begin
	// with blank space, and nothing at all.
	walk(mapping, func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			return
		}
		n.Style &^= yaml.FoldedStyle
		if n.Value == "" && n.ShortTag() == "!!null" {
			n.Value = "null"
		}
		if strings.Contains(n.Value, "\n") && strings.TrimLeft(n.Value, " \t\r\n") != n.Value {
			n.Style = yaml.DoubleQuotedStyle
		}
	})
	text, err := yaml.Marshal(mapping)
	if err != nil {
		return nil, errors.New("the front matter cannot be written")
	}
	out := make([]byte, 0, len(text)+len(body)+8)
	out = append(append(append(append(out, "---\n"...), text...), "---\n"...), body...)
	return out, nil
}
