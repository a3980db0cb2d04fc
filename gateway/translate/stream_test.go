package translate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/responses"
	"github.com/greenroom-agents/greenroom/gateway/sse"
)

// event is one event of a stream as a client reads it.
type event struct {
	Type        string `json:"type"`
	OutputIndex int    `json:"output_index"`
	ItemID      string `json:"item_id"`
	Delta       string `json:"delta"`
	Item        outputItem
	Response    struct {
		Status     string
		Output     []outputItem
		Error      *struct{ Code, Message string }
		Incomplete *struct{ Reason string } `json:"incomplete_details"`
		Usage      *usage
	}
}

type outputItem struct {
	Type, ID, Status, Name, Namespace, Input string
	Arguments                                loose
	CallID                                   string `json:"call_id"`
	Content, Summary                         []struct{ Type, Text string }
	Encrypted                                string `json:"encrypted_content"`
}

type usage struct {
	Input   int `json:"input_tokens"`
	Output  int `json:"output_tokens"`
	Total   int `json:"total_tokens"`
	Details struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// loose is a string, or the text of another value.
type loose string

func (l *loose) UnmarshalJSON(raw []byte) error {
	*l = loose(raw)
	if raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(l))
	}
	return nil
}

// String is the item in one line.
func (it outputItem) String() string {
	var text []string
	for _, p := range append(it.Summary, it.Content...) {
		text = append(text, p.Text)
	}
	switch it.Type {
	case "reasoning":
		return "reasoning " + strings.Join(text, "|")
	case "message":
		return it.Status + " message " + strings.Join(text, "|")
	}
	name := it.Name
	if it.Namespace != "" {
		name = it.Namespace + "/" + name
	}
	return strings.TrimSpace(it.Type + " " + it.CallID + " " + name + " " + string(it.Arguments) + it.Input)
}

// events reads a stream, which has to follow the grammar.
func events(t testing.TB, stream []byte) []event {
	t.Helper()
	if err := responses.Validate(stream); err != nil {
		t.Fatalf("the stream breaks the grammar: %v\n%s", err, stream)
	}
	var all []event
	for r := sse.NewReader(strings.NewReader(string(stream)), sse.Limits{}, nil); ; {
		e, err := r.Next()
		if err != nil {
			return all
		}
		var ev event
		if err := json.Unmarshal(e.Data, &ev); err != nil {
			t.Fatalf("%v: %s", err, e.Data)
		}
		all = append(all, ev)
	}
}

const streamTools = `[{"type":"function","name":"f"},{"type":"function","name":"g"},{"type":"function","name":"read"},{"type":"function","name":"w","parameters":{"type":"array"}},{"type":"custom","name":"p"},
	{"type":"namespace","name":"mcp__fs","tools":[{"type":"function","name":"read_file"}]},
	{"type":"tool_search","execution":"client","parameters":{"type":"object","properties":{}}}]`

const streamRequest = `{"model":"m","stream":true,"input":"u","reasoning":{"summary":"auto"},"tools":` + streamTools + `}`

func newStream(t testing.TB, opt *Options, request string) *Stream {
	t.Helper()
	req, err := responses.ParseRequest([]byte(request), false)
	if err != nil {
		t.Fatal(err)
	}
	_, ctx, err := Request(req, opt)
	if err != nil {
		t.Fatal(err)
	}
	return NewStream(ctx, opt, 1700000000)
}

// feed gives a stream its chunks. "EOF" ends it without a marker; without it the marker comes last.
func feed(s *Stream, chunks ...string) []byte {
	var out []byte
	for _, c := range chunks {
		switch {
		case c == "EOF":
			return s.End(out, EndEOF)
		case strings.HasPrefix(c, "error: "):
			out = s.Event(out, "error", []byte(c[len("error: "):]))
		default:
			out = s.Data(out, []byte(c))
		}
	}
	return s.Data(out, []byte("[DONE]"))
}

// delta is a chunk with these fields in its delta.
func delta(fields string) string { return `{"choices":[{"index":0,"delta":{` + fields + `}}]}` }

func content(text string) string { b, _ := json.Marshal(text); return delta(`"content":` + string(b)) }

// piece is a chunk with a piece of a call; an empty field is left out.
func piece(index int, id, name, arguments string) string {
	fields := []string{}
	if index >= 0 {
		fields = append(fields, fmt.Sprintf(`"index":%d`, index))
	}
	if id != "" {
		fields = append(fields, fmt.Sprintf(`"id":%q`, id))
	}
	a, _ := json.Marshal(arguments)
	if name != "" {
		fields = append(fields, fmt.Sprintf(`"function":{"name":%q,"arguments":%s}`, name, a))
	} else {
		fields = append(fields, `"function":{"arguments":`+string(a)+`}`)
	}
	return delta(`"tool_calls":[{` + strings.Join(fields, ",") + `}]`)
}

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

const usageChunk = `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}`

// streamCase says what comes of some chunks: the items in the terminal output, one a line, and how it ended.
type streamCase struct {
	name   string
	opt    func(*Options)
	chunks []string
	output []string
	// end is "completed", "incomplete <reason>" or "failed <code>".
	end string
	// check looks further.
	check func(*testing.T, []event, *Stream)
}

func runStreams(t *testing.T, cases []streamCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			opt := testOptions()
			if c.opt != nil {
				c.opt(opt)
			}
			s := newStream(t, opt, streamRequest)
			out := feed(s, c.chunks...)
			if e := s.EarlyError(); e != nil {
				out = s.Fail(out, e)
			}
			if !s.Done() {
				t.Fatal("not over")
			}
			if more := s.Data(s.KeepAlive(s.End(nil, EndEOF)), []byte(content("late"))); len(more) > 0 {
				t.Errorf("behind the end: %s", more)
			}
			evs := events(t, out)
			last := evs[len(evs)-1].Response
			var output []string
			for _, it := range last.Output {
				output = append(output, it.String())
			}
			if got, want := strings.Join(output, "\n"), strings.Join(c.output, "\n"); got != want {
				t.Errorf("output\n%s\nwant\n%s", got, want)
			}
			end := last.Status
			if last.Error != nil {
				end += " " + last.Error.Code
			}
			if last.Incomplete != nil {
				end += " " + last.Incomplete.Reason
			}
			if end != c.end {
				t.Errorf("ended %q, want %q: %+v", end, c.end, last.Error)
			}
			if o := s.Outcome(); o.Status != last.Status || o.Usage.Total != int64(last.Usage.Total) {
				t.Errorf("outcome %+v", o)
			}
			if c.check != nil {
				c.check(t, evs, s)
			}
		})
	}
}

// deltas joins the deltas of events of one type.
func deltas(evs []event, typ string) []string {
	var all []string
	for _, e := range evs {
		if e.Type == typ {
			all = append(all, e.Delta)
		}
	}
	return all
}

func wantDeltas(typ string, want ...string) func(*testing.T, []event, *Stream) {
	return func(t *testing.T, evs []event, _ *Stream) {
		if got := deltas(evs, typ); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("deltas %q, want %q", got, want)
		}
	}
}
