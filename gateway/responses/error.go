package responses

import (
	"strconv"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
)

// Error types and codes that this package and its users give.
const (
	TypeInvalidRequest = "invalid_request_error"
	TypeServer         = "server_error"
	// TypeAuthentication is given where the upstream does not take the credential, and nowhere else.
	TypeAuthentication = "authentication_error"

	CodeInvalidRequest       = "invalid_request"
	CodeUnsupportedParameter = "unsupported_parameter"
	CodeUnsupportedValue     = "unsupported_value"
	CodeMissingParameter     = "missing_required_parameter"
)

// Error is an error in the form that the client reads. It never holds a credential or the upstream's address.
type Error struct {
	// Status is the HTTP status to answer with while nothing was sent yet.
	Status int
	// Message, Type, Param and Code are the four fields of the body; Param and Code are null when empty.
	Message, Type, Param, Code string
	// RetryAfter is the value of the Retry-After header, "" for none.
	RetryAfter string
	// UpstreamStatus is the status the upstream answered with, 0 if the upstream did not answer.
	UpstreamStatus int
}

// Error says what is wrong, with the parameter if one is known.
func (e *Error) Error() string {
	if e.Param != "" {
		return e.Message + " (" + e.Param + ")"
	}
	return e.Message
}

// AppendJSON appends the body of the error.
func (e *Error) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"error":{"message":`...)
	dst = rawjson.AppendString(dst, e.Message)
	dst = append(dst, `,"type":`...)
	dst = rawjson.AppendString(dst, e.Type)
	dst = append(dst, `,"param":`...)
	dst = appendStringOrNull(dst, e.Param)
	dst = append(dst, `,"code":`...)
	dst = appendStringOrNull(dst, e.Code)
	return append(dst, "}}"...)
}

// Invalid is the error for a request that says something wrong.
func Invalid(code, param, message string) *Error {
	return &Error{Status: 400, Type: TypeInvalidRequest, Code: code, Param: param, Message: message}
}

// InvalidItem is the error for one item of input.
func InvalidItem(index int, message string) *Error {
	return Invalid(CodeUnsupportedValue, "input["+strconv.Itoa(index)+"]", message)
}

func appendStringOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return rawjson.AppendString(dst, s)
}
