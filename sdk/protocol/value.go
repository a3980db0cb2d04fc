package protocol

import (
	"fmt"
	"maps"
	"slices"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
)

// value encodes one that must be there.
func (e *encoder) value(v preparer.Value) *pb.Value {
	if !e.enter() {
		return nil
	}
	defer e.leave()
	switch v := v.(type) {
	case preparer.String:
		return &pb.Value{Kind: &pb.Value_String_{String_: string(v)}}
	case preparer.Bool:
		return &pb.Value{Kind: &pb.Value_Bool{Bool: bool(v)}}
	case preparer.Int:
		return &pb.Value{Kind: &pb.Value_Int{Int: int64(v)}}
	case preparer.Float:
		return &pb.Value{Kind: &pb.Value_Float{Float: float64(v)}}
	case preparer.List:
		return &pb.Value{Kind: &pb.Value_List{List: e.list(v)}}
	case preparer.Object:
		return &pb.Value{Kind: &pb.Value_Object{Object: &pb.Object{Fields: e.fields(v)}}}
	case preparer.Text:
		return &pb.Value{Kind: &pb.Value_Text{Text: &pb.Text{Document: v.Document, Section: v.Section}}}
	case preparer.PathValue:
		return &pb.Value{Kind: &pb.Value_Path{Path: e.place(v.Place)}}
	case preparer.InputPath:
		return &pb.Value{Kind: &pb.Value_InputPath{InputPath: &pb.InputPath{Input: v.Input}}}
	case preparer.SkillCatalog:
		return &pb.Value{Kind: &pb.Value_SkillCatalog{SkillCatalog: e.place(v.At)}}
	case preparer.Secret:
		return &pb.Value{Kind: &pb.Value_Secret{Secret: &pb.Secret{Name: v.Name}}}
	case preparer.Concat:
		return &pb.Value{Kind: &pb.Value_Concat{Concat: e.list(v)}}
	case preparer.Quoted:
		return &pb.Value{Kind: &pb.Value_Quoted{Quoted: &pb.Quoted{As: e.format(v.As), Value: e.value(v.Value)}}}
	case nil:
		e.fail(&InvalidError{What: "a value is missing"})
	default:
		e.fail(&UnknownError{What: fmt.Sprintf("kind of value %T", v)})
	}
	return nil
}

// optional encodes a value that may be missing.
func (e *encoder) optional(v preparer.Value) *pb.Value {
	if v == nil {
		return nil
	}
	return e.value(v)
}

func (e *encoder) list(items []preparer.Value) *pb.List { return &pb.List{Items: e.body(items)} }

func (e *encoder) body(items []preparer.Value) []*pb.Value { return each(items, e.value) }

func (e *encoder) fields(o map[string]preparer.Value) []*pb.Field {
	return each(slices.Sorted(maps.Keys(o)), func(k string) *pb.Field {
		return &pb.Field{Key: k, Value: e.value(o[k])}
	})
}

func (e *encoder) place(p preparer.Place) *pb.Place {
	return &pb.Place{Root: toEnum[pb.Root](e, "root", roots(), p.Root), Name: p.Name, Path: p.Path, Keys: p.Keys}
}

func (e *encoder) format(f preparer.Format) pb.Format {
	return toEnum[pb.Format](e, "format", formats(), f)
}

func (e *encoder) key(k preparer.KeyPath) *pb.KeyPath { return &pb.KeyPath{Segments: texts(k)} }

// optionalPlace encodes a place that may be missing.
func (e *encoder) optionalPlace(p preparer.Place) *pb.Place {
	if p == (preparer.Place{}) {
		return nil
	}
	return e.place(p)
}

// optionalKey encodes a key path that may be missing.
func (e *encoder) optionalKey(k preparer.KeyPath) *pb.KeyPath {
	if len(k) == 0 {
		return nil
	}
	return e.key(k)
}

// value decodes one that must be there.
func (d *decoder) value(m *pb.Value) preparer.Value {
	if !d.enter() {
		return nil
	}
	defer d.leave()
	switch k := m.GetKind().(type) {
	case *pb.Value_String_:
		return preparer.String(k.String_)
	case *pb.Value_Bool:
		return preparer.Bool(k.Bool)
	case *pb.Value_Int:
		return preparer.Int(k.Int)
	case *pb.Value_Float:
		return preparer.Float(k.Float)
	case *pb.Value_List:
		return preparer.List(d.body(k.List.GetItems()))
	case *pb.Value_Object:
		return preparer.Object(d.fields(k.Object.GetFields()))
	case *pb.Value_Text:
		return preparer.Text{Document: k.Text.GetDocument(), Section: k.Text.GetSection()}
	case *pb.Value_Path:
		return preparer.PathValue{Place: d.place(k.Path)}
	case *pb.Value_InputPath:
		return preparer.InputPath{Input: k.InputPath.GetInput()}
	case *pb.Value_SkillCatalog:
		return preparer.SkillCatalog{At: d.place(k.SkillCatalog)}
	case *pb.Value_Secret:
		return preparer.Secret{Name: k.Secret.GetName()}
	case *pb.Value_Concat:
		return preparer.Concat(d.body(k.Concat.GetItems()))
	case *pb.Value_Quoted:
		return preparer.Quoted{As: d.format(k.Quoted.GetAs()), Value: d.value(k.Quoted.GetValue())}
	}
	d.fail(&UnknownError{What: "kind of value"})
	return nil
}

// optional decodes a value that may be missing.
func (d *decoder) optional(m *pb.Value) preparer.Value {
	if m == nil {
		return nil
	}
	return d.value(m)
}

func (d *decoder) body(items []*pb.Value) []preparer.Value { return each(items, d.value) }

func (d *decoder) fields(in []*pb.Field) map[string]preparer.Value {
	return table(d, "key", in, (*pb.Field).GetKey, func(f *pb.Field) preparer.Value { return d.value(f.GetValue()) })
}

func (d *decoder) place(m *pb.Place) preparer.Place {
	return preparer.Place{
		Root: fromEnum(d, "root", roots(), m.GetRoot()), Name: m.GetName(), Path: m.GetPath(), Keys: m.GetKeys(),
	}
}

func (d *decoder) format(f pb.Format) preparer.Format { return fromEnum(d, "format", formats(), f) }

func (d *decoder) key(m *pb.KeyPath) preparer.KeyPath { return texts(m.GetSegments()) }
