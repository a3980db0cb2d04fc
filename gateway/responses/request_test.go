package responses

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestIgnoredFieldsAreNamed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\u00e9", 50)
	r, err := ParseRequest([]byte(`{"model":"m","stream":null,"client_metadata":{},"foo":null,"`+long+`":1,"truncation":"disabled","conversation":{},"include":["reasoning.encrypted_content","web_search_call.results"]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"client_metadata", long[:64], "truncation"}
	if !slices.Equal(r.Ignored, want) || !r.EncryptedReasoning || r.Stream {
		t.Errorf("%q", r.Ignored)
	}
}

func TestRequestsThatSayNonsense(t *testing.T) {
	t.Parallel()
	for body, param := range map[string]string{
		`{"model":7}`: "model", `{"model":""}`: "model", `{"model":"m","stream":"yes"}`: "stream", `{"model":"m","prompt":{"id":"x"}}`: "prompt",
		`{"model":"m","max_tool_calls":1}`: "max_tool_calls", `{"model":"m"} x`: "", `"m"`: "",
	} {
		_, err := ParseRequest([]byte(body), false)
		e, ok := err.(*Error)
		if !ok || e.Param != param || e.Status != 400 || !json.Valid(e.AppendJSON(nil)) || e.Error() == "" {
			t.Errorf("%s gives %v", body, err)
		}
	}
	if _, err := ParseRequest([]byte(`{"model":"m","include":["x"]}`), true); err == nil {
		t.Error("an unknown include was taken strictly")
	}
}

func TestBytesThatAreNoTextAreReplaced(t *testing.T) {
	t.Parallel()
	r, err := ParseRequest([]byte("{\"model\":\"m\",\"input\":\"a\xffb\"}"), false)
	if err != nil || string(r.Input) != "\"a\uFFFDb\"" {
		t.Errorf("%v, %s", err, r.Input)
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	r := &Request{Input: Raw(`["text",{"type":"function_call","name":"f","call_id":"c","namespace":"n"},{"role":"tool","tool_call_id":"d"}]`)}
	items, err := r.Items()
	if err != nil || len(items) != 3 || items[0].Role != "user" || string(items[1].Namespace) != `"n"` || string(items[2].CallID) != `"d"` || items[2].Index != 2 {
		t.Errorf("%v, %+v", err, items)
	}
	for _, input := range []string{`7`, `{}`, `[null]`} {
		if _, err := (&Request{Input: Raw(input)}).Items(); err == nil {
			t.Errorf("%s was taken", input)
		}
	}
}

func TestEncoderCountsAndAllocatesNothing(t *testing.T) {
	e := &Encoder{}
	it := &OutputItem{Kind: Message, ID: "msg_1"}
	buf := make([]byte, 0, 1<<16)
	n := testing.AllocsPerRun(100, func() { buf = e.Delta(buf[:0], it, []byte("pi\"ece")) })
	if n > 0 || e.Next() != 101 {
		t.Errorf("%v allocations, %d events", n, e.Next())
	}
	const want = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":100,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"pi\\\"ece\"}\n\n"
	if string(buf) != want {
		t.Errorf("%s", buf)
	}
}
