package cli

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/api"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/internal/socket"
	"github.com/greenroom-agents/greenroom/daemon/page"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// leaving is how long requests have to end when the server does.
const leaving = 3 * time.Second

func (a *app) serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve plans, agents and sessions on the loopback interface: a page for you, and HTTP for programs",
		Long: `Serve plans, agents and sessions on the loopback interface, until interrupted: a page for a browser, and an interface for
programs over HTTP, which GET /v1/openapi.yaml describes.

The link that is said opens the page once, in the browser that takes it. Another browser, and every request of a program,
brings the token: that of GREENROOM_API_TOKEN, else a fresh one, which is said once. Who has it can use the plans' keys by
checks, and cannot read them.`,
		Example: `  greenroom serve
  GREENROOM_API_TOKEN=... greenroom serve --listen 127.0.0.1:7420 --json`,
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), listen) },
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "loopback `ADDRESS` and port")
	return cmd
}

func (a *app) serve(ctx context.Context, listen string) error {
	at, err := netip.ParseAddrPort(listen)
	if err != nil || !at.Addr().IsLoopback() {
		return usage("give a loopback address and a port, as in 127.0.0.1:7420", "--listen is no loopback address with a port")
	}
	token := a.env("GREENROOM_API_TOKEN")
	fresh := token == ""
	if fresh {
		if token, err = freshToken(a.Rand); err != nil {
			return err
		}
	} else if len(token) < 16 {
		return refuse(codeNoKey, "take a longer one, or leave it away", "GREENROOM_API_TOKEN has fewer than 16 characters")
	}
	h, err := a.hostForState(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	c, err := a.accessConfig()
	if err != nil {
		return err
	}
	clients, err := a.catalogue(h)
	if err != nil {
		return err
	}
	events := api.NewEvents()
	c.Changed = events.Changed
	c.Native = func(ctx context.Context, protocol preparer.Protocol) (detect.Native, func(), error) {
		asks, end := a.native(ctx, h, protocol)
		return asks, end, nil
	}
	alone, err := lockData(c.Dir)
	if err != nil {
		return err
	}
	defer alone.Close()
	opened, err := access.Open(ctx, c)
	if err != nil {
		return err
	}
	defer opened.Close()
	door, err := alone.Listen(ctx)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		fmt.Fprintf(a.Stderr, "%s there is no socket in the data directory, and so the tool works beside this daemon\n", a.notes.Warn("greenroom:"))
	default:
		defer door.Close()
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", at.String())
	if err != nil {
		return usage("take another port, or :0 for any", "--listen: the address cannot be listened on")
	}
	shown, err := page.New(page.Config{
		Access: opened, Providers: clients, Sessions: h, Token: token, Events: events, Now: a.Now, Random: a.Rand,
	})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer shown.Close()
	link, err := shown.Link()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("/", shown)
	mux.Handle("/v1/", api.New(api.Config{Access: opened, Providers: clients, Token: token, Events: events, Now: a.Now}))
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(from net.Listener) context.Context {
			if from == door {
				return api.Trust(ctx)
			}
			return ctx
		},
	}
	done := make(chan error, 2)
	go func() { done <- server.Serve(l) }()
	if door != nil {
		go func() { done <- server.Serve(door) }()
	}
	if err := a.tellServing("http://"+l.Addr().String(), link, token, fresh); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving)
	defer cancel()
	if server.Shutdown(grace) != nil {
		_ = server.Close()
	}
	return nil
}

// lockData keeps other daemons away from a data directory, and the rotation of its secret, before anything there is read.
func lockData(dir string) (*socket.Held, error) {
	err := os.MkdirAll(dir, 0o700)
	var held *socket.Held
	if err == nil {
		held, err = socket.Lock(dir)
	}
	switch {
	case errors.Is(err, socket.ErrBusy):
		return nil, usage("end the other one, or name another directory with GREENROOM_DATA", "%v", socket.ErrBusy)
	case err != nil:
		return nil, problem.Wrap(err, problem.Storage, "the data directory cannot be locked").
			WithHint("mend its owner and mode, or name another one with GREENROOM_DATA")
	}
	return held, nil
}

// freshToken is 256 random bits in words of the URL alphabet.
func freshToken(random io.Reader) (string, error) {
	var b [32]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

func (a *app) tellServing(base, link, token string, fresh bool) error {
	if a.json {
		said := map[string]string{"base_url": base, "page": base + link}
		if fresh {
			said["token"] = token
		}
		return a.answer(said)
	}
	fmt.Fprintf(a.Stdout, "%s serving plans, agents and sessions at %s\n", a.style.Good("✓"), a.style.Accent(base))
	fmt.Fprintf(a.Stdout, "  page   %s %s\n", base+link, a.style.Dim("(this link is good once)"))
	if fresh {
		fmt.Fprintf(a.Stdout, "  token  %s\n", token)
	}
	fmt.Fprintf(a.Stdout, "%s\n", a.style.Dim("  programs: "+base+"/v1/openapi.yaml; end it with Ctrl-C"))
	return nil
}
