package trust_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// Whatever an envelope holds: it is refused by a code of its own, or what is in it is what was signed.
func FuzzVerify(f *testing.F) {
	s := signer(f, trust.Ed25519)
	p := policy(f, key("Acme", s))
	good := sign(f, release(), s)
	f.Add(good)
	f.Add(good[:100])
	f.Add(bytes.Replace(good, []byte("in-toto"), []byte("in-tota"), 1))
	f.Add(bytes.ToUpper(good))
	f.Add([]byte(`{"payloadType":"","payload":"","signatures":[{"keyid":"","sig":""}]}`))
	f.Add([]byte(strings.Repeat(`{"signatures":`, 100)))
	want, err := p.Verify(good, terms())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := p.Verify(data, terms())
		if err != nil {
			if code := core.CodeOf(err); code != core.ErrUntrusted && code != core.ErrTampered {
				t.Fatalf("%v [%s]", err, code)
			}
			return
		}
		if v.Digest != want.Digest || !json.Valid(data) {
			t.Fatalf("something else than what was signed was taken: %+v", v)
		}
	})
}
