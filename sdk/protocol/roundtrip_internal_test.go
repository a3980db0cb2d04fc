package protocol

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"google.golang.org/protobuf/proto"
)

// FuzzRoundTrip builds any request, layout and descriptor and expects the same after a wire.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{})
	for seed := range uint64(64) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 16<<(seed%7))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a := newArbitrary(data)
		roundTrip(t, a, EncodeRequest, DecodeRequest)
		roundTrip(t, a, EncodeDescriptor, DecodeDescriptor)
		roundTrip(t, a, func(l preparer.Layout) (m layoutMessage, err error) { return EncodeLayout(&l) },
			func(m layoutMessage) (preparer.Layout, error) {
				l, err := DecodeLayout(m)
				if err != nil {
					return preparer.Layout{}, err
				}
				return *l, nil
			})
	})
}

func roundTrip[T any, M proto.Message](t *testing.T, a *arbitrary, encode func(T) (M, error), decode func(M) (T, error)) {
	t.Helper()
	var want T
	a.fill(reflect.ValueOf(&want).Elem(), 0)
	sent, err := encode(want)
	if err != nil {
		t.Fatalf("encode %T: %v", want, err)
	}
	wire := marshal(t, sent)
	received := sent.ProtoReflect().New().Interface().(M)
	if err := proto.Unmarshal(wire, received); err != nil {
		t.Fatal(err)
	}
	have, err := decode(received)
	if err != nil {
		t.Fatalf("decode %T: %v", want, err)
	}
	if d := cmp.Diff(want, have, cmpopts.EquateEmpty(), cmp.Comparer(sameFloat)); d != "" {
		t.Fatalf("%T changed (-sent +received):\n%s", want, d)
	}
	again, err := encode(have)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(wire, marshal(t, again)); d != "" {
		t.Fatalf("%T has other bytes after a round trip:\n%s", want, d)
	}
}

func sameFloat(a, b preparer.Float) bool { return a == b || a != a && b != b }

func marshal(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestArbitraryReachesEverything guards the fuzz test: with random bytes it builds every kind of entry and value.
func TestArbitraryReachesEverything(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	r := rand.New(rand.NewPCG(7, 7))
	for range 400 {
		data := make([]byte, 2048)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		var l preparer.Layout
		newArbitrary(data).fill(reflect.ValueOf(&l).Elem(), 0)
		visit(reflect.ValueOf(l), func(v reflect.Value) { seen[v.Type().String()] = true })
	}
	for _, k := range append(valueTypes(), entryTypes()...) {
		if !seen[k.String()] {
			t.Errorf("never built a %s", k)
		}
	}
}

func visit(v reflect.Value, see func(reflect.Value)) {
	see(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			visit(v.Field(i), see)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), see)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			visit(v.MapIndex(k), see)
		}
	case reflect.Interface:
		if !v.IsNil() {
			visit(v.Elem(), see)
		}
	}
}

// FuzzDecode gives a decoder any bytes: it refuses them or understands all of them, and never panics.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 256)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		a := newArbitrary(data)
		var l preparer.Layout
		a.fill(reflect.ValueOf(&l).Elem(), 0)
		m, err := EncodeLayout(&l)
		if err != nil {
			f.Fatal(err)
		}
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := layoutMessage(nil).ProtoReflect().New().Interface().(layoutMessage)
		if proto.Unmarshal(data, m) != nil {
			return
		}
		l, err := DecodeLayout(m)
		if err != nil {
			return
		}
		if _, err := EncodeLayout(l); err != nil {
			t.Fatalf("understood, and cannot be said again: %v", err)
		}
	})
}
