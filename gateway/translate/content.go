package translate

import (
	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

type partKind uint8

const (
	partText partKind = iota
	partImage
	partFile
	partAudio
)

// part is a piece of content. Strings are the inside of JSON strings, so that they are copied and not encoded again.
type part struct {
	kind partKind
	// text is the text, an image's address, or the whole object of an audio part.
	text []byte
	// detail is an image's detail or a file's name.
	detail []byte
	// data and id are a file's.
	data, id []byte
}

func textPart(escaped []byte) part { return part{kind: partText, text: escaped} }

// parts reads content: a string, an array of parts, or one part.
func (t *requester) parts(raw responses.Raw, assistant bool) []part {
	switch rawjson.Kind(raw) {
	case 'n':
		return nil
	case '"':
		return []part{textPart(rawjson.Inner(raw))}
	case '{':
		p, ok := t.part(raw, assistant)
		if !ok {
			return nil
		}
		return []part{p}
	case '[':
	default:
		return []part{textPart(raw)}
	}
	parts := make([]part, 0, 1)
	for w := rawjson.Walk(raw); w.Next(); {
		if rawjson.Kind(w.Value) == '"' {
			parts = append(parts, textPart(rawjson.Inner(w.Value)))
		} else if p, ok := t.part(w.Value, assistant); ok {
			parts = append(parts, p)
		}
	}
	return parts
}

func (t *requester) part(raw responses.Raw, assistant bool) (part, bool) {
	var typ, text, image, detail, name, data, id, url, audio responses.Raw
	for w := rawjson.Walk(raw); w.Next(); {
		switch string(w.Key) {
		case "type":
			typ = w.Value
		case "text", "refusal":
			if rawjson.Kind(w.Value) == '"' {
				text = w.Value
			}
		case "image_url":
			image = w.Value
		case "detail":
			detail = w.Value
		case "filename":
			name = w.Value
		case "file_data":
			data = w.Value
		case "file_id":
			id = w.Value
		case "file_url":
			url = w.Value
		case "input_audio":
			audio = w.Value
		}
	}
	switch rawjson.String(typ) {
	case "input_text", "output_text", "text", "refusal", "summary_text", "reasoning_text", "":
		if text != nil {
			return textPart(rawjson.Inner(text)), true
		}
	case "input_image", "image_url":
		if assistant {
			break
		}
		if rawjson.Kind(image) == '{' {
			if d := rawjson.Get(image, "detail"); d != nil {
				detail = d
			}
			image = rawjson.Get(image, "url")
		}
		return t.image(rawjson.Inner(image), detail), true
	case "input_file", "file":
		if assistant {
			break
		}
		if inner := rawjson.Get(raw, "file"); rawjson.Kind(inner) == '{' {
			name, data, id = rawjson.Get(inner, "filename"), rawjson.Get(inner, "file_data"), rawjson.Get(inner, "file_id")
		}
		return t.file(rawjson.Inner(name), rawjson.Inner(data), rawjson.Inner(id), rawjson.Inner(url)), true
	case "input_audio":
		if !assistant && rawjson.Kind(audio) == '{' {
			return part{kind: partAudio, text: audio}, true
		}
	default:
		if text != nil {
			return textPart(rawjson.Inner(text)), true
		}
	}
	t.report().repair(RepairUnknownPart)
	return part{}, false
}

func (t *requester) image(url, detail []byte) part {
	switch {
	case t.opt.Dialect.NoVision:
		t.report().repair(RepairMedia)
		return textPart([]byte("[image omitted: the model takes text only]"))
	case len(url) == 0:
		t.report().repair(RepairMedia)
		return textPart([]byte("[image omitted: its data is not in the conversation]"))
	}
	p := part{kind: partImage, text: url}
	switch string(rawjson.Inner(detail)) {
	case "low", "high", "auto":
		p.detail = rawjson.Inner(detail)
	case "original":
		p.detail = []byte("high")
	}
	return p
}

func (t *requester) file(name, data, id, url []byte) part {
	if !t.opt.Dialect.NoFiles && (len(data) > 0 || len(id) > 0) {
		return part{kind: partFile, detail: name, data: data, id: id}
	}
	t.report().repair(RepairMedia)
	if len(name) == 0 {
		if name = url; len(name) == 0 {
			name = []byte("unnamed")
		}
	}
	text := append([]byte("[file omitted: "), name...)
	return textPart(append(text, ']'))
}

func onlyText(parts []part) bool {
	for i := range parts {
		if parts[i].kind != partText {
			return false
		}
	}
	return true
}

// hasContent reports whether anything is left to say once empty texts are gone.
func hasContent(parts []part) bool {
	for i := range parts {
		if parts[i].kind != partText || len(parts[i].text) > 0 {
			return true
		}
	}
	return false
}

// appendTexts appends the texts that are not empty with sep between them, all as the inside of a JSON string.
func appendTexts(dst []byte, parts []part, sep string) []byte {
	first := true
	for i := range parts {
		if parts[i].kind != partText || len(parts[i].text) == 0 {
			continue
		}
		if !first {
			dst = append(dst, sep...)
		}
		first = false
		dst = append(dst, parts[i].text...)
	}
	return dst
}

// appendContent appends text as a string, and anything else as an array of parts.
func appendContent(dst []byte, parts []part) []byte {
	if onlyText(parts) {
		dst = append(dst, '"')
		dst = appendTexts(dst, parts, `\n`)
		return append(dst, '"')
	}
	dst = append(dst, '[')
	first := true
	for i := range parts {
		p := &parts[i]
		if p.kind == partText && len(p.text) == 0 {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendPart(dst, p)
	}
	return append(dst, ']')
}

func appendPart(dst []byte, p *part) []byte {
	switch p.kind {
	case partImage:
		dst = append(dst, `{"type":"image_url","image_url":{"url":"`...)
		dst = append(dst, p.text...)
		if len(p.detail) > 0 {
			dst = append(dst, `","detail":"`...)
			dst = append(dst, p.detail...)
		}
		return append(dst, `"}}`...)
	case partFile:
		dst = append(dst, `{"type":"file","file":{`...)
		mark := len(dst)
		member := func(key string, value []byte) {
			if len(value) == 0 {
				return
			}
			if len(dst) > mark {
				dst = append(dst, ',')
			}
			dst = rawjson.AppendString(dst, key)
			dst = append(dst, `:"`...)
			dst = append(dst, value...)
			dst = append(dst, '"')
		}
		member("filename", p.detail)
		member("file_data", p.data)
		member("file_id", p.id)
		return append(dst, "}}"...)
	case partAudio:
		dst = append(dst, `{"type":"input_audio","input_audio":`...)
		dst = append(dst, p.text...)
		return append(dst, '}')
	}
	dst = append(dst, `{"type":"text","text":"`...)
	dst = append(dst, p.text...)
	return append(dst, `"}`...)
}
