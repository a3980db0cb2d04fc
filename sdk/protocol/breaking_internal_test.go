package protocol

import (
	"fmt"
	"os"
	"strings"
	"testing"

	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// TestContractOnlyGrows compares the contract with testdata/v1.binpb, the image of the last release, which is
// replaced by preparer.binpb when a release is made and at no other time.
func TestContractOnlyGrows(t *testing.T) {
	t.Parallel()
	baseline := readImage(t, "testdata/v1.binpb")
	current := protodesc.ToFileDescriptorProto(pb.File_greenroom_preparer_v1_preparer_proto)
	for _, what := range broken(baseline, current) {
		t.Error(what)
	}
	if image := readImage(t, "preparer.binpb"); !proto.Equal(image, current) {
		t.Error("preparer.binpb is not the image of the generated code")
	}
}

func readImage(t *testing.T, path string) *descriptorpb.FileDescriptorProto {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(raw, &set); err != nil {
		t.Fatal(err)
	}
	return set.File[0]
}

// broken lists what of the old contract the new one does not keep.
func broken(before, after *descriptorpb.FileDescriptorProto) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if before.GetPackage() != after.GetPackage() {
		say("package %s became %s", before.GetPackage(), after.GetPackage())
	}
	was, is := flatten(before), flatten(after)
	for name, then := range was {
		switch now, ok := is[name]; {
		case !ok:
			say("%s is gone", name)
		case now != then:
			say("%s was %s and is %s", name, then, now)
		}
	}
	return out
}

// flatten maps everything that is on the wire, and every name that an author may have used, to what it is.
func flatten(f *descriptorpb.FileDescriptorProto) map[string]string {
	out := map[string]string{}
	var message func(prefix string, m *descriptorpb.DescriptorProto)
	enum := func(prefix string, e *descriptorpb.EnumDescriptorProto) {
		for _, v := range e.Value {
			out[prefix+e.GetName()+"."+v.GetName()] = fmt.Sprint(v.GetNumber())
		}
	}
	message = func(prefix string, m *descriptorpb.DescriptorProto) {
		name := prefix + m.GetName()
		out[name] = "message"
		for _, x := range m.Field {
			one := ""
			if x.OneofIndex != nil {
				one = " in " + m.OneofDecl[x.GetOneofIndex()].GetName()
			}
			out[name+"."+x.GetName()] = fmt.Sprintf("%d %s %s %s%s", x.GetNumber(), x.GetLabel(), x.GetType(), x.GetTypeName(), one)
		}
		for _, n := range m.NestedType {
			message(name+".", n)
		}
		for _, e := range m.EnumType {
			enum(name+".", e)
		}
	}
	for _, m := range f.MessageType {
		message("", m)
	}
	for _, e := range f.EnumType {
		enum("", e)
	}
	for _, s := range f.Service {
		for _, m := range s.Method {
			out[s.GetName()+"."+m.GetName()] = fmt.Sprint(m.GetInputType(), m.GetOutputType(),
				m.GetClientStreaming(), m.GetServerStreaming())
		}
	}
	return out
}

func TestBrokenSeesEachKindOfBreak(t *testing.T) {
	t.Parallel()
	field := func(f *descriptorpb.FileDescriptorProto) *descriptorpb.FieldDescriptorProto {
		return f.MessageType[len(f.MessageType)-1].Field[0]
	}
	cases := map[string]struct {
		change func(*descriptorpb.FileDescriptorProto)
		want   string
	}{
		"field removed":    {func(f *descriptorpb.FileDescriptorProto) { f.MessageType[len(f.MessageType)-1].Field = nil }, "is gone"},
		"field renumbered": {func(f *descriptorpb.FileDescriptorProto) { field(f).Number = proto.Int32(77) }, "was 1"},
		"field retyped": {func(f *descriptorpb.FileDescriptorProto) {
			field(f).Type = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum()
		}, "TYPE_BYTES"},
		"field renamed":      {func(f *descriptorpb.FileDescriptorProto) { field(f).Name = proto.String("other") }, "is gone"},
		"message removed":    {func(f *descriptorpb.FileDescriptorProto) { f.MessageType = f.MessageType[:len(f.MessageType)-1] }, "is gone"},
		"enum value removed": {func(f *descriptorpb.FileDescriptorProto) { f.EnumType[0].Value = f.EnumType[0].Value[:1] }, "is gone"},
		"call removed":       {func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method = f.Service[0].Method[:1] }, "is gone"},
		"package renamed":    {func(f *descriptorpb.FileDescriptorProto) { f.Package = proto.String("x") }, "package"},
		"enum value added": {func(f *descriptorpb.FileDescriptorProto) {
			f.EnumType[0].Value = append(f.EnumType[0].Value, &descriptorpb.EnumValueDescriptorProto{Name: proto.String("NEW"), Number: proto.Int32(99)})
		}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := readImage(t, "preparer.binpb")
			after := proto.Clone(before).(*descriptorpb.FileDescriptorProto)
			c.change(after)
			have := strings.Join(broken(before, after), "\n")
			if c.want == "" && have != "" || !strings.Contains(have, c.want) {
				t.Fatalf("got %q, want %q", have, c.want)
			}
		})
	}
}
