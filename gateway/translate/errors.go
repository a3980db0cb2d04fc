package translate

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// StatusMode says which HTTP status the client sees when the upstream refuses.
type StatusMode uint8

// The modes. Both answer 502 for 500, because agents hide the message of a 500, and 502 for a redirect.
const (
	// StatusPreserve keeps the upstream's 4xx.
	StatusPreserve StatusMode = iota
	// StatusAgent answers with statuses that make an agent stop or try again as the error deserves: what cannot get
	// better is a 400.
	StatusAgent
)

const (
	maxMessage = 4 << 10
	prefix     = "Upstream: "

	codeContext   = "context_length_exceeded"
	codeQuota     = "insufficient_quota"
	codeRateLimit = "rate_limit_exceeded"
	codeTimeout   = "upstream_timeout"
)

// HTTPError is what the client gets for a refusal of the upstream. now is for Retry-After given as a date.
func HTTPError(status int, header http.Header, body []byte, mode StatusMode, now time.Time) *responses.Error {
	p := parseProblem(body)
	if p.message == "" {
		p.message = "HTTP " + http.StatusText(status)
	}
	e := p.classify(status)
	e.UpstreamStatus = status
	if e.Code == codeRateLimit || e.Status == http.StatusTooManyRequests && e.Code != codeQuota {
		e.RetryAfter = retryAfter(header, p.message, now)
	} else if e.Status >= 500 && header.Get("Retry-After") != "" {
		e.RetryAfter = retryAfter(header, p.message, now)
	}
	if mode == StatusPreserve && status >= 400 && status < 500 {
		e.Status = status
		if status == http.StatusTooManyRequests && e.RetryAfter == "" {
			e.RetryAfter = retryAfter(header, p.message, now)
		}
	}
	return e
}

// TransportKind is why the upstream could not be asked.
type TransportKind uint8

// The kinds of failures of the transport.
const (
	Unreachable TransportKind = iota
	Timeout
	Redirected
	NotAnAPI
)

// TransportError is the error for a failure of the transport. It does not tell the upstream's address.
func TransportError(kind TransportKind) *responses.Error {
	e := &responses.Error{Status: http.StatusBadGateway, Type: responses.TypeServer}
	switch kind {
	case Timeout:
		e.Status, e.Code, e.Message = http.StatusGatewayTimeout, codeTimeout, "the upstream did not answer in time"
	case Redirected:
		e.Code, e.Message = "upstream_redirect", "the upstream answered with a redirect, which is not followed: check its address"
	case NotAnAPI:
		e.Code, e.Message = "upstream_not_an_api", "the upstream answered with something other than Chat Completions: check its address"
	default:
		e.Code, e.Message = "upstream_unreachable", "the upstream cannot be reached"
	}
	return e
}

// problem is an upstream's error in one form.
type problem struct {
	message, code, typ, param string
	// status is a number that the body itself gives.
	status int64
}

func (p *problem) has(words ...string) bool {
	text := strings.ToLower(p.message + "\n" + p.code + "\n" + p.typ)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// classify decides what an error with this status means.
func (p *problem) classify(status int) *responses.Error {
	e := &responses.Error{Status: http.StatusBadRequest, Type: responses.TypeInvalidRequest, Code: short(p.code), Param: short(p.param)}
	tooLong := p.has("context length", "context_length", "maximum context", "context window", "too many tokens",
		"prompt is too long", "input length", "input is too long", "exceed max", "exceeds max", "exceeds the max",
		"context size", "context_size") || p.code == "1261"
	quota := !p.has("per minute", "per second", "rpm", "tpm", "rate limit") && p.has("quota", "balance", "insufficient credit", "payment required", "billing", "arrears")
	switch {
	case tooLong && (status == 400 || status == 422 || status == 500):
		e.Code = codeContext
	case status == 413:
		e.Code = codeContext
		if !tooLong {
			e.Code = "request_too_large"
		}
	case status == 401:
		e.Type, e.Code = responses.TypeAuthentication, "upstream_unauthorized"
	case status == 403 && !quota:
		e.Type, e.Code = responses.TypeAuthentication, "upstream_forbidden"
	case status == 402, status == 403, status == 429 && quota:
		e.Status, e.Type, e.Code = http.StatusTooManyRequests, codeQuota, codeQuota
	case status == 404:
		e.Code = "upstream_not_found"
		if p.has("model") {
			e.Code = "model_not_found"
		} else {
			p.message += " (check the endpoint's address)"
		}
	case status == 408, status == 504:
		e.Status, e.Type, e.Code = http.StatusGatewayTimeout, responses.TypeServer, codeTimeout
	case status == 429:
		e.Status, e.Type, e.Code = http.StatusTooManyRequests, codeRateLimit, codeRateLimit
	case status >= 300 && status < 400:
		return TransportError(Redirected)
	case status == 502, status == 503, status == 529:
		e.Status, e.Type, e.Code = http.StatusServiceUnavailable, responses.TypeServer, responses.TypeServer
	case status >= 500, status < 300:
		e.Status, e.Type, e.Code = http.StatusBadGateway, responses.TypeServer, responses.TypeServer
	case e.Code == "":
		e.Code = responses.CodeInvalidRequest
	}
	e.Message = p.text()
	return e
}

// text is the message, marked as the upstream's and cut to its limit.
func (p *problem) text() string {
	m := strings.ToValidUTF8(strings.TrimSpace(p.message), "\uFFFD")
	if strings.HasPrefix(m, prefix) {
		m = m[len(prefix):]
	}
	if len(m) > maxMessage {
		m = strings.ToValidUTF8(m[:maxMessage], "")
	}
	return prefix + m
}

// short keeps a name from growing into a message.
func short(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), 128)], "")
}

// answerError is the error for one that came in a stream, or in an answer with status 200.
func answerError(raw []byte) *responses.Error {
	p := parseProblem(raw)
	if p.message == "" {
		p.message = "the provider reported an error"
	}
	status := int(p.status)
	switch {
	case status >= 400 && status < 600:
	case p.has("rate limit", "rate_limit", "too many requests", "slow_down", "throttl"):
		status = 429
	case p.has("insufficient_quota", "insufficient balance"):
		status = 402
	case p.has("context length", "context_length", "maximum context", "prompt is too long"):
		status = 400
	case p.has("unauthorized", "invalid api key", "invalid_api_key", "authentication"):
		status = 401
	case p.has("invalid_request"):
		status = 400
	default:
		status = 500
	}
	e := p.classify(status)
	e.UpstreamStatus = status
	if e.Status == http.StatusTooManyRequests && e.Code == codeRateLimit {
		e.RetryAfter = retryAfter(nil, p.message, time.Time{})
	}
	return e
}

// inStream gives an error the codes that agents know in a stream. The time to wait stands in the message there.
func inStream(e *responses.Error) *responses.Error {
	c := *e
	switch {
	case c.Code == codeRateLimit || c.Status == http.StatusTooManyRequests && c.Code != codeQuota:
		c.Code = codeRateLimit
		if !strings.Contains(strings.ToLower(c.Message), "try again in ") {
			wait := c.RetryAfter
			if wait == "" {
				wait = defaultWait
			}
			c.Message = strings.TrimRight(c.Message, " .") + ". Please try again in " + wait + "s."
		}
	case c.Code == "":
		c.Code = responses.TypeServer
	}
	return &c
}

// parseProblem reads an error in any of the forms in use.
func parseProblem(body []byte) problem {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return problem{}
	}
	if !valid(body) {
		return problem{message: plainText(body)}
	}
	var p problem
	p.read(body, 0)
	return p
}

// read takes what the object says and lets an object inside of it say it better.
func (p *problem) read(raw []byte, depth int) {
	switch rawjson.Kind(raw) {
	case '"':
		p.message = rawjson.String(raw)
		return
	case '[':
		w := rawjson.Walk(raw)
		if w.Next() {
			p.read(w.Value, depth+1)
		}
		return
	case '{':
	default:
		return
	}
	var nested []byte
	for w := rawjson.Walk(raw); w.Next(); {
		if rawjson.IsNull(w.Value) {
			continue
		}
		switch string(w.Key) {
		case "error", "base_resp":
			nested = w.Value
		case "message", "msg", "status_msg", "detail", "error_msg":
			if k := rawjson.Kind(w.Value); k == '"' {
				p.message = rawjson.String(w.Value)
			} else if depth < 4 && (k == '[' || k == '{') {
				p.read(w.Value, depth+1)
			}
		case "code", "status_code", "error_code":
			p.code = callID(w.Value)
			if n, ok := rawjson.Int(w.Value); ok {
				p.status = n
			}
		case "status":
			if n, ok := rawjson.Int(w.Value); ok && p.status == 0 {
				p.status = n
			}
		case "type":
			p.typ = rawjson.String(w.Value)
		case "param":
			p.param = rawjson.String(w.Value)
		case "metadata":
			if text := rawjson.Get(w.Value, "raw"); rawjson.Kind(text) == '"' && len(p.message) < 24 {
				p.message = strings.TrimSpace(p.message + " " + plainText(rawjson.Bytes(text)))
			}
		}
	}
	if nested != nil && depth < 4 {
		p.read(nested, depth+1)
	}
}

// plainText is a text that is not JSON: of a page only the title.
func plainText(body []byte) string {
	lower := bytes.ToLower(body[:min(len(body), 64<<10)])
	if !bytes.HasPrefix(bytes.TrimSpace(lower), []byte("<")) && !bytes.Contains(lower, []byte("<html")) {
		return string(body[:min(len(body), 2*maxMessage)])
	}
	from := bytes.Index(lower, []byte("<title>"))
	to := bytes.Index(lower, []byte("</title>"))
	if from < 0 || to < from || to > len(body) {
		return "a page of HTML"
	}
	title := strings.Join(strings.Fields(string(body[from+len("<title>"):to])), " ")
	if title == "" || strings.ContainsAny(title, "<>") {
		return "a page of HTML"
	}
	return title
}
