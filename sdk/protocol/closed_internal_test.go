package protocol

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

type layoutMessage = *pb.Layout

// TestClosedSetsMatchEnums holds the sets to the enums, name by name, and finds an enum without a set.
func TestClosedSetsMatchEnums(t *testing.T) {
	t.Parallel()
	enums := pb.File_greenroom_preparer_v1_preparer_proto.Enums()
	var covered []string
	for _, s := range closedSets() {
		covered = append(covered, s.enum)
		e := enums.ByName(protoreflect.Name(s.enum))
		if e == nil {
			t.Fatalf("no enum %s", s.enum)
		}
		if e.Values().Len() != len(s.names) {
			t.Errorf("%s has %d values, the set %d", s.enum, e.Values().Len(), len(s.names))
			continue
		}
		for i, name := range s.names {
			if name == "" {
				name = "unspecified"
			}
			want := upperSnake(s.enum) + "_" + strings.ToUpper(name)
			if have := string(e.Values().ByNumber(protoreflect.EnumNumber(i)).Name()); have != want {
				t.Errorf("%s %d is %s, the set says %s", s.enum, i, have, want)
			}
		}
	}
	for i := range enums.Len() {
		if name := string(enums.Get(i).Name()); name != "FaultKind" && !slices.Contains(covered, name) {
			t.Errorf("enum %s has no set", name)
		}
	}
}

func upperSnake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

type strangeEntry struct{ preparer.Dir }

type strangeValue struct{ preparer.String }

func TestUnknownIsRefused(t *testing.T) {
	t.Parallel()
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, 900, protowire.VarintType), 1)
	withField := func(m proto.Message) { m.ProtoReflect().SetUnknown(unknown) }
	deep := func() (*pb.Layout, *pb.Value) {
		v := &pb.Value{Kind: &pb.Value_String_{String_: "x"}}
		return &pb.Layout{Entries: []*pb.Entry{{Kind: &pb.Entry_Document{Document: &pb.TypedDocument{
			Root: &pb.Object{Fields: []*pb.Field{{Key: "k", Value: v}}},
		}}}}}, v
	}
	cases := map[string]func() error{
		"entry kind, sent": func() error {
			_, err := EncodeLayout(&preparer.Layout{Entries: []preparer.Entry{strangeEntry{}}})
			return err
		},
		"pointer to an entry, sent": func() error {
			_, err := EncodeLayout(&preparer.Layout{Entries: []preparer.Entry{&preparer.Dir{}}})
			return err
		},
		"value kind, sent": func() error {
			_, err := EncodeLayout(&preparer.Layout{Env: []preparer.EnvOp{{Value: strangeValue{}}}})
			return err
		},
		"choice, sent": func() error {
			_, err := EncodeDescriptor(preparer.Descriptor{Rewrite: "by magic"})
			return err
		},
		"entry kind, received": func() error {
			_, err := DecodeLayout(&pb.Layout{Entries: []*pb.Entry{{}}})
			return err
		},
		"value kind, received": func() error {
			_, err := DecodeLayout(&pb.Layout{Env: []*pb.EnvOp{{Value: &pb.Value{}}}})
			return err
		},
		"choice, received": func() error {
			_, err := DecodeDescriptor(&pb.Descriptor{Rewrite: 99})
			return err
		},
		"negative choice, received": func() error {
			_, err := DecodeDescriptor(&pb.Descriptor{Rewrite: -1})
			return err
		},
		"field at the top": func() error {
			m := &pb.Layout{}
			withField(m)
			_, err := DecodeLayout(m)
			return err
		},
		"field deep inside": func() error {
			m, v := deep()
			withField(v)
			_, err := DecodeLayout(m)
			return err
		},
		"field of a request": func() error {
			m := &pb.Request{Target: &pb.Target{}}
			withField(m.Target)
			_, err := DecodeRequest(m)
			return err
		},
	}
	for name, try := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want *UnknownError
			if err := try(); !errors.As(err, &want) {
				t.Fatalf("got %v", err)
			}
		})
	}
	m, _ := deep()
	if _, err := DecodeLayout(m); err != nil {
		t.Fatalf("without the unknown field: %v", err)
	}
}
