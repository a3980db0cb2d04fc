package translate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
)

func declared(tools ...string) string {
	return `{"model":"m","stream":true,"tool_choice":"auto","parallel_tool_calls":true,"input":[` + user + `],"tools":[` + strings.Join(tools, ",") + `]}`
}

func withChoice(choice string, tools ...string) string {
	return `{"model":"m","tool_choice":` + choice + `,"input":[` + user + `],"tools":[` + strings.Join(tools, ",") + `]}`
}

func withDialect(name string) func(*Options) {
	return func(o *Options) { o.Dialect, _ = dialect.Named(name) }
}

const (
	toolF     = `{"type":"function","name":"f","parameters":{"type":"object","properties":{}}}`
	chatF     = `{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}`
	webSearch = `{"type":"web_search","external_web_access":false}`
)

func TestG26ToG34_ToolsAreDeclared(t *testing.T) {
	t.Parallel()
	runRequests(t, []requestCase{
		{
			name: "G26 F24 a freeform tool", request: declared(`{"type":"custom","name":"apply_patch","description":"Patches.","format":{"type":"grammar","syntax":"lark","definition":"start: \"x\"\n"}}`),
			fields: map[string]string{"tools": `[{"type":"function","function":{"name":"apply_patch","description":"Patches.\n\nThe input has to follow this grammar (lark):\nstart: \"x\"\n\n\nPut the whole raw text for this tool, unquoted and without any wrapping, into the string property ` + "`input`" + `.","parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}}}]`},
		},
		{
			name: "G28 F25 tools in an input item",
			request: `{"model":"m","tool_choice":"auto","input":[{"type":"additional_tools","role":"developer","id":"at_1","tools":[
				{"type":"namespace","name":"functions","description":"","tools":[{"type":"custom","name":"exec","format":{"type":"text"}},{"type":"function","name":"wait","description":"W"}]},
				{"type":"namespace","name":"collaboration","description":"C","tools":[{"type":"function","name":"spawn_agent","description":"S"}]}]},` + user + `]}`,
			messages: `[{"role":"user","content":"u"}]`,
			fields: map[string]string{
				"tool_choice": `"auto"`,
				"tools":       `[{"type":"function","function":{"name":"functions__exec","description":"Put the whole raw text for this tool, unquoted and without any wrapping, into the string property ` + "`input`" + `.","parameters":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}}},{"type":"function","function":{"name":"functions__wait","description":"W","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"collaboration__spawn_agent","description":"C\n\nS","parameters":{"type":"object","properties":{}}}}]`,
			},
		},
		{
			name: "G31 F06 only hosted tools", request: declared(webSearch),
			fields: map[string]string{"tools": "", "tool_choice": "", "parallel_tool_calls": ""},
		},
		{name: "G86 F06 no tools, as when compacting", request: declared(), fields: map[string]string{"tools": "", "tool_choice": "", "parallel_tool_calls": ""}},
		{name: "G32 required with only hosted tools", request: withChoice(`"required"`, webSearch), param: "tool_choice"},
		{name: "G32 a hosted tool chosen", request: withChoice(`{"type":"web_search"}`, webSearch, toolF), param: "tool_choice"},
		{name: "G32 an unknown tool chosen", request: withChoice(`{"type":"function","name":"g"}`, toolF), param: "tool_choice"},
		{name: "a choice that is a number", request: withChoice(`7`, toolF), param: "tool_choice"},
		{name: "a tool chosen in the form of Chat", request: withChoice(`{"type":"function","function":{"name":"f"}}`, toolF), fields: map[string]string{"tool_choice": `{"type":"function","function":{"name":"f"}}`}},
		{name: "one of two tools allowed", request: withChoice(`{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"},{"type":"web_search"}]}`, toolF, webSearch), fields: map[string]string{"tools": "[" + chatF + "]", "tool_choice": `"auto"`}},
		{
			name: "the search for tools chosen", request: withChoice(`{"type":"tool_search"}`, `{"type":"tool_search","execution":"client","parameters":{"type":"object","properties":{}}}`),
			fields: map[string]string{"tool_choice": `{"type":"function","function":{"name":"tool_search"}}`},
		},
		{name: "an unknown choice", request: withChoice(`"maybe"`, toolF), param: "tool_choice"},
		{
			name: "G33 some tools allowed", request: withChoice(`{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"f"}]}`, toolF, `{"type":"function","name":"g"}`),
			fields: map[string]string{"tools": "[" + chatF + "]", "tool_choice": `"required"`},
		},
		{name: "G33 none of the allowed tools is there", request: withChoice(`{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"x"}]}`, toolF), param: "tool_choice"},
		{
			name: "a tool of a namespace chosen", request: withChoice(`{"type":"function","namespace":"a","name":"b"}`, `{"type":"namespace","name":"a","tools":[{"type":"function","name":"b"}]}`),
			fields: map[string]string{"tool_choice": `{"type":"function","function":{"name":"a__b"}}`},
		},
		{
			name: "a freeform tool chosen", request: withChoice(`{"type":"custom","name":"p"}`, `{"type":"custom","name":"p"}`),
			fields: map[string]string{"tool_choice": `{"type":"function","function":{"name":"p"}}`},
		},
		{name: "a dialect without required", request: withChoice(`"required"`, toolF), opt: withDialect("glm"), fields: map[string]string{"tool_choice": `"auto"`}},
		{
			name: "G34 F07 parameters", request: declared(`{"type":"function","name":"n","parameters":null}`, `{"type":"function","name":"a"}`,
				`{"type":"function","name":"t","parameters":{"properties":{"x":{}}}}`,
				`{"type":"function","name":"e","parameters":{"type":"object","properties":{"encrypted":{"type":"string","encrypted":true}}}}`),
			fields:  map[string]string{"tools": `[{"type":"function","function":{"name":"n","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"t","parameters":{"type":"object","properties":{"x":{}}}}},{"type":"function","function":{"name":"e","parameters":{"type":"object","properties":{"encrypted":{"type":"string"}}}}}]`},
			repairs: []string{RepairSchema},
		},
		{
			name: "schemas are copied as they are", request: declared(`{"type":"function","name":"f","strict":false,"parameters":{"type":"object", "properties":{"z":{"enum":["<b>"]},"a":{}}}}`),
			fields: map[string]string{"tools": `[{"type":"function","function":{"name":"f","parameters":{"type":"object", "properties":{"z":{"enum":["<b>"]},"a":{}}}}}]`},
		},
		{
			name: "F09 a union at the root for a strict host", request: declared(`{"type":"function","name":"f","parameters":{"anyOf":[{"type":"string"},{"type":"object"}]}}`),
			opt:    func(o *Options) { o.Dialect.Schema = dialect.SchemaObject },
			fields: map[string]string{"tools": `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"value":{"anyOf":[{"type":"string"},{"type":"object"}]}},"required":["value"]}}}]`},
		},
		{
			name: "a union of objects at the root", request: declared(`{"type":"function","name":"f","parameters":{"oneOf":[{"type":"object"}]}}`),
			fields: map[string]string{"tools": `[{"type":"function","function":{"name":"f","parameters":{"type":"object","oneOf":[{"type":"object"}]}}}]`},
		},
		{
			name: "a reference with siblings for Moonshot", request: declared(`{"type":"function","name":"f","parameters":{"type":"object","properties":{"x":{"$ref":"#/$defs/y","description":"d"}}}}`),
			opt:    withDialect("kimi"),
			fields: map[string]string{"tools": `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"x":{"allOf":[{"$ref":"#/$defs/y"}],"description":"d"}}}}}]`},
		},
		{
			name: "a reference beside allOf, deep inside, for Moonshot", opt: withDialect("kimi"),
			request: declared(`{"type":"function","name":"f","parameters":{"type":"object","properties":{"x":{"type":"array","items":{"allOf":[{"type":"object"}],"$ref":"#/$defs/y"}}},"anyOf":[{"$ref":"#/a"},{"encrypted":true,"required":[]}],"$defs":true,"additionalProperties":false}}`),
			fields:  map[string]string{"tools": `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"x":{"type":"array","items":{"allOf":[{"$ref":"#/$defs/y"},{"type":"object"}]}}},"anyOf":[{"$ref":"#/a"},{"required":[]}],"$defs":true,"additionalProperties":false}}}]`},
		},
		{name: "a type that is null", request: declared(`{"type":"function","name":"f","parameters":{"type":null,"x":1}}`), fields: map[string]string{"tools": "[" + chatF + "]"}},
		{
			name: "strict where it is taken", request: declared(`{"type":"function","name":"f","strict":true,"parameters":{"type":"object","properties":{}}}`), opt: withDialect("openai"),
			fields: map[string]string{"tools": `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}},"strict":true}}]`},
		},
		{
			name: "more tools than the host takes", request: declared(toolF, `{"type":"function","name":"g"}`),
			opt:    func(o *Options) { o.Dialect.MaxTools = 1 },
			fields: map[string]string{"tools": "[" + chatF + "]"}, repairs: []string{RepairToolLimit},
		},
		{
			name: "a long description", request: declared(`{"type":"function","name":"f","description":"a\n\u00e9\u00e9","parameters":{"type":"object","properties":{}}}`),
			opt:    func(o *Options) { o.Dialect.MaxDescription = 5 },
			fields: map[string]string{"tools": `[{"type":"function","function":{"name":"f","description":"a\né","parameters":{"type":"object","properties":{}}}}]`},
		},
		{name: "the same tool again", request: declared(toolF, toolF), fields: map[string]string{"tools": "[" + chatF + "]"}, repairs: []string{RepairDuplicateTool}},
		{name: "a future kind of tool", request: declared(toolF, `{"type":"future"}`), fields: map[string]string{"tools": "[" + chatF + "]"}},
		{name: "a future kind of tool, strictly", request: declared(toolF, `{"type":"future"}`), opt: func(o *Options) { o.Strict = true }, param: "tools"},
		{name: "a hosted tool, strictly", request: declared(toolF, webSearch), opt: func(o *Options) { o.Strict = true }, fields: map[string]string{"tools": "[" + chatF + "]"}},
		{name: "a tool in the form of Chat", request: declared(chatF), fields: map[string]string{"tools": "[" + chatF + "]"}},
	})
}

func TestFilteredToolsAreNamedSafely(t *testing.T) {
	t.Parallel()
	_, ctx, err := translated(t, testOptions(), declared(webSearch, webSearch, `{"name":"x"}`, `{"type":7}`, `{"type":"a b"}`, `{"type":"tool_search","execution":"server"}`))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(ctx.Report.ToolsFiltered, " ")
	if got != "web_search <missing> <invalid:7902699b> <invalid:5e229e24> tool_search" {
		t.Error(got)
	}
}

// chatNames are the names under which tools were declared.
func chatNames(t *testing.T, request string) []string {
	t.Helper()
	fields, _, err := translated(t, testOptions(), request)
	if err != nil {
		t.Fatal(err)
	}
	var tools []struct{ Function struct{ Name string } }
	if err := json.Unmarshal(fields["tools"], &tools); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Function.Name)
	}
	return names
}

func namespace(name string, members ...string) string {
	var tools []string
	for _, m := range members {
		tools = append(tools, `{"type":"function","name":"`+m+`"}`)
	}
	return `{"type":"namespace","name":"` + name + `","tools":[` + strings.Join(tools, ",") + `]}`
}

func TestG29_LongNamesAreShortAndStable(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("very_odd_name_", 5) + "of_81_chars"
	first := chatNames(t, declared(namespace("mcp__x", "a", long)))
	second := chatNames(t, declared(namespace("mcp__x", long, "a", "b")))
	if len(long) != 81 || first[1] != second[0] || first[0] != second[1] || !validName(first[1]) {
		t.Errorf("%d: %q %q", len(long), first, second)
	}
}

func TestG30_NamesStayApartAndComeBack(t *testing.T) {
	t.Parallel()
	tools := []string{
		`{"type":"function","name":"a__b"}`, namespace("a", "b", "b__c"), namespace("a__b", "c"), namespace("x.y", "z"),
		namespace("x_y", "z"), `{"type":"function","name":"1 bad name"}`,
	}
	request := declared(tools...)
	names := chatNames(t, request)
	_, ctx, err := translated(t, testOptions(), request)
	if err != nil {
		t.Fatal(err)
	}
	want := []identity{{"", "a__b"}, {"a", "b"}, {"a", "b__c"}, {"a__b", "c"}, {"x.y", "z"}, {"x_y", "z"}, {"", "1 bad name"}}
	seen := map[string]bool{}
	for i, name := range names {
		tl, ok := ctx.tools.resolve(name)
		if !ok || seen[name] || (identity{tl.namespace, tl.name}) != want[i] {
			t.Errorf("%q gives %+v, want %v", name, tl, want[i])
		}
		seen[name] = true
	}
	if names[0] != "a__b" || len(names) != len(want) {
		t.Errorf("names %q", names)
	}
}

func TestNamesThatModelsGetWrong(t *testing.T) {
	t.Parallel()
	_, ctx, err := translated(t, testOptions(), declared(namespace("mcp__fs", "read", "write"), namespace("other", "write"), toolF))
	if err != nil {
		t.Fatal(err)
	}
	for answered, want := range map[string]identity{
		"mcp__fs__read": {"mcp__fs", "read"}, "read": {"mcp__fs", "read"}, "mcp__fs.read": {"mcp__fs", "read"},
		"other.write": {"other", "write"}, "write": {"", "write"}, "f": {"", "f"}, "nothing": {"", "nothing"},
	} {
		if tl, _ := ctx.tools.resolve(answered); (identity{tl.namespace, tl.name}) != want {
			t.Errorf("%q gives %+v", answered, tl)
		}
	}
}
