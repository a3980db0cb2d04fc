package gateway

import (
	"bytes"
	"io"
	"mime"
	"net/http"

	"github.com/greenroom-agents/greenroom/gateway/responses"
	"github.com/greenroom-agents/greenroom/gateway/translate"
)

func errNotAChat() *responses.Error { return translate.TransportError(translate.NotAnAPI) }

// pulsed is a body that is read through a pulse.
type pulsed struct {
	*pulse
	io.Closer
}

// form is what an answer is written in.
type form uint8

const (
	formUnknown form = iota
	formStream
	formJSON
)

// formOf tells the form by the content type, and by the first character if there is none that says it.
func formOf(h http.Header, body io.Reader) (form, io.Reader) {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	switch kind {
	case "text/event-stream":
		return formStream, body
	case "application/json", "text/json":
		return formJSON, body
	case "", "text/plain", "application/octet-stream", "application/x-ndjson":
	default:
		return formUnknown, body
	}
	var head []byte
	for one := make([]byte, 1); len(head) < 64; {
		n, err := body.Read(one)
		head = append(head, one[:n]...)
		if c := bytes.TrimLeft(head, "\uFEFF \t\r\n"); len(c) > 0 && c[0] < 0x80 {
			body = io.MultiReader(bytes.NewReader(head), body)
			switch c[0] {
			case '{':
				return formJSON, body
			case 'd', ':', 'e', 'i', 'r':
				return formStream, body
			}
			return formUnknown, body
		}
		if err != nil {
			break
		}
	}
	return formUnknown, bytes.NewReader(head)
}
