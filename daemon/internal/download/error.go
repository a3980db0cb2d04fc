package download

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// Error is something that could not be fetched.
type Error struct {
	What  string   // was to be fetched
	Hosts []string // that were asked, the one that failed last; names only, since addresses may hold secrets
	Hint  string   // how to mend it; not part of the message
	Err   error
	says  string
}

func (e *Error) Error() string {
	from := ""
	if n := len(e.Hosts); n > 0 {
		from = " from " + e.Hosts[n-1]
		if n > 1 {
			from += ", where " + e.Hosts[0] + " led"
		}
	}
	return "fetch " + e.What + from + ": " + e.says
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// What an address, an answer or a redirection may be refused for.
var (
	ErrNoAddress = errors.New("that is no address")
	ErrNotHTTPS  = errors.New("the address does not begin with https://")
	ErrDowngrade = errors.New("it was redirected to an address that does not begin with https://")
	ErrTooFar    = errors.New("it was redirected too often")
	ErrTooLarge  = errors.New("the answer is larger than what may come")
	ErrStalled   = errors.New("nothing came for too long")
	// ErrNoTransport is a mistake of the program.
	ErrNoTransport = errors.New("no transport was given")
)

// Hints that several failures share.
const (
	hintAddress = "look at the address, which is that of the list itself, as in https://releases.example/acme/versions.json"
	hintLater   = "try again; if it stays so, ask the publisher, or take a directory with the releases as --index"
	hintAsk     = "ask the publisher to mend it, or take a directory with the releases as --index"
	hintNetwork = "look at the address and at your network; a directory with the releases does as --index too"
)

// failed says in plain words why something could not be fetched, and how that is mended.
func (f *fetch) failed(err error) *Error {
	e := &Error{What: f.what, Hosts: f.hosts, Err: err}
	e.says, e.Hint = f.explain(err)
	return e
}

func (f *fetch) explain(err error) (says, hint string) {
	var status statusError
	if errors.As(err, &status) {
		return explainStatus(status)
	}
	if says, hint = explainTLS(err); says != "" {
		return says, hint
	}
	var name *net.DNSError
	switch {
	case errors.Is(err, ErrStalled):
		return fmt.Sprintf("nothing came for %s", f.patience), hintLater + "; --patience waits longer"
	case errors.Is(err, context.Canceled):
		return "it was interrupted", ""
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("it was not done in %s", longest), hintLater
	case errors.Is(err, ErrTooLarge):
		return fmt.Sprintf("%v: it may have %d bytes", ErrTooLarge, f.limit), hintAsk
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return "the answer ended before it was whole", hintLater
	case errors.Is(err, ErrDowngrade), errors.Is(err, ErrTooFar):
		return innermost(err, ErrDowngrade, ErrTooFar).Error(), hintAsk
	case errors.Is(err, ErrNoTransport):
		return err.Error(), ""
	case errors.Is(err, ErrNoAddress), errors.Is(err, ErrNotHTTPS):
		return err.Error(), hintAddress
	case errors.As(err, &name):
		return "there is no host of that name, or no way to look it up", hintNetwork
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nobody answers at that address", hintNetwork
	}
	var about *url.Error
	if errors.As(err, &about) {
		err = about.Err // without the address
	}
	return err.Error(), hintNetwork
}

func innermost(err error, of ...error) error {
	for _, one := range of {
		if errors.Is(err, one) {
			return one
		}
	}
	return err
}

func explainStatus(s statusError) (says, hint string) {
	switch {
	case s == 404 || s == 410:
		return s.Error() + ": there is nothing at that address", hintAddress
	case s == 401 || s == 403:
		return s.Error() + ": the server lets nobody in there without a login", hintAsk
	case s >= 500 || s == 429:
		return s.Error() + ": the server cannot serve it now", hintLater
	}
	return s.Error(), hintAddress
}

// explainTLS says what is wrong with how a server shows who it is, "" where that is not what is wrong.
func explainTLS(err error) (says, hint string) {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &authority):
		return "its certificate is by an authority that is not believed here",
			"look whether the address is right; where the authority is one of yours, name a file with its certificate in SSL_CERT_FILE"
	case errors.As(err, &host):
		return "its certificate is that of another host", "look whether the address is right; the name in it has to be one of the certificate's"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate is past its time, or not valid yet", "look at the clock of this machine; if it is right, ask the publisher for another certificate"
	case errors.As(err, &verification), errors.As(err, &invalid):
		return "its certificate is not good", hintAsk
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "it does not speak HTTPS there", "look at the host and the port of the address"
	}
	return "", ""
}
