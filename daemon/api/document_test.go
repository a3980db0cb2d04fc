package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/daemon/api"
)

// document is the description of the interface, as far as these tests understand it.
type document struct {
	tree  map[string]any
	paths map[string]*regexp.Regexp
}

func readDocument(t *testing.T) *document {
	t.Helper()
	d := &document{paths: map[string]*regexp.Regexp{}}
	if err := yaml.Unmarshal(api.Document, &d.tree); err != nil {
		t.Fatal(err)
	}
	for path := range d.at("paths") {
		d.paths[path] = regexp.MustCompile("^" + regexp.MustCompile(`\\\{[^}]+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + "$")
	}
	return d
}

func (d *document) at(path ...string) map[string]any {
	at := d.tree
	for _, p := range path {
		at, _ = at[p].(map[string]any)
	}
	return at
}

// follow gives what a reference refers to.
func (d *document) follow(node map[string]any) map[string]any {
	if ref, ok := node["$ref"].(string); ok {
		return d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return node
}

// holds holds an answer against the document: the status is one of the operation's, and the body has its form.
func (d *document) holds(t *testing.T, r *http.Request, resp *http.Response, body map[string]any) {
	t.Helper()
	var op map[string]any
	for path, match := range d.paths {
		// A path without a parameter counts more than one with.
		if match.MatchString(r.URL.EscapedPath()) && (op == nil || !strings.Contains(path[strings.LastIndexByte(path, '/'):], "{")) {
			op = d.at("paths", path, strings.ToLower(r.Method))
		}
	}
	if op == nil {
		if resp.StatusCode != 404 && resp.StatusCode != 405 && resp.StatusCode != 401 && resp.StatusCode != 403 {
			t.Errorf("%s %s is in no document, and gives %d", r.Method, r.URL.Path, resp.StatusCode)
		}
		return
	}
	responses, _ := op["responses"].(map[string]any)
	described, ok := responses[strconv.Itoa(resp.StatusCode)].(map[string]any)
	if !ok {
		t.Errorf("%s %s: status %d is not documented: %v", r.Method, r.URL.Path, resp.StatusCode, body)
		return
	}
	content, _ := d.follow(described)["content"].(map[string]any)
	kind := resp.Header.Get("Content-Type")
	typed, ok := content[kind].(map[string]any)
	if !ok {
		t.Errorf("%s %s: %d with %s is not documented", r.Method, r.URL.Path, resp.StatusCode, kind)
		return
	}
	if strings.Contains(kind, "json") {
		schema, _ := typed["schema"].(map[string]any)
		for _, wrong := range d.check("body", schema, any(body)) {
			t.Errorf("%s %s: %d: %s", r.Method, r.URL.Path, resp.StatusCode, wrong)
		}
	}
}

// check says where a value is not of a schema.
func (d *document) check(at string, schema map[string]any, value any) (wrong []string) {
	schema = d.follow(schema)
	bad := func(format string, args ...any) { wrong = append(wrong, at+" "+fmt.Sprintf(format, args...)) }
	types := typesOf(schema)
	if kind := kindOf(value); len(types) > 0 && !slices.Contains(types, kind) && !(kind == "integer" && slices.Contains(types, "number")) {
		bad("is a %s, and not %v", kind, types)
		return wrong
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, value) {
		bad("is %v, and not one of %v", value, enum)
	}
	switch v := value.(type) {
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range list(schema["required"]) {
			if _, there := v[name]; !there {
				bad("has no %s", name)
			}
		}
		for name, one := range v {
			sub, known := properties[name].(map[string]any)
			if !known {
				bad("has %s, which is not documented", name)
				continue
			}
			wrong = append(wrong, d.check(at+"."+name, sub, one)...)
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, one := range v {
			wrong = append(wrong, d.check(fmt.Sprintf("%s[%d]", at, i), items, one)...)
		}
	}
	return wrong
}

func typesOf(schema map[string]any) []string {
	if one, ok := schema["type"].(string); ok {
		return []string{one}
	}
	return list(schema["type"])
}

func list(value any) (all []string) {
	items, _ := value.([]any)
	for _, i := range items {
		if s, ok := i.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// make makes a value of a schema; wild now and then one that is not.
func (d *document) make(r *rand.Rand, schema map[string]any, wild bool) any {
	schema = d.follow(schema)
	odd := []any{nil, true, -1.0, 1e300, "", "\x00", strings.Repeat("x", 9000), []any{}, map[string]any{"a": 1.0}, "../..", "\u202e"}
	if wild && r.IntN(8) == 0 {
		return odd[r.IntN(len(odd))]
	}
	if enum, ok := schema["enum"].([]any); ok {
		return enum[r.IntN(len(enum))]
	}
	types := typesOf(schema)
	if len(types) == 0 {
		return odd[r.IntN(len(odd))]
	}
	switch types[r.IntN(len(types))] {
	case "object":
		made := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		required := list(schema["required"])
		for name, sub := range properties {
			if slices.Contains(required, name) && !(wild && r.IntN(10) == 0) || r.IntN(3) == 0 {
				made[name] = d.make(r, sub.(map[string]any), wild)
			}
		}
		if wild && r.IntN(6) == 0 {
			made["unknown"] = 1
		}
		return made
	case "array":
		made := []any{}
		items, _ := schema["items"].(map[string]any)
		for range r.IntN(3) {
			made = append(made, d.make(r, items, wild))
		}
		return made
	case "boolean":
		return r.IntN(2) == 0
	case "integer":
		return r.IntN(1 << 20)
	case "null":
		return nil
	}
	return []string{"", "x", "m-a", "one", "w", " spaced ", "http://127.0.0.1:1", "ü"}[r.IntN(8)]
}
