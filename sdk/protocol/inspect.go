package protocol

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// seal ends an encoding: the message, unless something was wrong with it.
func seal[M proto.Message](m M, err error) (M, error) {
	if err == nil {
		err = inspect(m)
	}
	if err != nil {
		var none M
		return none, err
	}
	return m, nil
}

// inspect refuses a message that is missing, too large, or that holds unknown fields or text that is not UTF-8 anywhere
// in its tree.
func inspect(m proto.Message) error {
	r := m.ProtoReflect()
	if !r.IsValid() {
		return &InvalidError{What: "the message is missing"}
	}
	if proto.Size(m) > MaxMessage {
		return &LimitError{What: "bytes of " + string(r.Descriptor().FullName()), Limit: MaxMessage}
	}
	return walk(r)
}

// known refuses unknown fields of the message itself.
func known(m protoreflect.Message) error {
	raw := m.GetUnknown()
	if len(raw) == 0 {
		return nil
	}
	what := "fields"
	if n, _, size := protowire.ConsumeTag(raw); size > 0 {
		what = "field " + strconv.Itoa(int(n))
	}
	return &UnknownError{What: fmt.Sprintf("%s of %s", what, m.Descriptor().FullName())}
}

func walk(m protoreflect.Message) error {
	if err := known(m); err != nil {
		return err
	}
	var err error
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if !f.IsList() {
			err = walkValue(f, v)
			return err == nil
		}
		list := v.List()
		for i := 0; i < list.Len() && err == nil; i++ {
			err = walkValue(f, list.Get(i))
		}
		return err == nil
	})
	return err
}

func walkValue(f protoreflect.FieldDescriptor, v protoreflect.Value) error {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return walk(v.Message())
	case protoreflect.StringKind:
		if !utf8.ValidString(v.String()) {
			return &InvalidError{What: fmt.Sprintf("text that is not UTF-8 in %s", f.FullName())}
		}
	}
	return nil
}
