package chat

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// FuzzTemplate: a Chunk that is used again reads every chunk as a new one does.
func FuzzTemplate(f *testing.F) {
	const plain = `{"id":"a","choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}`
	f.Add(fmt.Sprintf(plain, "one"), fmt.Sprintf(plain, "two"), fmt.Sprintf(plain, `th\"r\n\u00e9e`))
	f.Add(fmt.Sprintf(plain, "one"), fmt.Sprintf(plain, `two","role":"x`), fmt.Sprintf(plain, `x"},"finish_reason":"stop`))
	f.Add(fmt.Sprintf(plain, `a\`), fmt.Sprintf(plain, "a\x01"), fmt.Sprintf(plain, ""))
	r := strings.ReplaceAll(plain, "content", "reasoning_content")
	f.Add(fmt.Sprintf(r, "one"), fmt.Sprintf(r, "two"), fmt.Sprintf(plain, "three"))
	f.Add(`{"choices":[{"delta":{"content":"a","content":"b"}}]}`, `{"choices":[{"delta":{"content":"a","content":"c"}}]}`,
		`{"choices":[{"delta":{"content":"b","content":"b"}}]}`)
	f.Add(`{"choices":[{"delta":{"content":"a"},"index":0}],"usage":null}`, `{"choices":[{"delta":{"content":"a"},"index":1}],"usage":null}`,
		`{"choices":[{"delta":{"content":"a"},"index":0}],"usage":{}}`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var used Chunk
		for _, s := range []string{a, a, b, b, c, a, c} {
			var fresh Chunk
			err, want := used.Parse([]byte(s)), fresh.Parse([]byte(s))
			if (err == nil) != (want == nil) {
				t.Fatalf("%q: %v, a new one %v", s, err, want)
			}
			got := used
			got.last, fresh.last = template{}, template{}
			if err == nil && !reflect.DeepEqual(got, fresh) {
				t.Fatalf("%q:\n%+v, a new one\n%+v", s, got, fresh)
			}
		}
	})
}

func TestTemplateIsUsed(t *testing.T) {
	t.Parallel()
	const plain = `{"id":"a","choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}`
	var c Chunk
	for i, text := range []string{"one", `t\nwo`, ""} {
		data := []byte(fmt.Sprintf(plain, text))
		if i > 0 && !c.last.match(&Chunk{}, data) {
			t.Fatalf("%q is not recognised", data)
		}
		if err := c.Parse(data); err != nil || string(c.Content) != `"`+text+`"` {
			t.Fatalf("%v %q", err, c.Content)
		}
	}
}
