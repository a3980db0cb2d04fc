package protocol

import (
	"errors"
	"strings"

	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
)

// encodeFault makes a message of an error that is no refusal. Errors of this package keep their type.
func encodeFault(err error) *pb.Fault {
	var (
		panicked *PanicError
		unknown  *UnknownError
		limit    *LimitError
		invalid  *InvalidError
	)
	switch {
	case errors.As(err, &panicked):
		return &pb.Fault{Kind: pb.FaultKind_FAULT_KIND_PANIC, Text: clip(panicked.Text)}
	case errors.As(err, &unknown):
		return &pb.Fault{Kind: pb.FaultKind_FAULT_KIND_UNKNOWN, Text: clip(unknown.What)}
	case errors.As(err, &limit):
		return &pb.Fault{Kind: pb.FaultKind_FAULT_KIND_LIMIT, Text: clip(limit.What), Limit: int64(limit.Limit)}
	case errors.As(err, &invalid):
		return &pb.Fault{Kind: pb.FaultKind_FAULT_KIND_INVALID, Text: clip(invalid.What)}
	}
	return &pb.Fault{Kind: pb.FaultKind_FAULT_KIND_ERROR, Text: clip(err.Error())}
}

func decodeFault(m *pb.Fault) error {
	if err := known(m.ProtoReflect()); err != nil {
		return err
	}
	switch m.GetKind() {
	case pb.FaultKind_FAULT_KIND_ERROR:
		return &FaultError{Text: clip(m.GetText())}
	case pb.FaultKind_FAULT_KIND_PANIC:
		return &PanicError{Text: clip(m.GetText())}
	case pb.FaultKind_FAULT_KIND_UNKNOWN:
		return &UnknownError{What: clip(m.GetText())}
	case pb.FaultKind_FAULT_KIND_LIMIT:
		return &LimitError{What: clip(m.GetText()), Limit: int(m.GetLimit())}
	case pb.FaultKind_FAULT_KIND_INVALID:
		return &InvalidError{What: clip(m.GetText())}
	}
	return &UnknownError{What: "kind of fault"}
}

// clip keeps the text of an error to a size that fits a log line, and to UTF-8.
func clip(s string) string {
	const most = 4 << 10
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
