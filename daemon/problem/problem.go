package problem

import "errors"

// Code names a problem for programs. A Code is an error too, so that errors.Is finds it.
type Code string

func (c Code) Error() string { return string(c) }

// The codes. Those of plans and agents are the ones that their API answers with.
const (
	InvalidPlan    Code = "invalid_model_plan"
	PlanNotFound   Code = "model_plan_not_found"
	PlanConflict   Code = "model_plan_conflict"
	PlanReferenced Code = "model_plan_referenced"
	// PlanUnusable: the plan is there, and cannot be used: disabled, of another protocol, without the model that was asked
	// for.
	PlanUnusable Code = "model_plan_unusable"
	// AccessRevoked: a session was bound to a plan that has been disabled or deleted since.
	AccessRevoked Code = "model_plan_access_revoked"
	// Unreadable: a credential that is stored cannot be opened with any key there is.
	Unreadable Code = "credential_unreadable"

	InvalidAgent   Code = "invalid_workspace_agent"
	AgentNotFound  Code = "workspace_agent_not_found"
	AgentConflict  Code = "workspace_agent_conflict"
	NoDependency   Code = "workspace_agent_dependency_not_found"
	HarnessOff     Code = "workspace_agent_harness_disabled"
	AgentPlanWrong Code = "workspace_agent_plan_unusable"

	InvalidAcceptance Code = "invalid_acceptance_request"
	SessionNotFound   Code = "agent_session_not_found"
	SessionConflict   Code = "agent_session_conflict"
	// SwapFailed: a session could not be moved to the newer revision of its plan before a turn, and has what it had. The turn
	// was not begun, and the next one tries again.
	SwapFailed Code = "agent_session_swap_failed"

	// Storage: the store or the key file cannot be read or written.
	Storage Code = "storage_failed"
)

// Error is one problem.
type Error struct {
	Code  Code
	Field string // as the API spells it, "" when it is about no field
	// Detail says what is wrong, and begins in a way that can stand behind the field.
	Detail string
	Hint   string // how to mend it, "" when there is nothing to add
	Cause  error  // for errors.Is and As; never shown
	// Retryable says that the same may go well when it is done again, without anything being mended first by whoever asks.
	Retryable bool
}

func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + " " + e.Detail
	}
	return e.Detail
}

// Is says whether target is the code.
func (e *Error) Is(target error) bool { c, ok := target.(Code); return ok && c == e.Code }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }

// New is a problem.
func New(code Code, field, detail string) *Error {
	return &Error{Code: code, Field: field, Detail: detail}
}

// Wrap is a problem with a cause, which is not shown.
func Wrap(cause error, code Code, detail string) *Error {
	return &Error{Code: code, Detail: detail, Cause: cause}
}

// WithHint adds how to mend it.
func (e *Error) WithHint(hint string) *Error { e.Hint = hint; return e }

// Again marks it as one that may be gone the next time.
func (e *Error) Again() *Error { e.Retryable = true; return e }

// CodeOf is the code of an error, "" for none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}
