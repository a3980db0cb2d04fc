package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

type kind uint8

const (
	kindFunction kind = iota
	kindCustom
	kindToolSearch
)

// tool is one declared tool under its chat name.
type tool struct {
	kind            kind
	namespace, name string
	chat            string
	// wrapped says that the parameters were put into a property "value".
	wrapped bool
}

// declaration is the request's text of a tool, needed only while the request is translated.
type declaration struct {
	description, outer, parameters, format, strict responses.Raw
}

type identity struct{ namespace, name string }

// registry maps tools to chat names and back. It is complete before the first message is translated.
type registry struct {
	tools  []tool
	byChat map[string]int
	byID   map[identity]int
	// shell says that the client declared a hosted shell.
	shell bool
}

// collector gathers declarations from tools, additional_tools and tool_search_output.
type collector struct {
	registry
	decls    []declaration
	filtered []string
	// unknown says that a tool was left out of which nobody knows what it is.
	unknown bool
	report  *Report
}

func (c *collector) add(raw responses.Raw) {
	for w := rawjson.Walk(raw); w.Next(); {
		c.addTool("", nil, w.Value)
	}
}

func (c *collector) addTool(namespace string, outer, raw responses.Raw) {
	typ := rawjson.Get(raw, "type")
	switch rawjson.String(typ) {
	case "namespace":
		if namespace == "" {
			name := rawjson.String(rawjson.Get(raw, "name"))
			description := rawjson.Get(raw, "description")
			for w := rawjson.Walk(rawjson.Get(raw, "tools")); w.Next(); {
				c.addTool(name, description, w.Value)
			}
			return
		}
	case "function":
		if inner := rawjson.Get(raw, "function"); rawjson.Kind(inner) == '{' {
			raw = inner
		}
		c.register(kindFunction, namespace, outer, raw)
		return
	case "custom":
		c.register(kindCustom, namespace, outer, raw)
		return
	case "tool_search":
		if rawjson.String(rawjson.Get(raw, "execution")) == "client" {
			c.register(kindToolSearch, namespace, outer, raw)
			return
		}
	case "local_shell", "shell":
		c.shell = true
	}
	c.filter(typ)
}

func (c *collector) register(k kind, namespace string, outer, raw responses.Raw) {
	var d declaration
	name := ""
	for w := rawjson.Walk(raw); w.Next(); {
		switch string(w.Key) {
		case "name":
			name = rawjson.String(w.Value)
		case "description":
			d.description = w.Value
		case "parameters":
			d.parameters = w.Value
		case "format":
			d.format = w.Value
		case "strict":
			d.strict = w.Value
		}
	}
	if k == kindToolSearch {
		name = "tool_search"
	}
	if strings.TrimSpace(name) == "" {
		c.filter(nil)
		return
	}
	id := identity{namespace, name}
	if _, known := c.byID[id]; known {
		c.report.repair(RepairDuplicateTool)
		return
	}
	d.outer = outer
	if c.byID == nil {
		c.byID = make(map[identity]int)
	}
	c.byID[id] = len(c.tools)
	c.tools = append(c.tools, tool{kind: k, namespace: namespace, name: name})
	c.decls = append(c.decls, d)
}

// hostedTools run on the provider's side, so there is nothing on this side of Chat Completions that could answer for them.
var hostedTools = []string{
	"web_search", "web_search_preview", "file_search", "code_interpreter", "computer_use", "computer_use_preview",
	"image_generation", "mcp", "local_shell", "shell", "apply_patch", "tool_search",
}

// filter notes the type of a tool that has no counterpart, in a form that is safe to log.
func (c *collector) filter(typ responses.Raw) {
	name := rawjson.String(typ)
	switch {
	case rawjson.IsNull(typ):
		name = "<missing>"
	case !validName(name):
		sum := sha256.Sum256(typ)
		name = "<invalid:" + hex.EncodeToString(sum[:4]) + ">"
	}
	c.unknown = c.unknown || !slices.Contains(hostedTools, name)
	if !slices.Contains(c.filtered, name) {
		c.filtered = append(c.filtered, name)
	}
}

// assign gives every tool its chat name: tools without a namespace first, those that would share a name hashed.
func (c *collector) assign() {
	claims := make(map[string]int, len(c.tools))
	flat := make([]string, len(c.tools))
	for i := range c.tools {
		flat[i] = flatName(c.tools[i].namespace, c.tools[i].name)
		claims[flat[i]]++
	}
	c.byChat = make(map[string]int, len(c.tools))
	for _, outer := range []bool{true, false} {
		for i := range c.tools {
			t := &c.tools[i]
			if (t.namespace == "") != outer {
				continue
			}
			t.chat = flat[i]
			if !outer && claims[flat[i]] > 1 {
				t.chat = hashedName(t.namespace, t.name, 0)
			}
			for n := 1; c.taken(t.chat); n++ {
				t.chat = hashedName(t.namespace, t.name, n)
			}
			c.byChat[t.chat] = i
		}
	}
}

func (r *registry) taken(chat string) bool {
	_, taken := r.byChat[chat]
	return taken
}

// chatName is the name under which the upstream knows a tool, also of one that is no longer declared.
func (r *registry) chatName(namespace, name string) string {
	if i, ok := r.byID[identity{namespace, name}]; ok {
		return r.tools[i].chat
	}
	chat := flatName(namespace, name)
	for n := 0; r.taken(chat); n++ {
		chat = hashedName(namespace, name, n)
	}
	return chat
}

// resolve finds the tool that the model meant. Models drop prefixes and write dots, so a name that is not known as it is
// counts if it fits exactly one tool.
func (r *registry) resolve(chat string) (tool, bool) {
	if i, ok := r.byChat[chat]; ok {
		return r.tools[i], true
	}
	found := -1
	for i := range r.tools {
		t := &r.tools[i]
		if t.name != chat && !joins(t.namespace, t.name, chat) {
			continue
		}
		if found >= 0 {
			return tool{name: chat}, false
		}
		found = i
	}
	if found < 0 {
		return tool{name: chat}, false
	}
	return r.tools[found], true
}

// joins reports whether chat is the namespace and the name with some usual separator between them.
func joins(namespace, name, chat string) bool {
	if namespace == "" {
		return false
	}
	rest, ok := strings.CutPrefix(chat, namespace)
	if !ok {
		return false
	}
	rest, ok = strings.CutSuffix(rest, name)
	return ok && (rest == "." || rest == "__" || rest == "/" || rest == ":" || rest == "_")
}

// isCustom reports whether a freeform tool is declared under this identity.
func (r *registry) find(namespace, name string) (tool, bool) {
	i, ok := r.byID[identity{namespace, name}]
	if !ok {
		return tool{}, false
	}
	return r.tools[i], true
}
