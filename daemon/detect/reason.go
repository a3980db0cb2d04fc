package detect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/plan"
)

var errLate = errors.New("no answer in time")

// broken is a stage that failed before there was an answer.
func broken(ctx context.Context, err error) plan.Result {
	r := plan.Result{Status: plan.Failed, Reason: plan.ConnectionFailed, Remedy: plan.CheckAddress, Detail: err.Error()}
	switch {
	case errors.Is(context.Cause(ctx), errLate), errors.Is(err, context.DeadlineExceeded):
		r.Reason, r.Detail = plan.Timeout, errLate.Error()
	case errors.As(err, new(*net.DNSError)):
		r.Reason = plan.DNSError
	case errors.As(err, new(*tls.CertificateVerificationError)), errors.As(err, new(tls.RecordHeaderError)), errors.As(err, new(tls.AlertError)),
		errors.As(err, new(x509.UnknownAuthorityError)), errors.As(err, new(x509.HostnameError)), errors.As(err, new(x509.CertificateInvalidError)):
		r.Reason = plan.TLSError
	case timeout(err):
		r.Reason, r.Detail = plan.Timeout, errLate.Error()
	}
	return r
}

func timeout(err error) bool {
	t, ok := errors.AsType[net.Error](err)
	return ok && t.Timeout()
}

// refused is a stage whose answer has a status that is no success.
func refused(a answer) plan.Result {
	r := plan.Result{Status: plan.Failed, Reason: plan.InferenceFailed, Remedy: plan.CheckAddress, Detail: "status " + strconv.Itoa(a.status)}
	if text := said(a.body); text != "" {
		r.Detail += ": " + text
	}
	switch s := a.status; {
	case s >= 300 && s < 400:
		r.Detail = "status " + strconv.Itoa(s) + ": it redirects, which is not followed since that could carry the key away"
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		r.Reason, r.Remedy = plan.Unauthorized, plan.CheckKey
	case s == http.StatusPaymentRequired, s == http.StatusTooManyRequests && aboutMoney(a.body):
		r.Reason, r.Remedy = plan.QuotaExceeded, plan.CheckKey
	case s == http.StatusTooManyRequests:
		r.Reason, r.Remedy = plan.RateLimited, plan.RetryInference
	case s == http.StatusRequestTimeout, s == http.StatusGatewayTimeout:
		r.Reason, r.Remedy = plan.Timeout, plan.RetryInference
	case s >= 500:
		r.Reason, r.Remedy = plan.ProviderError, plan.RetryInference
	}
	return r
}

// aboutMoney says whether an endpoint refuses because something is used up, and not because it was asked too fast.
func aboutMoney(body []byte) bool {
	text := strings.ToLower(string(body))
	for _, word := range []string{"quota", "balance", "billing", "credit", "insufficient"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
