package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/download"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/roster"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// failure is an error as a person is told it.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Retryable: the same may go well when it is done again.
	Retryable bool `json:"retryable,omitempty"`
	status    int
}

func (f *failure) Error() string { return f.Message }

// The codes of the tool itself, beside those of core.
const (
	codeUsage      = "usage"
	codeOther      = "failed"
	codeUnpinned   = "adapter_unpinned"
	codeNoAdapter  = "adapter_not_found"
	codeNoClient   = "client_not_found"
	codeNoSession  = "session_not_found"
	codeAmbiguous  = "session_ambiguous"
	codeNoHome     = "home_unknown"
	codePinFile    = "pin_file_invalid"
	codeInterrupt  = "interrupted"
	codeBadAdapter = "adapter_unreadable"
	codeNoKey      = "key_missing"
	codeOpenKey    = "key_open_to_others"
	codeExists     = "file_exists"
	codeUnwritable = "file_unwritable"
	codeUnreadable = "file_unreadable"
	codeServed     = "data_served"
	codeStranger   = "daemon_not_yours"
	codeFetch      = "fetch_failed"
)

// usage is an invocation that cannot be meant.
func usage(hint, format string, args ...any) error {
	return &failure{Code: codeUsage, Message: fmt.Sprintf(format, args...), Hint: hint, status: exitUsage}
}

// refuse is a request that is understood and that cannot be served.
func refuse(code, hint, format string, args ...any) error {
	return &failure{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, status: exitRefused}
}

// exitStatus ends the program with a status and no message.
type exitStatus int

func (exitStatus) Error() string { return "exit status" }

// exit tells a person what went wrong, if anything did, and returns the exit status.
func (a *app) exit(err error) int {
	var status exitStatus
	if err == nil {
		return exitOK
	}
	if errors.As(err, &status) {
		return int(status)
	}
	f := explainFailure(err)
	if a.json {
		out, err := json.Marshal(map[string]*failure{"error": f})
		if err == nil {
			fmt.Fprintf(a.Stderr, "%s\n", out)
		}
		return f.status
	}
	fmt.Fprintf(a.Stderr, "%s %s %s\n", a.notes.Bad("greenroom:"), paint.Clean(f.Message), a.notes.Dim("["+f.Code+"]"))
	if f.Hint != "" {
		fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Accent("hint:"), paint.Clean(f.Hint))
	}
	return f.status
}

// hintFor is how to mend with this tool what core has no hint for.
func hintFor(code core.Code) string {
	switch code {
	case core.ErrUnparsable:
		return "mend that file; the client could not read it either"
	case core.ErrUnreadable:
		return "mend its owner and mode"
	case core.ErrStateWrite:
		return "mend the owner and mode of the directory, or name another one with --state"
	case core.ErrStateFull:
		return "make room on the disk, or name a directory on another one with --state"
	case core.ErrRunning:
		return "end the client first"
	case core.ErrBusy:
		return "try again when the other operation on it is done"
	case core.ErrCorrupt:
		return "take the session away with `greenroom cleanup SESSION --workspace ID`, or with --all"
	case core.ErrIncomplete:
		return "prepare the session again"
	case core.ErrAdapterDigest:
		return "if you exchanged it yourself, pin it anew with `greenroom adapters pin`"
	}
	return ""
}

func explainFailure(err error) *failure {
	var own *failure
	var theirs *core.Error
	var pins *roster.PinError
	var wrong *problem.Error
	var fetched *download.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &wrong):
		f := &failure{Code: string(wrong.Code), Message: wrong.Error(), Hint: wrong.Hint, Retryable: wrong.Retryable, status: exitRefused}
		switch wrong.Code {
		case problem.InvalidPlan, problem.InvalidAgent:
			f.status = exitUsage
		case problem.Storage, problem.SwapFailed:
			f.status = exitOther
		}
		return f
	case errors.As(err, &theirs):
		f := &failure{Code: string(theirs.Code), Message: theirs.Error(), Hint: cmp.Or(theirs.Hint, hintFor(theirs.Code)), status: exitRefused}
		if theirs.Code == core.ErrInternal {
			f.status = exitOther
		}
		return f
	case errors.As(err, &fetched):
		return &failure{Code: codeFetch, Message: fetched.Error(), Hint: fetched.Hint, status: exitRefused}
	case errors.As(err, &pins):
		return refuse(codePinFile, "if you trust the adapters beside it, write it anew with "+pinning(pins.Path), "%s", pins.Error()).(*failure)
	}
	return &failure{Code: codeOther, Message: err.Error(), status: exitOther}
}
