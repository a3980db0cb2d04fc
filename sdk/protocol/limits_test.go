package protocol_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
)

func nested(levels int) preparer.Value {
	var v preparer.Value = preparer.S("x")
	for range levels - 1 {
		v = preparer.List{v}
	}
	return v
}

func TestLimits(t *testing.T) {
	t.Parallel()
	itself := preparer.List{nil}
	itself[0] = itself
	var twice preparer.Value = preparer.S("x")
	for range 40 {
		twice = preparer.List{twice, twice}
	}
	cases := map[string]struct {
		value preparer.Value
		ok    bool
	}{
		"deepest":           {nested(protocol.MaxDepth), true},
		"too deep":          {nested(protocol.MaxDepth + 1), false},
		"refers to itself":  {itself, false},
		"doubles each time": {twice, false},
		"large":             {preparer.S(strings.Repeat("x", protocol.MaxMessage-100)), true},
		"too large":         {preparer.S(strings.Repeat("x", 9<<20)), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := protocol.EncodeLayout(&preparer.Layout{Launch: preparer.Launch{Before: []preparer.Value{c.value}}})
			var limit *protocol.LimitError
			if c.ok && err != nil || !c.ok && !errors.As(err, &limit) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestReceivedDepthIsLimited(t *testing.T) {
	t.Parallel()
	v := &pb.Value{Kind: &pb.Value_String_{String_: "x"}}
	for range protocol.MaxDepth {
		v = &pb.Value{Kind: &pb.Value_List{List: &pb.List{Items: []*pb.Value{v}}}}
	}
	_, err := protocol.DecodeLayout(&pb.Layout{Env: []*pb.EnvOp{{Value: v}}})
	var limit *protocol.LimitError
	if !errors.As(err, &limit) {
		t.Fatalf("got %v", err)
	}
}

func TestInvalidIsRefused(t *testing.T) {
	t.Parallel()
	str := &pb.Value{Kind: &pb.Value_String_{String_: "x"}}
	fields := []*pb.Field{{Key: "k", Value: str}, {Key: "k", Value: str}}
	cases := map[string]func() error{
		"no layout": func() error { _, err := protocol.EncodeLayout(nil); return err },
		"no layout received": func() error {
			_, err := protocol.DecodeLayout(nil)
			return err
		},
		"nil entry": func() error {
			_, err := protocol.EncodeLayout(&preparer.Layout{Entries: []preparer.Entry{nil}})
			return err
		},
		"nil value in a body": func() error {
			_, err := protocol.EncodeLayout(&preparer.Layout{Entries: []preparer.Entry{preparer.File{Body: []preparer.Value{nil}}}})
			return err
		},
		"text that is not UTF-8": func() error {
			_, err := protocol.EncodeLayout(&preparer.Layout{Launch: preparer.Launch{Strip: []string{"\xff"}}})
			return err
		},
		"key twice": func() error {
			_, err := protocol.DecodeLayout(&pb.Layout{Entries: []*pb.Entry{{Kind: &pb.Entry_Document{
				Document: &pb.TypedDocument{Root: &pb.Object{Fields: fields}},
			}}}})
			return err
		},
		"input twice": func() error {
			_, err := protocol.DecodeRequest(&pb.Request{Inputs: []*pb.NamedFound{{Name: "a"}, {Name: "a"}}})
			return err
		},
	}
	for name, try := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want *protocol.InvalidError
			if err := try(); !errors.As(err, &want) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// TestExposeOnlyKeepsEmpty: nil takes all names and empty takes none, so that this one slice may not be normalised.
func TestExposeOnlyKeepsEmpty(t *testing.T) {
	t.Parallel()
	for _, only := range [][]string{nil, {}, {"a"}} {
		m, err := protocol.EncodeLayout(&preparer.Layout{Entries: []preparer.Entry{preparer.Expose{Only: only}}})
		if err != nil {
			t.Fatal(err)
		}
		l, err := protocol.DecodeLayout(m)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(only, l.Entries[0].(preparer.Expose).Only); d != "" {
			t.Errorf("only %#v: %s", only, d)
		}
	}
}

func TestDigests(t *testing.T) {
	t.Parallel()
	request := func(edit func(*preparer.Request)) string {
		r := preparer.Request{
			Target: preparer.Target{OS: "linux"},
			Options: preparer.Options{Inherit: preparer.Inherit{
				preparer.Skills: {Mode: preparer.All}, preparer.Hooks: {Mode: preparer.None},
			}},
			Inputs: map[string]preparer.Found{"a": {Exists: true}, "b": {}},
		}
		edit(&r)
		d, err := protocol.RequestDigest(r)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	base := request(func(*preparer.Request) {})
	if len(base) != 64 {
		t.Fatalf("digest %q", base)
	}
	same := map[string]func(*preparer.Request){
		"empty tools":  func(r *preparer.Request) { r.Target.Tools = []string{} },
		"empty values": func(r *preparer.Request) { r.Inputs["b"] = preparer.Found{Values: map[string]preparer.Value{}} },
		"empty names": func(r *preparer.Request) {
			r.Options.Inherit[preparer.Skills] = preparer.Choice{Mode: preparer.All, Names: []string{}}
		},
	}
	for name, edit := range same {
		if request(edit) != base {
			t.Errorf("%s: another digest", name)
		}
	}
	other := map[string]func(*preparer.Request){
		"found":    func(r *preparer.Request) { r.Inputs["b"] = preparer.Found{Exists: true} },
		"os":       func(r *preparer.Request) { r.Target.OS = "windows" },
		"endpoint": func(r *preparer.Request) { r.Endpoint = &preparer.Endpoint{} },
		"input":    func(r *preparer.Request) { r.Inputs["c"] = preparer.Found{} },
	}
	for name, edit := range other {
		if request(edit) == base {
			t.Errorf("%s: the same digest", name)
		}
	}
}
