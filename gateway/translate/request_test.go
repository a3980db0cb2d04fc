package translate

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/chat"
	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// testOptions are options with the default dialect and ids that count.
func testOptions() *Options {
	n := 0
	return &Options{Dialect: dialect.Default(), NewID: func() string { n++; return strconv.Itoa(n) }}
}

func named(t testing.TB, name string) dialect.Dialect {
	t.Helper()
	d, ok := dialect.Named(name)
	if !ok {
		t.Fatalf("no dialect %q", name)
	}
	return d
}

// everything that some dialect adds to plain Chat Completions.
var extensions = chat.Extensions{
	Request: []string{
		"reasoning_effort", "reasoning", "thinking", "enable_thinking", "reasoning_split", "store", "metadata", "user",
		"service_tier", "prompt_cache_key", "verbosity",
	},
	Message: []string{"reasoning_content", "reasoning", "reasoning_details"},
}

// translated parses a request, translates it twice to the same bytes and checks it as a strict upstream would.
func translated(t testing.TB, opt *Options, request string) (map[string]json.RawMessage, *Context, error) {
	t.Helper()
	parse := func() ([]byte, *Context, error) {
		req, err := responses.ParseRequest([]byte(request), opt.Strict)
		if err != nil {
			return nil, nil, err
		}
		return Request(req, opt)
	}
	body, ctx, err := parse()
	if err != nil {
		var e *responses.Error
		if !errors.As(err, &e) || e.Status != 400 || e.Message == "" {
			t.Fatalf("not an error for the client: %#v", err)
		}
		return nil, nil, err
	}
	if again, _, err := parse(); err != nil || string(again) != string(body) {
		t.Fatalf("the same request gave other bytes:\n%s\n%s", body, again)
	}
	if err := chat.Validate(body, extensions); err != nil {
		t.Fatalf("a strict upstream refuses it: %v\n%s", err, body)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	return fields, ctx, nil
}

type requestCase struct {
	name, request string
	opt           func(*Options)
	// messages is the whole list, if not "".
	messages string
	// fields are values of top-level fields, "" for an absent one.
	fields map[string]string
	// param and code are those of the error that is expected.
	param, code string
	// repairs have to be counted.
	repairs []string
}

func runRequests(t *testing.T, cases []requestCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			opt := testOptions()
			if c.opt != nil {
				c.opt(opt)
			}
			fields, ctx, err := translated(t, opt, c.request)
			if c.param != "" || c.code != "" {
				var e *responses.Error
				if !errors.As(err, &e) {
					t.Fatalf("accepted: %s", fields)
				}
				if e.Param != c.param || c.code != "" && e.Code != c.code {
					t.Fatalf("param %q, code %q: %v", e.Param, e.Code, e)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.messages != "" && string(fields["messages"]) != c.messages {
				t.Errorf("messages\n%s\nwant\n%s", fields["messages"], c.messages)
			}
			for name, want := range c.fields {
				if got := string(fields[name]); got != want {
					t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
				}
			}
			for _, name := range c.repairs {
				if ctx.Report.Repairs[name] == 0 {
					t.Errorf("the repair %q is not counted: %v", name, ctx.Report.Repairs)
				}
			}
		})
	}
}

// input makes a request of items.
func input(items ...string) string {
	return `{"model":"m","stream":true,"input":[` + strings.Join(items, ",") + `]}`
}

const user = `{"role":"user","content":"u"}`

func functionCall(id, name, arguments string) string {
	return `{"type":"function_call","call_id":` + strconv.Quote(id) + `,"name":` + strconv.Quote(name) +
		`,"arguments":` + strconv.Quote(arguments) + `}`
}

func callOutput(id, output string) string {
	return `{"type":"function_call_output","call_id":` + strconv.Quote(id) + `,"output":` + output + `}`
}
