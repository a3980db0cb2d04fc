package translate

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/responses"
	"github.com/greenroom-agents/greenroom/gateway/sse"
)

// recorded are the request bodies of a real client, by file. Files of tools alone are put into a request.
func recorded(t testing.TB) map[string][]json.RawMessage {
	t.Helper()
	paths, err := filepath.Glob("testdata/codex/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	all := make(map[string][]json.RawMessage)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		switch {
		case strings.HasPrefix(name, "tools_"):
			all[name] = []json.RawMessage{json.RawMessage(`{"model":"m","input":"u","tool_choice":"auto","tools":` + string(data) + `}`)}
		case strings.HasPrefix(name, "additional_tools"):
			all[name] = []json.RawMessage{json.RawMessage(`{"model":"m","tool_choice":"auto","input":[` + string(data) + `,` + user + `]}`)}
		default:
			var exchanges []struct{ Body json.RawMessage }
			if err := json.Unmarshal(data, &exchanges); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, e := range exchanges {
				if len(e.Body) > 0 {
					all[name] = append(all[name], e.Body)
				}
			}
		}
	}
	return all
}

func TestFixturesTranslateForEveryDialect(t *testing.T) {
	t.Parallel()
	for name, bodies := range recorded(t) {
		for _, d := range dialect.Names() {
			for i, body := range bodies {
				opt := testOptions()
				opt.Dialect = named(t, d)
				fields, ctx, err := translated(t, opt, string(body))
				if err != nil {
					t.Fatalf("%s, request %d for %s: %v", name, i, d, err)
				}
				if bytes.Contains(fields["messages"], []byte("installation")) || ctx.Report.ToolsKept == 0 {
					t.Errorf("%s, request %d for %s: %d tools, %s", name, i, d, ctx.Report.ToolsKept, fields["messages"])
				}
				for _, repair := range []string{RepairOrphanCall, RepairOrphanOutput, RepairUnknownItem, RepairUnknownPart, RepairArguments} {
					if ctx.Report.Repairs[repair] > 0 {
						t.Errorf("%s, request %d for %s: a healthy history was repaired: %v", name, i, d, ctx.Report.Repairs)
					}
				}
			}
		}
	}
}

// The next request of a thread begins with the bytes of the one before.
func TestFixturesKeepTheirPrefix(t *testing.T) {
	t.Parallel()
	threads := 0
	for name, bodies := range recorded(t) {
		if len(bodies) != 2 {
			continue
		}
		threads++
		first, _, err := translated(t, testOptions(), string(bodies[0]))
		if err != nil {
			t.Fatal(err)
		}
		second, _, err := translated(t, testOptions(), string(bodies[1]))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(second["messages"], bytes.TrimSuffix(first["messages"], []byte("]"))) || !bytes.Equal(first["tools"], second["tools"]) {
			t.Errorf("%s: the prefix changed\n%s\n%s", name, first["messages"], second["messages"])
		}
	}
	if threads < 8 {
		t.Errorf("only %d threads", threads)
	}
}

// streamFixtures are streams that the real client took, by file.
func streamFixtures(t testing.TB) map[string][]event {
	t.Helper()
	paths, err := filepath.Glob("testdata/codex/stream_*.sse")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	all := make(map[string][]event)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := sse.NewReader(bytes.NewReader(data), sse.Limits{}, nil)
		for e, err := r.Next(); err == nil; e, err = r.Next() {
			var ev event
			if err := json.Unmarshal(e.Data, &ev); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			all[filepath.Base(path)] = append(all[filepath.Base(path)], ev)
		}
	}
	return all
}

// chunksFor are the chunks by which an upstream says what a recorded stream says.
func chunksFor(evs []event) (chunks []string) {
	reason := "stop"
	for _, e := range evs {
		switch e.Type {
		case "response.output_text.delta":
			chunks = append(chunks, content(e.Delta))
		case "response.reasoning_summary_text.delta":
			chunks = append(chunks, delta(`"reasoning_content":"`+e.Delta+`"`))
		case "response.incomplete":
			reason = "length"
		case "response.failed":
			return append(chunks, `error: {"error":{"code":"`+e.Response.Error.Code+`","message":"`+e.Response.Error.Message+`"}}`)
		case "response.output_item.done":
			it := e.Item
			arguments := string(it.Arguments)
			if it.Type == "custom_tool_call" {
				text, _ := json.Marshal(it.Input)
				arguments = `{"input":` + string(text) + `}`
			}
			name := it.Name
			if it.Namespace != "" {
				name = it.Namespace + "__" + name
			}
			if strings.HasSuffix(it.Type, "_call") {
				chunks = append(chunks, piece(e.OutputIndex, it.CallID, name, arguments[:1]), piece(e.OutputIndex, "", "", arguments[1:]))
			}
		}
	}
	return append(chunks, finish(reason), usageChunk)
}

func TestStreamFixturesComeOutByTheGrammar(t *testing.T) {
	t.Parallel()
	for name, want := range streamFixtures(t) {
		s := newStream(t, testOptions(), `{"model":"m","stream":true,"input":"u","reasoning":{"summary":"auto"},"tools":[{"type":"function","name":"exec_command"},
			{"type":"custom","name":"apply_patch"},{"type":"namespace","name":"multi_agent_v1","tools":[{"type":"function","name":"wait_agent"}]}]}`)
		out := feed(s, chunksFor(want)...)
		if e := s.EarlyError(); e != nil {
			out = s.Fail(out, e)
		}
		evs := events(t, out)
		got, last := evs[len(evs)-1], want[len(want)-1]
		if got.Type != last.Type || len(got.Response.Output) != len(last.Response.Output) {
			t.Fatalf("%s: %+v", name, got)
		}
		for i, it := range got.Response.Output {
			w := last.Response.Output[i]
			if w.Type == "reasoning" {
				w.Content = nil // one form of the same text is enough
			}
			if got.Type == "response.incomplete" {
				w.Status = "incomplete"
			}
			if it.String() != w.String() {
				t.Errorf("%s: item %d is %q, want %q", name, i, it, w)
			}
		}
	}
}

// renumbered joins blocks whose events get the numbers they should have.
func renumbered(blocks []string) []byte {
	number := regexp.MustCompile(`"sequence_number":\d+`)
	var all strings.Builder
	for i, block := range blocks {
		all.WriteString(number.ReplaceAllString(block, `"sequence_number":`+strconv.Itoa(i)))
	}
	return []byte(all.String())
}

func TestGrammarValidatorRefusesEveryChange(t *testing.T) {
	t.Parallel()
	s := newStream(t, testOptions(), streamRequest)
	good := feed(s, delta(`"reasoning":"r"`), content("ab"), piece(0, "a", "f", `{"x":1}`), finish("stop"))
	if err := responses.Validate(good); err != nil {
		t.Fatal(err)
	}
	blocks := strings.SplitAfter(string(good), "\n\n")
	blocks = blocks[:len(blocks)-1]
	for i := range blocks {
		without := renumbered(append(append([]string{}, blocks[:i]...), blocks[i+1:]...))
		if err := responses.Validate(without); err == nil {
			t.Errorf("accepted without block %d: %s", i, blocks[i])
		}
		twice := renumbered(append(append(append([]string{}, blocks[:i]...), blocks[i]), blocks[i:]...))
		if err := responses.Validate(twice); err == nil && i != 1 { // response.in_progress may come again
			t.Errorf("accepted with block %d twice: %s", i, blocks[i])
		}
	}
	for _, change := range [][2]string{
		{`"delta":"ab"`, `"delta":"a"`}, {`"text":"ab"`, `"text":"abc"`}, {`"name":"f"`, `"name":""`}, {`"call_id":"a"`, `"call_id":""`},
		{`"arguments":"{\"x\":1}"`, `"arguments":""`}, {`"cached_tokens":0`, `"cached_tokens":null`}, {`"total_tokens":`, `"total":`},
		{`"status":"in_progress","role"`, `"status":"completed","role"`}, {`"output_index":1`, `"output_index":2`}, {`"output":[{`, `"output":[{},{`},
		{`event: response.completed`, `event: response.failed`}, {"\ndata:", "\ndata: \ndata:"}, {`"summary_index":0`, `"content_index":0`},
	} {
		bad := strings.Replace(string(good), change[0], change[1], 1)
		if bad == string(good) {
			t.Fatalf("%q is not in the stream", change[0])
		}
		if err := responses.Validate([]byte(bad)); err == nil {
			t.Errorf("accepted with %s for %s", change[1], change[0])
		}
	}
}
