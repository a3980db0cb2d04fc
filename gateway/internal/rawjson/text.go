package rawjson

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Inner is a string value without its quotes, escapes left as they are; nil for any other value.
func Inner(raw []byte) []byte {
	raw = Trim(raw)
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// Bytes is the text of a string value, and shares memory with raw if there is nothing to unescape.
func Bytes(raw []byte) []byte {
	in := Inner(raw)
	if bytes.IndexByte(in, '\\') < 0 {
		return in
	}
	return Unescape(make([]byte, 0, len(in)), in)
}

// String is the text of a string value, "" for any other value.
func String(raw []byte) string {
	in := Inner(raw)
	if bytes.IndexByte(in, '\\') < 0 {
		return string(in)
	}
	return string(Unescape(make([]byte, 0, len(in)), in))
}

// Unescape appends the text of the inside of a string. Half surrogate pairs and bytes that are no UTF-8 become U+FFFD.
func Unescape(dst, inner []byte) []byte {
	for len(inner) > 0 {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			return appendValid(dst, inner)
		}
		dst = appendValid(dst, inner[:i])
		inner = inner[i+1:]
		if len(inner) == 0 {
			return dst
		}
		c := inner[0]
		inner = inner[1:]
		switch c {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'u':
			r, ok := hex4(inner)
			if !ok {
				return dst
			}
			inner = inner[4:]
			if utf16.IsSurrogate(r) {
				r2 := rune(utf8.RuneError)
				if len(inner) >= 6 && inner[0] == '\\' && inner[1] == 'u' {
					if low, ok := hex4(inner[2:]); ok {
						r2 = utf16.DecodeRune(r, low)
					}
				}
				if r2 != utf8.RuneError {
					inner = inner[6:]
				}
				r = r2
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func appendValid(dst, text []byte) []byte {
	if utf8.Valid(text) {
		return append(dst, text...)
	}
	return append(dst, bytes.ToValidUTF8(text, []byte("\uFFFD"))...)
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

const hexDigits = "0123456789abcdef"

// AppendEscaped appends text as the inside of a JSON string. Only what JSON demands is escaped: no <, > or &.
func AppendEscaped[T ~string | ~[]byte](dst []byte, text T) []byte {
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			if c < utf8.RuneSelf {
				i++
				continue
			}
			r, n := decodeRune(text, i)
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			dst = append(dst, text[start:i]...)
			dst = append(dst, "\uFFFD"...)
			i++
			start = i
			continue
		}
		dst = append(dst, text[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(dst, text[start:]...)
}

func decodeRune[T ~string | ~[]byte](text T, i int) (rune, int) {
	end := min(i+utf8.UTFMax, len(text))
	return utf8.DecodeRuneInString(string(text[i:end]))
}

// AppendString appends text as a JSON string.
func AppendString[T ~string | ~[]byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, text)
	return append(dst, '"')
}

// Int is the whole number in a value that may be written as a number, a float or a string.
func Int(raw []byte) (int64, bool) {
	raw = Trim(raw)
	if len(raw) > 0 && raw[0] == '"' {
		raw = Trim(Inner(raw))
	}
	if len(raw) == 0 || len(raw) > 32 {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != f || f > 1<<53 || f < -(1<<53) {
		return 0, false
	}
	return int64(f), true
}

// True reports whether the value is true.
func True(raw []byte) bool { return Kind(raw) == 't' }
