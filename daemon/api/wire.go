package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/api/wire"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// Problem is a problem as it is told (RFC 9457).
type Problem struct {
	Type       string           `json:"type"`
	Title      string           `json:"title"`
	Status     int              `json:"status"`
	Code       string           `json:"code"`
	Detail     string           `json:"detail"`
	Field      string           `json:"field,omitempty"`
	Hint       string           `json:"hint,omitempty"`
	References []plan.Reference `json:"references,omitempty"`
}

func (p *Problem) Error() string { return p.Detail }

func refused(status int, code, detail string) *Problem {
	return &Problem{Status: status, Code: code, Detail: detail}
}

var statuses = map[problem.Code]int{
	problem.InvalidPlan: 400, problem.InvalidAgent: 400, problem.InvalidAcceptance: 400,
	problem.PlanNotFound: 404, problem.AgentNotFound: 404, problem.NoDependency: 404, problem.SessionNotFound: 404,
	problem.PlanReferenced: 409, problem.PlanUnusable: 409, problem.AgentPlanWrong: 409, problem.HarnessOff: 409,
	problem.Unreadable: 409, problem.SessionConflict: 409, problem.AccessRevoked: 409,
	problem.PlanConflict: 412, problem.AgentConflict: 412,
}

// StatusOf is the status that a problem is answered with.
func StatusOf(err error) int {
	if status, ok := statuses[problem.CodeOf(err)]; ok {
		return status
	}
	return http.StatusBadGateway
}

// writeProblem tells a problem. What is not known of an error is not told.
func writeProblem(w http.ResponseWriter, err error) {
	p, ok := errors.AsType[*Problem](err)
	if !ok {
		p = &Problem{Status: StatusOf(err), Code: "operation_failed", Detail: "the operation failed"}
		if e, ok := errors.AsType[*problem.Error](err); ok {
			p.Code, p.Detail, p.Field, p.Hint = string(e.Code), e.Error(), e.Field, e.Hint
		} else if errors.Is(err, context.Canceled) {
			p.Status, p.Code, p.Detail = 499, "cancelled", "the client went away"
		}
		if r, ok := errors.AsType[*store.Referenced](err); ok {
			p.References = r.References
		}
	}
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	data, err := json.Marshal(p)
	if err != nil {
		data = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(data, '\n'))
}

func answer(w http.ResponseWriter, status int, value any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
	return nil
}

// read reads a body, in which nothing is unknown. invalid is the code of what is wrong with it. With optional an empty one
// is fine.
func read(r *http.Request, invalid problem.Code, optional bool, into any) error {
	bad := func(detail string) error { return refused(http.StatusBadRequest, string(invalid), detail) }
	data, err := io.ReadAll(r.Body)
	if err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return refused(http.StatusRequestEntityTooLarge, "body_too_large", "the body is larger than 4 MiB")
		}
		return bad("the body cannot be read")
	}
	if optional && len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if first := bytes.TrimSpace(data); len(first) == 0 || first[0] != '{' {
		return bad("the body is no JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		// The words of the decoder hold no values but names of fields.
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return bad("the body has a field of another type: " + e.Field)
		}
		if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return bad("the body has a field that is unknown: " + field)
		}
		return bad("the body is no JSON of this form")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return bad("the body goes on behind its object")
	}
	return nil
}

// revision is the one that a change was made from, by If-Match.
func revision(ifMatch string) (int64, error) {
	text := strings.TrimSpace(ifMatch)
	if text == "*" {
		return store.AnyRevision, nil
	}
	if text == "" {
		return 0, noPrecondition()
	}
	n, err := strconv.ParseInt(strings.Trim(strings.TrimPrefix(text, "W/"), `"`), 10, 64)
	if err != nil || n < 1 {
		return 0, noETag()
	}
	return n, nil
}

func noPrecondition() error {
	return &Problem{
		Status: http.StatusPreconditionRequired, Code: "precondition_required", Detail: "the change does not say from which revision it was made",
		Hint: "send If-Match with the ETag that you read, or * to change it whatever it is",
	}
}

func noETag() error {
	return refused(http.StatusPreconditionFailed, "precondition_failed", "If-Match is none of the ETags that there are")
}

// misdirected answers what the generated server refuses, before an operation is called: a path parameter is any text, so
// that it is the precondition.
func misdirected(w http.ResponseWriter, _ *http.Request, err error) {
	if errors.As(err, new(*wire.RequiredHeaderError)) {
		writeProblem(w, noPrecondition())
		return
	}
	writeProblem(w, noETag())
}

func etag(w http.ResponseWriter, revision int64) {
	w.Header().Set("ETag", `"`+strconv.FormatInt(revision, 10)+`"`)
}
