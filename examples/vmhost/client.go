package vmhost

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// Client is the end of a program that has its agents on another machine. It is safe for concurrent use.
type Client struct {
	conn  *grpc.ClientConn
	guard guard
}

// Dial names a server, in the form of gRPC: "unix:///run/vmhost.sock", "vm.local:7443". It is reached when it is first
// needed. The connection is TLS over a socket of the file system too.
func Dial(target string, t Trust) (*Client, error) {
	g := t.client()
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(g),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: silence, Timeout: answer}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(limit)))
	if err != nil {
		return nil, &core.Error{Code: core.ErrInvalid, Op: "dial", Detail: "this is the name of no server", Err: err}
	}
	return &Client{conn, g}, nil
}

// Close ends every call and every agent that the client drives.
func (c *Client) Close() error { return c.conn.Close() }

// Prepare is core.Host.Prepare there. Paths of the session are the client's; of the answer, that of the directory is. The
// rest lies on the other machine, as the client of the session will, and secrets of the environment are masked: what starts
// the session is [Client.Open].
func (c *Client) Prepare(ctx context.Context, s core.Session) (*core.Prepared, error) {
	return call[core.Prepared](ctx, c, prepare, pack(s))
}

// Session is core.Host.Session there.
func (c *Client) Session(ctx context.Context, r core.Ref) (*core.Info, error) {
	return call[core.Info](ctx, c, show, r)
}

// Cleanup is core.Host.Cleanup there.
func (c *Client) Cleanup(ctx context.Context, r core.Ref, o core.CleanupOptions) (*core.Report, error) {
	return call[core.Report](ctx, c, cleanup, goodbye{r, o})
}

func call[A any](ctx context.Context, c *Client, method string, q any) (*A, error) {
	sent, err := encode(q)
	if err != nil {
		return nil, err
	}
	var m message
	if err := c.conn.Invoke(ctx, method, sent, &m); err != nil {
		return nil, c.said(err)
	}
	a := new(A)
	return a, read(&m, a)
}

// said is the error of a call. That there is no connection has a reason of its own when one end does not take the other.
func (c *Client) said(err error) error {
	err = said(err)
	if core.CodeOf(err) == ErrCut && c.guard.refused.Load() {
		return &core.Error{Code: ErrUntrusted, Op: "call", Detail: "one end does not take the certificate of the other",
			Hint: "give both certificates of one authority, and the server one for the name " + Name, Err: err}
	}
	return err
}

// Options are how a session is driven: those of launch.Options that somebody at this end has to decide. The zero value denies
// every permission and answers no question.
type Options struct {
	Policy launch.Policy
	Ask    launch.Asker
	// Hints are the connectors that there are now. They are asked for before each turn.
	Hints func(ctx context.Context) []connector.Hint
	// Admit is called before each turn. A session that it gives is prepared there, and takes the place of the one that runs;
	// nil says that nothing has changed. An error fails the turn.
	Admit func(ctx context.Context) (*core.Session, error)
}

// Open prepares a session there and starts its client, as launch.Open and launch.Conn.NewSession do, or Resume with the id of
// a conversation. ctx bounds the start only.
func (c *Client) Open(ctx context.Context, s core.Session, resume string, o Options) (*Session, launch.Conversation, error) {
	if o.Policy == nil {
		o.Policy = launch.DenyAll
	}
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	stream, err := c.conn.NewStream(lasting, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, drive)
	if err != nil {
		cancel()
		return nil, launch.Conversation{}, c.said(err)
	}
	d := &Session{c: c, ctx: lasting, cancel: cancel, stream: stream, o: o,
		turn: make(chan struct{}, 1), events: make(chan event, ahead), waits: map[int]chan error{}, over: make(chan struct{})}
	talk, err := d.begin(order{Begin: &begin{Session: pack(s), Resume: resume, Asks: o.Ask != nil, Hints: o.Hints != nil}})
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		return nil, talk, err
	}
	d.turn <- struct{}{}
	go d.listen()
	return d, talk, nil
}
