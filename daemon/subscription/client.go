package subscription

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// question has nothing to do for an agent.
const question = "Reply with exactly: OK. Use no tools."

// workspace is that of the sessions of checks, and prefix is what their ids begin with.
const (
	workspace = "plan-check"
	prefix    = "check-"
)

// Is says whether a session is one of a check, which nobody works in. It goes with the check; one of a program that was killed
// stays, to be cleaned up.
func Is(r core.Ref) bool { return r.Workspace == workspace && strings.HasPrefix(r.ID, prefix) }

// Config says how clients are asked. All fields are required.
type Config struct {
	Host    *core.Host
	Environ []string // the client's, in the form of os.Environ
	TempDir string   // absolute path of the directory for the empty one that the client works in
	Random  io.Reader
}

// Client asks one client. It belongs to one goroutine.
type Client struct {
	c        Config
	protocol preparer.Protocol
	provider string
	prepared *core.Prepared
	ref      core.Ref
	dir      string
	conn     *launch.Conn
	talk     launch.Conversation
}

var _ detect.Native = (*Client)(nil)

// New makes a Client for the vendor's own client of a protocol. Nothing is started yet.
func New(c Config, protocol preparer.Protocol) *Client { return &Client{c: c, protocol: protocol} }

// Ready prepares a session and starts the client.
func (c *Client) Ready(ctx context.Context) error {
	if err := c.choose(ctx); err != nil {
		return err
	}
	var id [8]byte
	if _, err := io.ReadFull(c.c.Random, id[:]); err != nil {
		return err
	}
	var err error
	if c.dir, err = os.MkdirTemp(c.c.TempDir, "greenroom-check-"); err != nil {
		return errors.New("no directory can be made for the client to work in")
	}
	s := core.Session{Workspace: workspace, ID: prefix + hex.EncodeToString(id[:]), Provider: c.provider, Cwd: c.dir}
	c.ref = s.Ref()
	if c.prepared, err = c.c.Host.Prepare(ctx, s); err != nil {
		return err
	}
	c.conn, err = launch.Open(ctx, c.prepared, launch.Options{Host: c.c.Host, Environ: c.c.Environ})
	return err
}

// choose finds the one client that a subscription of the protocol's vendor is used through.
func (c *Client) choose(ctx context.Context) error {
	all, err := c.c.Host.Adapters(ctx)
	if err != nil {
		return err
	}
	var found []string
	for _, a := range all {
		if d := a.Descriptor; d != nil && d.Model.NativeSubscription && d.Model.Protocol == c.protocol {
			found = append(found, a.Provider)
		}
	}
	switch len(found) {
	case 1:
		c.provider = found[0]
		return nil
	case 0:
		return fmt.Errorf("no client of this installation uses subscriptions of the %s protocol", c.protocol)
	}
	return fmt.Errorf("several clients of this installation say that they use subscriptions of the %s protocol", c.protocol)
}

// LoggedIn begins a conversation, which a client without a login refuses, or begins all the same and refuses in Ask.
func (c *Client) LoggedIn(ctx context.Context) (err error) {
	c.talk, err = c.conn.NewSession(ctx)
	return login(err)
}

func login(err error) error {
	if core.CodeOf(err) == launch.ErrLogin {
		if e, ok := errors.AsType[*core.Error](err); ok && e.Hint != "" {
			return fmt.Errorf("%w: %s", detect.ErrLogin, e.Hint)
		}
		return detect.ErrLogin
	}
	return err
}

// Models are those that the client tells.
func (c *Client) Models(context.Context) (all []plan.Model, err error) {
	for _, id := range c.talk.Models {
		all = append(all, plan.Model{ID: id, Name: id})
	}
	if len(all) == 0 && c.talk.Model != "" {
		all = append(all, plan.Model{ID: c.talk.Model, Name: c.talk.Model})
	}
	return all, nil
}

// Ask has a turn.
func (c *Client) Ask(ctx context.Context, model string) error {
	if model != c.talk.Model && (len(c.talk.Models) == 0 || slices.Contains(c.talk.Models, model)) {
		if err := c.conn.SetModel(ctx, model); err != nil {
			return login(err)
		}
	} else if model != c.talk.Model {
		return fmt.Errorf("the client does not have the model %q", model)
	}
	said := ""
	for e := range c.conn.Prompt(ctx, launch.Block{Text: question}) {
		switch e.Kind {
		case launch.Error:
			return login(e.Err)
		case launch.Text:
			said += e.Text
		}
	}
	if strings.TrimSpace(said) == "" {
		return errors.New("the client said nothing")
	}
	return nil
}

// Close ends the client, and takes everything away that it was started with.
func (c *Client) Close(ctx context.Context) error {
	var errs []error
	if c.conn != nil {
		errs = append(errs, c.conn.Close())
	}
	if c.prepared != nil {
		_, err := c.c.Host.Cleanup(ctx, c.ref, core.CleanupOptions{})
		errs = append(errs, err)
	}
	if c.dir != "" {
		errs = append(errs, os.RemoveAll(c.dir))
	}
	return errors.Join(errs...)
}
