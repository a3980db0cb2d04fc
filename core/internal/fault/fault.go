package fault

import (
	"errors"
	"strings"
)

// Code is a stable class of error. It is an error itself, so that errors.Is(err, fault.Busy) works.
type Code string

// The codes. Their meaning is part of the public contract; see the core package.
const (
	Invalid          Code = "invalid_input"
	CwdMissing       Code = "cwd_not_directory"
	UnknownProvider  Code = "unknown_provider"
	Busy             Code = "busy"
	Running          Code = "running"
	Poisoned         Code = "poisoned"
	Deadline         Code = "deadline"
	Refused          Code = "adapter_refused"
	AdapterMissing   Code = "adapter_missing"
	AdapterDigest    Code = "adapter_digest_mismatch"
	AdapterProtocol  Code = "plugin_protocol_mismatch"
	AdapterHandshake Code = "plugin_handshake"
	AdapterTimeout   Code = "plugin_timeout"
	AdapterCrashed   Code = "plugin_crashed"
	AdapterFailed    Code = "plugin_failed" // crashed three times in a row
	AdapterFault     Code = "plugin_fault"  // answered something that is no answer
	AdapterLimit     Code = "plugin_limit"  // message too large
	LayoutRefused    Code = "layout_refused"
	Unparsable       Code = "config_unparsable"
	ConfigDependency Code = "config_dependency"
	Unreadable       Code = "input_unreadable"
	NotRegular       Code = "not_regular"
	LinkRefused      Code = "link_refused"
	Conflict         Code = "workspace_conflict"
	LoginConflict    Code = "login_conflict"
	InputsChanged    Code = "inputs_changing"
	CheckFailed      Code = "check_failed"
	StateWrite       Code = "state_unwritable"
	StateFull        Code = "state_full"
	Corrupt          Code = "corrupt_manifest"
	UnknownSchema    Code = "unknown_schema"
	SessionMismatch  Code = "session_mismatch"
	NotFound         Code = "session_not_found"
	Incomplete       Code = "session_incomplete"
	ClientMissing    Code = "client_missing"
	Closed           Code = "host_closed"
	CatalogFailed    Code = "catalog_failed"
	// CommandUnavailable is that of a command which a projection requires or a session asks for, and does not have.
	CommandUnavailable    Code = "command_unavailable"
	ProjectionUnavailable Code = "projection_unavailable"
	Profile               Code = "profile_refused"
	Snapshot              Code = "client_skills_refused"
	Handshake             Code = "handshake_failed"
	SkillsMissing         Code = "skills_missing"
	// Transcript is that of a conversation which cannot be brought into a session.
	Transcript Code = "transcript_refused"
	// Artefact is that of a program which a session needs and which cannot be had as it was pinned.
	Artefact          Code = "artefact_refused"
	ClientBlocked     Code = "client_blocked"
	ClientEnded       Code = "client_ended"
	ClientFault       Code = "client_fault"
	ClientChanged     Code = "client_changed"
	ClientUnsupported Code = "client_unsupported"
	LoginRequired     Code = "login_required"
	CredentialRefused Code = "credential_refused"
	// The codes of signed releases: extension packages and adapters.
	Untrusted    Code = "untrusted"            // signed by nobody who may sign it
	Tampered     Code = "release_tampered"     // the bytes are not the ones that were signed
	Revoked      Code = "release_revoked"      // the key or the release was revoked
	Expired      Code = "release_expired"      // the release is past its time
	Downgrade    Code = "release_downgrade"    // older than what was there before
	Incompatible Code = "release_incompatible" // for another version of the host
	PackageRules Code = "package_refused"      // the package breaks a rule of its format
	NotInstalled Code = "release_not_found"    // no such release is installed
	TrustPolicy  Code = "trust_policy_refused" // the trust policy cannot be used
	Internal     Code = "internal"
)

func (c Code) Error() string { return strings.ReplaceAll(string(c), "_", " ") }

// Error is an error of core.
type Error struct {
	Code    Code
	Op      string // what was being done, e.g. "prepare", "read input"
	Subject string // to what, by label, e.g. "home:codex/config.toml"
	Detail  string // what is wrong, lower case
	Hint    string // how to mend it; not part of the message
	Err     error  // cause; its text is not shown, since it may name a path
}

// New makes an Error.
func New(code Code, op, subject, detail string) *Error {
	return &Error{Code: code, Op: op, Subject: subject, Detail: detail}
}

// Wrap makes an Error with a cause.
func Wrap(err error, code Code, op, subject, detail string) *Error {
	return &Error{Code: code, Op: op, Subject: subject, Detail: detail, Err: err}
}

// WithHint sets the hint and returns e.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

func (e *Error) Error() string {
	var b strings.Builder
	for _, part := range []string{e.Op, e.Subject} {
		if part != "" {
			b.WriteString(part)
			b.WriteString(": ")
		}
	}
	if e.Detail != "" {
		b.WriteString(e.Detail)
	} else {
		b.WriteString(e.Code.Error())
	}
	return b.String()
}

// Unwrap gives the code and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.Err}
}

// CodeOf is the code of the outermost Error in the chain of err, Internal for an error of another type, "" for none.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
