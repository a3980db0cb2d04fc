package manifest_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/manifest"
)

// history are the fields that two equal records may differ in, by type.
var history = map[reflect.Type][]string{
	reflect.TypeFor[manifest.Manifest](): {"State", "Generation", "Created", "Updated"},
	reflect.TypeFor[manifest.Outside]():  {"Was", "Post", "Undo", "HadBlock", "Joined"},
	reflect.TypeFor[manifest.Login]():    {"Copy"},
}

// Every field is set alone, also in the structures that a record holds, so that a field that is added later is not
// forgotten.
func TestRecordsAreTheSameUnlessAFieldDiffers(t *testing.T) {
	t.Parallel()
	if !(&manifest.Manifest{}).Same(&manifest.Manifest{}) {
		t.Fatal("two empty records differ")
	}
	eachField(t, reflect.TypeFor[manifest.Manifest](), "", func(name string, past bool, set func(reflect.Value)) {
		var m manifest.Manifest
		set(reflect.ValueOf(&m).Elem())
		if got := m.Same(&manifest.Manifest{}); got != past {
			t.Errorf("a record that differs in %s is the same: %v", name, got)
		}
	})
	for _, holder := range []string{"Entries", "Outside", "Logins"} {
		field, _ := reflect.TypeFor[manifest.Manifest]().FieldByName(holder)
		eachField(t, field.Type.Elem(), holder+".", func(name string, past bool, set func(reflect.Value)) {
			one := func() (*manifest.Manifest, reflect.Value) {
				m := &manifest.Manifest{}
				f := reflect.ValueOf(m).Elem().FieldByName(holder)
				f.Set(reflect.MakeSlice(field.Type, 1, 1))
				return m, f.Index(0)
			}
			a, in := one()
			b, _ := one()
			if !a.Same(b) {
				t.Fatalf("two records with one empty %s differ", holder)
			}
			set(in)
			if got := a.Same(b); got != past {
				t.Errorf("a record that differs in %s is the same: %v", name, got)
			}
		})
	}
}

// eachField gives, for each field of a type, a function that sets it to something.
func eachField(t *testing.T, of reflect.Type, prefix string, check func(name string, past bool, set func(reflect.Value))) {
	t.Helper()
	for i := range of.NumField() {
		f := of.Field(i)
		past := false
		for _, name := range history[of] {
			past = past || name == f.Name
		}
		check(prefix+f.Name, past, func(v reflect.Value) { fill(t, v.Field(i)) })
	}
}

func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("k"), reflect.ValueOf("v"))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 0)))
			return
		}
		fill(t, v.Field(0))
	default:
		t.Fatalf("the test cannot set a %s", v.Type())
	}
}
