package protocol

import (
	"fmt"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
)

// EncodeLayout makes a message of a layout.
func EncodeLayout(v *preparer.Layout) (*pb.Layout, error) {
	if v == nil {
		return nil, &InvalidError{What: "the layout is missing"}
	}
	var e encoder
	m := &pb.Layout{
		Entries:     each(v.Entries, e.entry),
		Env:         each(v.Env, e.env),
		Launch:      e.launch(v.Launch),
		Diagnostics: each(v.Diagnostics, e.diagnostic),
	}
	return seal(m, e.err)
}

// DecodeLayout is the layout of a message.
func DecodeLayout(m *pb.Layout) (*preparer.Layout, error) {
	if err := inspect(m); err != nil {
		return nil, err
	}
	var d decoder
	v := &preparer.Layout{
		Entries:     each(m.GetEntries(), d.entry),
		Env:         each(m.GetEnv(), d.env),
		Launch:      d.launch(m.GetLaunch()),
		Diagnostics: each(m.GetDiagnostics(), d.diagnostic),
	}
	if d.err != nil {
		return nil, d.err
	}
	return v, nil
}

func (e *encoder) entry(v preparer.Entry) *pb.Entry {
	m := &pb.Entry{}
	switch v := v.(type) {
	case preparer.Dir:
		m.Kind = &pb.Entry_Dir{Dir: &pb.Dir{Scratch: v.Scratch}}
	case preparer.File:
		m.Kind = &pb.Entry_File{File: &pb.File{Body: e.body(v.Body), Executable: v.Executable, Named: pathName(v.Named)}}
	case preparer.TypedDocument:
		m.Kind = &pb.Entry_Document{Document: &pb.TypedDocument{
			Format: e.format(v.Format), Root: &pb.Object{Fields: e.fields(v.Root)},
		}}
	case preparer.Merge:
		m.Kind = &pb.Entry_Merge{Merge: &pb.Merge{
			Format: e.format(v.Format), Base: each(v.Base, e.base), Edits: each(v.Edits, e.edit),
		}}
	case preparer.Block:
		m.Kind = &pb.Entry_Block{Block: &pb.Block{Base: each(v.Base, e.base), Body: e.body(v.Body), Lead: e.body(v.Lead)}}
	case preparer.Link:
		m.Kind = &pb.Entry_Link{Link: &pb.Link{To: e.place(v.To)}}
	case preparer.Copy:
		m.Kind = &pb.Entry_Copy{Copy: &pb.Copy{Input: v.Input}}
	case preparer.Expose:
		x := &pb.Expose{Input: v.Input, Except: texts(v.Except), Copy: v.Copy}
		if v.Only != nil {
			x.Only = &pb.Names{Names: texts(v.Only)}
		}
		m.Kind = &pb.Entry_Expose{Expose: x}
	case preparer.Share:
		m.Kind = &pb.Entry_Share{Share: &pb.Share{From: e.location(v.From), Make: v.Make}}
	case preparer.Login:
		m.Kind = &pb.Entry_Login{Login: &pb.Login{Input: v.Input, Json: v.JSON, Fresher: e.optionalKey(v.Fresher), Lock: v.Lock}}
	case preparer.PlaceSkills:
		m.Kind = &pb.Entry_Skills{Skills: &pb.PlaceSkills{Reserve: texts(v.Reserve), Copy: v.Copy, Keep: v.Keep}}
	case preparer.Check:
		m.Kind = &pb.Entry_Check{Check: &pb.Check{
			Kind: toEnum[pb.CheckKind](e, "kind of check", checkKinds(), v.Kind), Keys: each(v.Keys, e.key),
		}}
	case nil:
		e.fail(&InvalidError{What: "an entry is missing"})
		return nil
	default:
		e.fail(&UnknownError{What: fmt.Sprintf("kind of entry %T", v)})
		return nil
	}
	m.At = e.place(v.Place())
	return m
}

func (d *decoder) entry(m *pb.Entry) preparer.Entry {
	at := d.place(m.GetAt())
	switch k := m.GetKind().(type) {
	case *pb.Entry_Dir:
		return preparer.Dir{At: at, Scratch: k.Dir.GetScratch()}
	case *pb.Entry_File:
		return preparer.File{At: at, Body: d.body(k.File.GetBody()), Executable: k.File.GetExecutable(), Named: d.pathName(k.File.GetNamed())}
	case *pb.Entry_Document:
		return preparer.TypedDocument{
			At: at, Format: d.format(k.Document.GetFormat()), Root: d.fields(k.Document.GetRoot().GetFields()),
		}
	case *pb.Entry_Merge:
		return preparer.Merge{
			At: at, Format: d.format(k.Merge.GetFormat()), Base: each(k.Merge.GetBase(), d.base),
			Edits: each(k.Merge.GetEdits(), d.edit),
		}
	case *pb.Entry_Block:
		return preparer.Block{At: at, Base: each(k.Block.GetBase(), d.base), Body: d.body(k.Block.GetBody()), Lead: d.body(k.Block.GetLead())}
	case *pb.Entry_Link:
		return preparer.Link{At: at, To: d.place(k.Link.GetTo())}
	case *pb.Entry_Copy:
		return preparer.Copy{At: at, Input: k.Copy.GetInput()}
	case *pb.Entry_Expose:
		x := preparer.Expose{At: at, Input: k.Expose.GetInput(), Except: texts(k.Expose.GetExcept()), Copy: k.Expose.GetCopy()}
		if only := k.Expose.GetOnly(); only != nil {
			x.Only = append([]string{}, only.GetNames()...)
		}
		return x
	case *pb.Entry_Share:
		return preparer.Share{At: at, From: d.location(k.Share.GetFrom()), Make: k.Share.GetMake()}
	case *pb.Entry_Login:
		return preparer.Login{At: at, Input: k.Login.GetInput(), JSON: k.Login.GetJson(), Fresher: d.key(k.Login.GetFresher()),
			Lock: k.Login.GetLock()}
	case *pb.Entry_Skills:
		return preparer.PlaceSkills{
			At: at, Reserve: texts(k.Skills.GetReserve()), Copy: k.Skills.GetCopy(), Keep: k.Skills.GetKeep(),
		}
	case *pb.Entry_Check:
		return preparer.Check{
			At: at, Kind: fromEnum(d, "kind of check", checkKinds(), k.Check.GetKind()), Keys: each(k.Check.GetKeys(), d.key),
		}
	}
	d.fail(&UnknownError{What: "kind of entry"})
	return nil
}

func (e *encoder) base(b preparer.Base) *pb.Base {
	return &pb.Base{Kind: toEnum[pb.BaseKind](e, "kind of base", baseKinds(), b.Kind), Input: b.Input}
}

func (d *decoder) base(m *pb.Base) preparer.Base {
	return preparer.Base{Kind: fromEnum(d, "kind of base", baseKinds(), m.GetKind()), Input: m.GetInput()}
}

func pathName(v *preparer.PathName) *pb.PathName {
	if v == nil {
		return nil
	}
	return &pb.PathName{Prefix: v.Prefix, Slug: int64(v.Slug), Digest: int64(v.Digest)}
}

func (d *decoder) pathName(m *pb.PathName) *preparer.PathName {
	if m == nil {
		return nil
	}
	return &preparer.PathName{Prefix: m.GetPrefix(), Slug: d.number(m.GetSlug()), Digest: d.number(m.GetDigest())}
}

func (e *encoder) edit(v preparer.Edit) *pb.Edit {
	return &pb.Edit{
		Op:     toEnum[pb.EditOp](e, "edit", editOps(), v.Op),
		Path:   e.key(v.Path),
		Value:  e.optional(v.Value),
		Items:  e.body(v.Items),
		Names:  texts(v.Names),
		List:   toEnum[pb.ListKind](e, "kind of list", listKinds(), v.List),
		Head:   v.Head,
		Unique: v.Unique,
		Home:   v.Home,
		Target: v.Target,
		At:     e.optionalPlace(v.At),
	}
}

func (d *decoder) edit(m *pb.Edit) preparer.Edit {
	return preparer.Edit{
		Op:     fromEnum(d, "edit", editOps(), m.GetOp()),
		Path:   d.key(m.GetPath()),
		Value:  d.optional(m.GetValue()),
		Items:  d.body(m.GetItems()),
		Names:  texts(m.GetNames()),
		List:   fromEnum(d, "kind of list", listKinds(), m.GetList()),
		Head:   m.GetHead(),
		Unique: m.GetUnique(),
		Home:   m.GetHome(),
		Target: m.GetTarget(),
		At:     d.place(m.GetAt()),
	}
}
