package translate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
)

// palette are items that stand in histories, healthy and not.
var palette = []string{
	user, `{"role":"developer","content":"d"}`, `{"role":"assistant","content":[{"type":"output_text","text":"t"}]}`, `{"role":"user","content":[]}`,
	`{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":"data:x"},{"type":"input_file","file_data":"data:y"}]}`,
	`{"role":"system","content":[{"type":"input_image","image_url":"data:x"}]}`, `{"role":"tool","content":"x"}`, `{"role":"assistant","content":""}`,
	`{"type":"reasoning","summary":[{"type":"summary_text","text":"S"}]}`, `{"type":"reasoning","summary":[],"encrypted_content":"x"}`,
	functionCall("a", "f", "{}"), functionCall("a", "g", "{bad"), functionCall("b", "f", ""), functionCall("", "f", "[]"), functionCall("a~2", "f", "{}"),
	functionCall("c", "", "{}"), `{"type":"function_call","call_id":"n","namespace":"a.b","name":"very long name ` + strings.Repeat("x", 80) + `","arguments":{"k":"\n"}}`,
	callOutput("a", `"1"`), callOutput("b", `[{"type":"input_image","image_url":"data:z"}]`), callOutput("", `"3"`), callOutput("n", `{"k":[]}`), callOutput("c", `null`),
	`{"type":"custom_tool_call","call_id":"b","name":"p","input":"raw \"x\"\n"}`, `{"type":"custom_tool_call_output","call_id":"b","output":[{"type":"input_text","text":"o"}]}`,
	`{"type":"tool_search_call","call_id":"s","execution":"client","arguments":{"q":1}}`,
	`{"type":"tool_search_output","call_id":"s","tools":[{"type":"namespace","name":"f","tools":[{"type":"function","name":"f"},{"type":"custom","name":"f"}]}]}`,
	`{"type":"additional_tools","tools":[{"type":"function","name":"f__f"},{"type":"function","name":"f"},{"type":"web_search"}]}`,
	`{"type":"local_shell_call","call_id":"a","action":{"command":["ls"]}}`, `{"type":"local_shell_call_output","call_id":"a","output":"o"}`, `{"type":"ghost_snapshot"}`,
	`{"type":"future","id":"x"}`, `{"type":"reasoning","content":[{"type":"reasoning_text","text":"C"}]}`,
}

// FuzzHistory puts items together in any order: whatever comes of it, a strict upstream takes it.
func FuzzHistory(f *testing.F) {
	all := make([]byte, len(palette))
	for i := range all {
		all[i] = byte(i)
	}
	f.Add(all, uint8(0))
	f.Add([]byte{10, 10, 17, 17, 0, 12, 22, 18, 23}, uint8(16))
	f.Fuzz(func(t *testing.T, program []byte, choice uint8) {
		var items []string
		for _, b := range program[:min(len(program), 64)] {
			items = append(items, palette[int(b)%len(palette)])
		}
		opt := fuzzOptions(choice &^ 128)
		fields, ctx, err := translated(t, opt, input(items...))
		if err != nil {
			return
		}
		if n := strings.Count(string(fields["messages"]), `{"role":`); n != ctx.Report.Messages {
			t.Fatalf("%d messages, but %d are counted", n, ctx.Report.Messages)
		}
	})
}

// FuzzPrefix makes a thread of whole rounds, as an agent does. What was sent for the rounds so far is how the next request
// begins, whatever happened in them.
func FuzzPrefix(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 255}, uint8(0))
	f.Add([]byte{77, 130, 9, 200, 64}, uint8(16))
	f.Fuzz(func(t *testing.T, program []byte, choice uint8) {
		opt := fuzzOptions(choice &^ 128)
		opt.Dialect.System = dialect.UserTag
		items := []string{`{"role":"developer","content":"base"}`, user}
		before := ""
		for round, b := range program[:min(len(program), 12)] {
			fields, _, err := translated(t, opt, input(items...))
			if err != nil {
				t.Fatal(err)
			}
			now := string(fields["messages"])
			if !strings.HasPrefix(now, strings.TrimSuffix(before, "]")) {
				t.Fatalf("round %d changed what was sent:\n%s\n%s", round, before, now)
			}
			before = now
			items = append(items, roundOf(b)...)
		}
	})
}

// roundOf is what an agent adds between two requests: what the model said and the results of its calls, or a new message.
func roundOf(b byte) []string {
	var items []string
	if b&1 != 0 {
		items = append(items, `{"type":"reasoning","summary":[{"type":"summary_text","text":"S"}]}`)
	}
	if b&2 != 0 {
		items = append(items, `{"role":"assistant","content":"t"}`)
	}
	calls := int(b>>2) & 3
	for i := range calls {
		items = append(items, functionCall(fmt.Sprintf("call_%d", i), "f", `{"x":1}`))
	}
	for i := range calls {
		if b&16 != 0 {
			i = calls - 1 - i
		}
		output := `"o"`
		if b&32 != 0 {
			output = `[{"type":"input_image","image_url":"data:x"}]`
		}
		items = append(items, callOutput(fmt.Sprintf("call_%d", i), output))
	}
	if b&64 != 0 {
		items = append(items, `{"role":"developer","content":"notice"}`)
	}
	if calls == 0 || b&128 != 0 {
		items = append(items, user)
	}
	return items
}
