// Embed is a host in few lines: it prepares a session of Codex for the directory it is started in, shows what is there
// and how the client would be started, and takes the session away again.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/providers/codex"
)

func main() {
	home, err := os.UserHomeDir()
	if err != nil {
		log.Fatal(err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	state := filepath.Join(home, ".local", "state", "greenroom-embed")
	if err := host(context.Background(), os.Stdout, state, home, cwd, os.Environ()); err != nil {
		log.Fatal(err)
	}
}

func host(ctx context.Context, w io.Writer, state, home, cwd string, environ []string) error {
	h, err := core.New(ctx, core.Config{
		StateDir: state, Home: home, Environ: environ,
		Commands: command.Fixed(), // this host has no command line tool of its own
		// In this process, for brevity. A host ships the adapter's binary, and names its path and digest instead.
		Adapters: []adapter.Source{{InProcess: codex.Adapter{}}},
	})
	if err != nil {
		return err
	}
	defer h.Close()
	p, err := h.Prepare(ctx, core.Session{Workspace: "embed", ID: "one", Provider: "codex", Cwd: cwd})
	if err != nil {
		return err
	}
	info, err := h.Session(ctx, p.Ref)
	if err != nil {
		return err
	}
	for _, n := range info.Tree {
		fmt.Fprintf(w, "%-5s %s\n", n.Kind, n.Place)
	}
	fmt.Fprintf(w, "client %q with %q and %d changed variables\n", p.Executable, p.Args, len(p.Env))
	_, err = h.Cleanup(ctx, p.Ref, core.CleanupOptions{})
	return err
}
