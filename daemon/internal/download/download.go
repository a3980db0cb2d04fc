package download

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/extension/index"
)

// Index is the list of releases at an address. Zip files are fetched from where the releases say.
type Index struct {
	// URL is the address of the list. Of one that ends with a slash it is versions.json there.
	URL string
	// Transport carries the requests. Required.
	Transport http.RoundTripper
	// Patience is how long nothing at all may come. 0 is DefaultPatience.
	Patience time.Duration
}

var _ index.Source = Index{}

const (
	// DefaultPatience is how long nothing at all may come before an answer is given up.
	DefaultPatience = 30 * time.Second
	// longest bounds one answer, which may come slowly.
	longest      = 10 * time.Minute
	maxRedirects = 10
)

// Transport is one that believes servers by roots, the system's where there are none.
func Transport(roots *x509.CertPool, proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	return &http.Transport{
		Proxy: proxy, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
	}
}

// Versions fetches the list.
func (i Index) Versions(ctx context.Context) ([]byte, error) {
	return i.get(ctx, "the list of releases", i.URL, index.MaxVersions)
}

// Artifact fetches the zip file of a release.
func (i Index) Artifact(ctx context.Context, r *index.Release) ([]byte, error) {
	return i.get(ctx, r.Key+" "+r.Version, r.URL, r.Size)
}

func (i Index) get(ctx context.Context, what, address string, limit int64) ([]byte, error) {
	f := fetch{what: what, patience: i.Patience, limit: limit}
	if f.patience <= 0 {
		f.patience = DefaultPatience
	}
	where, err := url.Parse(address)
	if err != nil || where.Scheme == "https" && where.Hostname() == "" {
		return nil, f.failed(ErrNoAddress)
	}
	f.hosts = []string{where.Hostname()}
	switch {
	case i.Transport == nil: // a client would take the one that the whole process shares
		return nil, f.failed(ErrNoTransport)
	case where.Scheme != "https":
		return nil, f.failed(ErrNotHTTPS)
	case where.Path == "" || strings.HasSuffix(where.Path, "/"):
		where = where.JoinPath(index.VersionsFile)
	}
	data, err := f.from(ctx, where, i.Transport)
	if err != nil {
		return nil, f.failed(err)
	}
	return data, nil
}

// fetch is one answer that is waited for.
type fetch struct {
	what     string
	patience time.Duration
	limit    int64
	hosts    []string // that were asked, one after the other
}

func (f *fetch) from(ctx context.Context, where *url.URL, by http.RoundTripper) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	// What connects, answers or sends in time puts the end off.
	end := time.AfterFunc(f.patience, func() { giveUp(ErrStalled) })
	defer end.Stop()
	data, err := f.read(ctx, where, by, func() { end.Reset(f.patience) })
	if ctx.Err() != nil { // also where the server ends its answer in good order as we leave, which makes half of it look whole
		return nil, context.Cause(ctx)
	}
	return data, err
}

func (f *fetch) read(ctx context.Context, where *url.URL, by http.RoundTripper, alive func()) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
	if err != nil {
		return nil, ErrNoAddress
	}
	client := http.Client{Transport: by, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		alive()
		return f.redirect(next, before)
	}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	alive()
	switch {
	case answer.StatusCode != http.StatusOK:
		return nil, statusError(answer.StatusCode)
	case answer.ContentLength > f.limit:
		return nil, ErrTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(signs{answer.Body, alive}, f.limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > f.limit:
		return nil, ErrTooLarge
	}
	return data, nil
}

// redirect holds a redirection to the rules. Where it leads does not learn the address that it comes from, which may hold
// what is nobody's business.
func (f *fetch) redirect(next *http.Request, before []*http.Request) error {
	next.Header.Del("Referer")
	switch {
	case next.URL.Scheme != "https":
		return ErrDowngrade
	case len(before) > maxRedirects:
		return ErrTooFar
	}
	if host := next.URL.Hostname(); host != f.hosts[len(f.hosts)-1] {
		f.hosts = append(f.hosts, host)
	}
	return nil
}

// signs says of a body that something of it came.
type signs struct {
	io.Reader
	alive func()
}

func (s signs) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if n > 0 {
		s.alive()
	}
	return n, err
}

// statusError is an answer with another status than that of success.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("the answer has status %d", int(s)) }
