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

	"github.com/greenroom-agents/greenroom/daemon/api/wire"
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
	wire *wire.Client
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
	made := &Client{c: c, http: http.Client{
		Transport: t,
		// A token goes to nobody else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	made.wire = &wire.Client{Server: c.BaseURL + "/", Client: &made.http, RequestEditors: []wire.RequestEditorFn{made.authorize}}
	return made
}

func (c *Client) authorize(_ context.Context, r *http.Request) error {
	if c.c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.c.Token)
	}
	return nil
}

// Close gives up idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// An operation is one of the generated client, with its parameters.
type operation func(context.Context) (*http.Response, error)

// do calls an operation, and reads its answer into a value, which may be nil.
func (c *Client) do(ctx context.Context, limit time.Duration, into any, op operation, ids ...string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := c.call(ctx, op, ids...)
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

// raw is an answer that is no JSON.
type raw []byte

// call gives an answer that is none of a problem. Its body has to be closed. ids are those in the path: one that a path
// cannot hold would be another operation's.
func (c *Client) call(ctx context.Context, op operation, ids ...string) (*http.Response, error) {
	for _, id := range ids {
		if id == "" || id == "." || id == ".." {
			return nil, problem.New("not_found", "", "an id is empty or is no id")
		}
	}
	if at, err := url.Parse(c.c.BaseURL); err != nil || at.Host == "" {
		return nil, problem.New(Unreachable, "", "the base URL of the daemon is no URL")
	}
	resp, err := op(ctx)
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

// ifMatch says which revision a change is made from.
func ifMatch(from int64) string {
	if from == store.AnyRevision {
		return "*"
	}
	return `"` + strconv.FormatInt(from, 10) + `"`
}

// body is a value in the form of the document, whose names it has.
func body[T any](value any) (form T, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		return form, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // it would be left out unsaid
	return form, d.Decode(&form)
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
