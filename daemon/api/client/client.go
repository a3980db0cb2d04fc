package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// Unreachable is the code of a daemon that does not answer, or with something that no daemon answers.
const Unreachable problem.Code = "daemon_unreachable"

const (
	maxAnswer = 64 << 20
	// checkPatience is how long the daemon has for a check, whose own deadlines end it.
	checkPatience = 5 * time.Minute
)

// Config says which daemon is asked.
type Config struct {
	// BaseURL is where it listens, as in http://127.0.0.1:7420. With Dial only its path counts.
	BaseURL string
	// Token is the bearer token. "": none is sent, as over a socket where the daemon knows its peer.
	Token string
	// Dial makes the connections, nil for those to the host of BaseURL.
	Dial func(context.Context) (net.Conn, error)
	// Patience is how long the daemon has for an answer, and to begin a stream of events. 0: 30 s.
	Patience time.Duration
}

// Client asks one daemon. It is safe for concurrent use.
type Client struct {
	c    Config
	http http.Client
}

// New makes a client. Nothing is asked yet.
func New(c Config) *Client {
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.Patience <= 0 {
		c.Patience = 30 * time.Second
	}
	t := &http.Transport{MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute} // no proxy: a daemon is on this machine
	if c.Dial != nil {
		c.BaseURL = "http://localhost"
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return c.Dial(ctx) }
	}
	return &Client{c: c, http: http.Client{
		Transport: t,
		// A token goes to nobody else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close gives up idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// call is one request.
type call struct {
	method string
	path   []string // joined and escaped, below /v1
	from   int64    // the revision that a change is made from, 0 for none
	body   any
}

// in is a path in a workspace.
func in(workspace string, more ...string) []string {
	return append([]string{"workspaces", workspace}, more...)
}

// raw is an answer that is no JSON.
type raw []byte

// do sends a request, and reads its answer into a value, which may be nil.
func (c *Client) do(ctx context.Context, r call, limit time.Duration, into any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(data) > maxAnswer {
		return unreachable(err, "the daemon's answer ended early or is too long")
	}
	if text, ok := into.(*raw); ok {
		*text = data
	} else if into != nil && json.Unmarshal(data, into) != nil {
		return unreachable(nil, "the daemon's answer is none of a daemon")
	}
	return nil
}

// send gives an answer that is none of a problem. Its body has to be closed.
func (c *Client) send(ctx context.Context, r call) (*http.Response, error) {
	escaped := make([]string, len(r.path))
	for i, part := range r.path {
		if part == "" || part == "." || part == ".." {
			return nil, problem.New("not_found", "", "an id is empty or is no id")
		}
		escaped[i] = url.PathEscape(part)
	}
	var body io.Reader
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.c.BaseURL+"/v1/"+strings.Join(escaped, "/"), body)
	if err != nil {
		return nil, problem.New(Unreachable, "", "the base URL of the daemon is no URL")
	}
	if c.c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.c.Token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	switch {
	case r.from == store.AnyRevision:
		req.Header.Set("If-Match", "*")
	case r.from > 0:
		req.Header.Set("If-Match", `"`+strconv.FormatInt(r.from, 10)+`"`)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
			return nil, ctx.Err()
		}
		return nil, unreachable(err, "the daemon does not answer")
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, problemOf(resp)
}

// problemOf is what the daemon refused.
func problemOf(resp *http.Response) error {
	var told struct {
		Code, Detail, Field, Hint string
		References                []plan.Reference
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || kind != "application/problem+json" || json.Unmarshal(data, &told) != nil || told.Code == "" {
		return unreachable(err, "something else than a daemon answered, with status "+strconv.Itoa(resp.StatusCode))
	}
	e := problem.New(problem.Code(told.Code), told.Field, told.Detail).WithHint(told.Hint)
	if told.Field != "" {
		e.Detail = strings.TrimPrefix(e.Detail, told.Field+" ") // an Error says its field itself
	}
	if len(told.References) > 0 {
		e.Cause = &store.Referenced{References: told.References}
	}
	return e
}

func unreachable(cause error, detail string) error {
	return problem.Wrap(cause, Unreachable, detail).WithHint("look whether `greenroom serve` runs, and start it anew")
}
