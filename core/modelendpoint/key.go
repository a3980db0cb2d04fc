package modelendpoint

import "log/slog"

// hidden stands for a key wherever one is printed.
const hidden = "********"

// Key is a credential. The zero value is none.
type Key struct{ value string }

// NewKey makes a Key of a credential.
func NewKey(value string) Key { return Key{value: value} }

// Reveal gives the credential.
func (k Key) Reveal() string { return k.value }

// IsZero says whether there is no credential.
func (k Key) IsZero() bool { return k.value == "" }

// String hides the credential.
func (k Key) String() string {
	if k.IsZero() {
		return ""
	}
	return hidden
}

// GoString is the same as String.
func (k Key) GoString() string { return k.String() }

// LogValue is the same as String.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText is the same as String.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
