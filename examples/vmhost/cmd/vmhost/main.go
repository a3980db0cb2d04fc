// Vmhost is both ends of package vmhost: on the agents' machine a server, and elsewhere a client that has an agent do one
// thing.
//
//	vmhost serve  -listen unix:/run/vmhost.sock -trust DIR -state DIR -adapter PROVIDER=BINARY=SHA256 -map /projects=/mnt/work
//	vmhost prompt -at unix:///run/vmhost.sock -trust DIR -provider PROVIDER -cwd /projects/app "what is in this directory?"
//
// The directory of -trust holds cert.pem and key.pem of this end, and ca.pem of the authority for the other one.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/examples/vmhost"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	do, args := map[string]func(context.Context, []string) error{"serve": serve, "prompt": prompt}, os.Args[1:]
	if len(args) == 0 || do[args[0]] == nil {
		log.Fatal("usage: vmhost serve|prompt -h")
	}
	if err := do[args[0]](ctx, args[1:]); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, args []string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	c := core.Config{Home: home, Environ: os.Environ(), Commands: command.Fixed(), Logger: slog.Default()}
	paths := vmhost.Paths{}
	f := flag.NewFlagSet("serve", flag.ExitOnError)
	listen := f.String("listen", "", "`ADDRESS` to listen at: unix:PATH, or HOST:PORT")
	trust := f.String("trust", "", "`DIR` with cert.pem, key.pem and ca.pem")
	f.StringVar(&c.StateDir, "state", filepath.Join(home, ".local", "state", "greenroom-vmhost"), "`DIR` that sessions are kept in")
	f.Func("adapter", "`PROVIDER=BINARY=SHA256` of an adapter, may be given again", func(text string) error {
		provider, rest, _ := strings.Cut(text, "=")
		at := strings.LastIndex(rest, "=")
		if at < 0 {
			return fmt.Errorf("an adapter is named as PROVIDER=BINARY=SHA256")
		}
		c.Adapters = append(c.Adapters, adapter.Source{Provider: provider, Path: rest[:at], SHA256: rest[at+1:]})
		return nil
	})
	f.Func("map", "`THEIRS=OURS`, two names of one directory, may be given again", func(text string) error {
		theirs, ours, ok := strings.Cut(text, "=")
		if paths[theirs] = filepath.Clean(ours); !ok || !filepath.IsAbs(ours) {
			return fmt.Errorf("a directory is mapped as THEIRS=OURS, both absolute")
		}
		return nil
	})
	_ = f.Parse(args) // it exits
	t, err := trusted(*trust)
	if err != nil {
		return err
	}
	h, err := core.New(ctx, c)
	if err != nil {
		return err
	}
	defer h.Close()
	if _, err := h.Recover(ctx); err != nil {
		return err
	}
	network, address := "tcp", *listen
	if path, ok := strings.CutPrefix(*listen, "unix:"); ok {
		network, address = "unix", path
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	return (&vmhost.Server{Host: h, Environ: os.Environ(), Paths: paths, Logger: c.Logger}).Serve(ctx, l, t)
}

func prompt(ctx context.Context, args []string) error {
	s := core.Session{Workspace: "vmhost", ID: "prompt"}
	f := flag.NewFlagSet("prompt", flag.ExitOnError)
	at := f.String("at", "", "`TARGET` of the server: unix:///PATH, or HOST:PORT")
	trust := f.String("trust", "", "`DIR` with cert.pem, key.pem and ca.pem")
	f.StringVar(&s.Provider, "provider", "", "`ID` of the client to drive")
	f.StringVar(&s.Cwd, "cwd", "", "`DIR` to work in, by its name here")
	f.StringVar(&s.ID, "session", s.ID, "`ID` of the session")
	_ = f.Parse(args) // it exits
	t, err := trusted(*trust)
	if err != nil {
		return err
	}
	c, err := vmhost.Dial(*at, t)
	if err != nil {
		return err
	}
	defer c.Close()
	session, _, err := c.Open(ctx, s, "", vmhost.Options{})
	if err != nil {
		return err
	}
	defer session.Close()
	for e := range session.Prompt(ctx, launch.Block{Text: strings.Join(f.Args(), " ")}) {
		if e.Kind == launch.Text {
			fmt.Print(e.Text)
		}
		err = e.Err
	}
	fmt.Println()
	return err
}

func trusted(dir string) (vmhost.Trust, error) {
	at := func(name string) string { return filepath.Join(dir, name) }
	return vmhost.LoadTrust(at("cert.pem"), at("key.pem"), at("ca.pem"))
}
