package protocol

import (
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
)

func (e *encoder) env(v preparer.EnvOp) *pb.EnvOp {
	return &pb.EnvOp{
		Name:      v.Name,
		Op:        toEnum[pb.EnvKind](e, "change of the environment", envKinds(), v.Op),
		Value:     e.optional(v.Value),
		Items:     texts(v.Items),
		Separator: v.Separator,
	}
}

func (d *decoder) env(m *pb.EnvOp) preparer.EnvOp {
	return preparer.EnvOp{
		Name:      m.GetName(),
		Op:        fromEnum(d, "change of the environment", envKinds(), m.GetOp()),
		Value:     d.optional(m.GetValue()),
		Items:     texts(m.GetItems()),
		Separator: m.GetSeparator(),
	}
}

func (e *encoder) launch(v preparer.Launch) *pb.Launch {
	return &pb.Launch{
		Before:      e.body(v.Before),
		After:       e.body(v.After),
		FirstPrompt: e.body(v.FirstPrompt),
		Actions: each(v.Actions, func(a preparer.Action) *pb.Action {
			return &pb.Action{
				Kind: toEnum[pb.ActionKind](e, "action", actionKinds(), a.Kind), At: e.place(a.At), Marker: a.Marker,
			}
		}),
		Strip: texts(v.Strip),
	}
}

func (d *decoder) launch(m *pb.Launch) preparer.Launch {
	return preparer.Launch{
		Before:      d.body(m.GetBefore()),
		After:       d.body(m.GetAfter()),
		FirstPrompt: d.body(m.GetFirstPrompt()),
		Actions: each(m.GetActions(), func(a *pb.Action) preparer.Action {
			return preparer.Action{
				Kind: fromEnum(d, "action", actionKinds(), a.GetKind()), At: d.place(a.GetAt()), Marker: a.GetMarker(),
			}
		}),
		Strip: texts(m.GetStrip()),
	}
}

func (e *encoder) diagnostic(v preparer.Diagnostic) *pb.Diagnostic {
	return &pb.Diagnostic{
		Severity: toEnum[pb.Severity](e, "severity", severities(), v.Severity), Code: v.Code, Text: v.Text, Hint: v.Hint,
	}
}

func (d *decoder) diagnostic(m *pb.Diagnostic) preparer.Diagnostic {
	return preparer.Diagnostic{
		Severity: fromEnum(d, "severity", severities(), m.GetSeverity()), Code: m.GetCode(), Text: m.GetText(), Hint: m.GetHint(),
	}
}
