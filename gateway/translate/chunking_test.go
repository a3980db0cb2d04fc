package translate

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// pieces cuts a text at characters, by the sizes in cuts.
func pieces(text string, cuts []byte) []string {
	var all []string
	for i := 0; len(text) > 0; i++ {
		n := len(text)
		if len(cuts) > 0 {
			n = min(int(cuts[i%len(cuts)])%11+1, len(text))
		}
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

// FuzzChunking says the same thing in pieces of any size, and the same thing has to come out: reasoning in a think block,
// text, a call whose arguments come in pieces or all so far each time, and a freeform call.
func FuzzChunking(f *testing.F) {
	f.Add("think </thin", "text <b> \U0001F600", "{\"x\":1}", []byte{0, 3, 1}, false)
	f.Add("", "\n\n", "", []byte{1}, true)
	f.Add("r", "", "aaaa", []byte{}, true)
	f.Fuzz(func(t *testing.T, thought, text, value string, cuts []byte, cumulative bool) {
		thought, text, value = strings.ToValidUTF8(thought, "?"), strings.ToValidUTF8(text, "?"), strings.ToValidUTF8(value, "?")
		if strings.Contains(thought, closeTag) {
			return
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		arguments := `{"x":` + string(quoted) + `}`
		var chunks []string
		for _, p := range pieces(" "+openTag+thought+closeTag+"\n"+text, cuts) {
			chunks = append(chunks, content(p))
		}
		sent := 0
		for i, p := range pieces(arguments, cuts) {
			if sent += len(p); cumulative {
				p = arguments[:sent]
			}
			if i == 0 {
				chunks = append(chunks, piece(0, "a", "f", p))
			} else {
				chunks = append(chunks, piece(0, "", "", p))
			}
		}
		for i, p := range pieces(`{"input":`+string(quoted)+`}`, cuts) {
			if i == 0 {
				chunks = append(chunks, piece(1, "b", "p", p))
			} else {
				chunks = append(chunks, piece(1, "", "", p))
			}
		}
		s := newStream(t, testOptions(), streamRequest)
		evs := events(t, feed(s, append(chunks, finish("tool_calls"))...))
		last := evs[len(evs)-1].Response
		var got, want []string
		for _, it := range last.Output {
			got = append(got, it.String())
		}
		if thought != "" {
			want = append(want, outputItem{Type: "reasoning", Summary: texts(thought)}.String())
		}
		if said := strings.TrimLeft(text, "\r\n"); strings.TrimSpace(said) != "" {
			want = append(want, outputItem{Type: "message", Status: "completed", Content: texts(said)}.String())
		}
		want = append(want, outputItem{Type: "function_call", CallID: "a", Name: "f", Arguments: loose(arguments)}.String(),
			outputItem{Type: "custom_tool_call", CallID: "b", Name: "p", Input: value}.String())
		if strings.Join(got, "\n") != strings.Join(want, "\n") || last.Status != "completed" {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func texts(text string) []struct{ Type, Text string } {
	return []struct{ Type, Text string }{{Text: text}}
}
