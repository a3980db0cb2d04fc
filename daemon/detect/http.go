package detect

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	maxBody          = 1 << 20
	anthropicVersion = "2023-06-01"
	userAgent        = "greenroom-check"
)

func newTransport(c Config) *http.Transport {
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			if c.Proxy == nil || modelendpoint.Loopback(r.URL.String()) {
				return nil, nil
			}
			return c.Proxy(r)
		},
		DialContext:         (&net.Dialer{Timeout: c.Network}).DialContext,
		TLSClientConfig:     &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: c.Network, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// answer is what an endpoint answered, its body cut.
type answer struct {
	status int
	body   []byte
	whole  bool
}

// ask does one request. body nil is a GET. It goes straight to the transport, which follows no redirect.
func (c *check) ask(ctx context.Context, to string, credential bool, body any) (answer, error) {
	resp, err := c.send(ctx, to, credential, body)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil && len(data) == 0 {
		return answer{}, err
	}
	return answer{resp.StatusCode, data[:min(len(data), maxBody)], err == nil && len(data) <= maxBody}, nil
}

func (c *check) send(ctx context.Context, to string, credential bool, body any) (*http.Response, error) {
	method, reader := http.MethodGet, io.Reader(nil)
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		method, reader = http.MethodPost, bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, to, reader)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", userAgent)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.t.Protocol == preparer.Anthropic {
		r.Header.Set("Anthropic-Version", anthropicVersion)
	}
	switch {
	case !credential:
	case c.auth == preparer.APIKey:
		r.Header.Set("X-Api-Key", c.key.Reveal())
	default:
		r.Header.Set("Authorization", "Bearer "+c.key.Reveal())
	}
	return c.transport.RoundTrip(r)
}

// said is what an endpoint says in an error, in the shapes that there are, else the beginning of its body.
func said(body []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &e) == nil {
		var inner struct {
			Message string `json:"message"`
		}
		var text string
		switch {
		case json.Unmarshal(e.Error, &inner) == nil && inner.Message != "":
			return inner.Message
		case json.Unmarshal(e.Error, &text) == nil && text != "":
			return text
		case e.Message != "":
			return e.Message
		}
	}
	return string(body[:min(len(body), 300)])
}
