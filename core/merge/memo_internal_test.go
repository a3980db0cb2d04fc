package merge

import (
	"reflect"
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// A field of an edit that the key does not hold would have two different edits taken for one.
func TestMemoKeyHoldsEveryFieldOfAnEdit(t *testing.T) {
	t.Parallel()
	sum := func(e Edit) memoKey {
		k := keyOf("apply", preparer.TOML, nil)
		if !k.edit(&e) {
			t.Fatalf("no key for %+v", e)
		}
		k.leads([]Edit{e})
		return k.sum()
	}
	zero := sum(Edit{})
	for i := range reflect.TypeFor[Edit]().NumField() {
		var e Edit
		f := reflect.ValueOf(&e).Elem().Field(i)
		switch f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Interface:
			f.Set(reflect.ValueOf("x"))
		default:
			t.Fatalf("the test cannot set %s", reflect.TypeFor[Edit]().Field(i).Name)
		}
		if sum(e) == zero {
			t.Errorf("the key does not hold %s", reflect.TypeFor[Edit]().Field(i).Name)
		}
	}
	if a, b := sum(Edit{Op: preparer.OpRekey, Value: "/a"}), sum(Edit{Op: preparer.OpRekey, Value: "/b"}); a == b {
		t.Error("the key does not hold where a rekey leads to")
	}
}
