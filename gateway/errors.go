package gateway

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/greenroom-agents/greenroom/gateway/responses"
	"github.com/greenroom-agents/greenroom/gateway/translate"
)

// Causes for which a running request is ended. They travel as the cause of its context.
var (
	errRevoked    = errors.New("gateway: the route was revoked")
	errClosing    = errors.New("gateway: the gateway is closing")
	errIdle       = errors.New("gateway: the upstream stood still")
	errFinished   = errors.New("gateway: the upstream finished and did not end")
	errClientGone = errors.New("gateway: the client took nothing any more")

	errBadToken = errors.New("gateway: the token is not good")
	errBusy     = errors.New("gateway: too many requests")
)

// Codes that the gateway itself gives, beside those of package translate.
const (
	codeInvalidToken   = "invalid_api_key"
	codeNotFound       = "not_found"
	codeMethod         = "method_not_allowed"
	codeForbidden      = "forbidden"
	codeTooLarge       = "request_too_large"
	codeEncoding       = "unsupported_content_encoding"
	codeBodyTimeout    = "request_timeout"
	codeBusy           = "rate_limit_exceeded"
	codeModelNotFound  = "model_not_found"
	codeRevoked        = "route_revoked"
	codeClosing        = "gateway_closed"
	codeTimeout        = "upstream_timeout"
	codeResponseTooBig = "response_too_large"
	codeInternal       = "gateway_error"
)

func refusal(status int, code, message string) *responses.Error {
	kind := responses.TypeInvalidRequest
	if status >= 500 {
		kind = responses.TypeServer
	}
	return &responses.Error{Status: status, Type: kind, Code: code, Message: message}
}

func errToken() *responses.Error {
	return refusal(http.StatusUnauthorized, codeInvalidToken, "Invalid model gateway token")
}

func errTooLarge() *responses.Error {
	// 413 would make an agent send the same request again.
	return refusal(http.StatusBadRequest, codeTooLarge, "The request is larger than the gateway takes")
}

func errTooMany() *responses.Error {
	e := refusal(http.StatusTooManyRequests, codeBusy, "Too many requests are running. Please try again in 1s.")
	e.RetryAfter = "1"
	return e
}

func errInternal() *responses.Error {
	return refusal(http.StatusBadGateway, codeInternal, "The gateway failed on this request")
}

// ended gives the error for a request whose context is over, nil if the client itself went away.
func ended(ctx context.Context) *responses.Error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errRevoked):
		return refusal(http.StatusServiceUnavailable, codeRevoked, "The session's route was revoked")
	case errors.Is(cause, errClosing):
		return refusal(http.StatusServiceUnavailable, codeClosing, "The gateway is closing")
	case errors.Is(cause, errIdle):
		return refusal(http.StatusGatewayTimeout, codeTimeout, "The upstream sent nothing for too long")
	}
	return nil
}

// writeError answers with an error. Nothing may have been written before.
func writeError(w http.ResponseWriter, e *responses.Error) { writeErrorBody(w, e, e.AppendJSON(nil)) }

// writeErrorBody answers with an error in another form than the usual one.
func writeErrorBody(w http.ResponseWriter, e *responses.Error, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if e.RetryAfter != "" {
		h.Set("Retry-After", e.RetryAfter)
	}
	if e.UpstreamStatus != 0 {
		h.Set("X-Upstream-Status", strconv.Itoa(e.UpstreamStatus))
	}
	if e.Status == http.StatusUnauthorized && e.UpstreamStatus == 0 {
		h.Set("WWW-Authenticate", "Bearer")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(e.Status)
	_, _ = w.Write(body)
}

// transportError says why the upstream could not be asked, without its name.
func transportError(err error) *responses.Error {
	kind := translate.Unreachable
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		kind = translate.Timeout
	}
	return translate.TransportError(kind)
}
