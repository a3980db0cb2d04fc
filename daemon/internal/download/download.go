package download

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/greenroom-agents/greenroom/core/extension/index"
)

// Index is the list of releases at an address. Zip files are fetched from where the releases say.
type Index struct {
	URL string
	// Transport carries the requests. Required.
	Transport http.RoundTripper
}

var _ index.Source = Index{}

// Error is something that could not be fetched.
type Error struct {
	Host string // that was asked
	Err  error
}

func (e *Error) Error() string { return "fetch from " + e.Host + ": " + e.Err.Error() }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// What an address, or a redirection, may be refused for.
var (
	ErrNotHTTPS  = errors.New("the address does not begin with https://")
	ErrDowngrade = errors.New("it was redirected to an address that does not begin with https://")
	ErrTooFar    = errors.New("it was redirected too often")
	ErrTooLarge  = errors.New("the answer is larger than what may come")
	// ErrNoTransport is a mistake of the program.
	ErrNoTransport = errors.New("no transport was given")
)

const (
	maxRedirects = 10
	patience     = 2 * time.Minute // for one answer
)

// Versions fetches the list.
func (i Index) Versions(ctx context.Context) ([]byte, error) {
	return i.get(ctx, i.URL, index.MaxVersions)
}

// Artifact fetches the zip file of a release.
func (i Index) Artifact(ctx context.Context, r *index.Release) ([]byte, error) {
	return i.get(ctx, r.URL, r.Size)
}

func (i Index) get(ctx context.Context, address string, limit int64) ([]byte, error) {
	where, err := url.Parse(address)
	if err != nil {
		return nil, &Error{"an address", errors.New("it is not one")}
	}
	data, err := i.fetch(ctx, where, limit)
	if err != nil {
		var about *url.Error
		if errors.As(err, &about) {
			err = about.Err // without the address, which may hold what is nobody's business
		}
		return nil, &Error{where.Hostname(), err}
	}
	return data, nil
}

func (i Index) fetch(ctx context.Context, where *url.URL, limit int64) ([]byte, error) {
	switch {
	case i.Transport == nil: // a client would take the one that the whole process shares
		return nil, ErrNoTransport
	case where.Scheme != "https":
		return nil, ErrNotHTTPS
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: i.Transport, CheckRedirect: redirect}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer has status %d", answer.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = ErrTooLarge
	}
	return data, err
}

// redirect holds a redirection to the rules.
func redirect(next *http.Request, before []*http.Request) error {
	switch {
	case next.URL.Scheme != "https":
		return ErrDowngrade
	case len(before) > maxRedirects:
		return ErrTooFar
	}
	return nil
}
