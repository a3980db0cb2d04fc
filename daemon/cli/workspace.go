package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/trustbook"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const trustLong = `What the directory sets up for a client by itself, such as hooks and MCP servers, runs only where you trust it. On a
terminal you are asked once for each directory; anywhere else the answer is no, unless you gave it before, or now with
--trust-workspace yes.`

func trustFlag(cmd *cobra.Command, to *string) {
	// It always takes a value: without one, a word behind it would be a prompt, and the answer yes.
	cmd.Flags().StringVar(to, "trust-workspace", "", "`HOW` far the directory is trusted: yes, no or ask (default: as you said before, else no)")
	completeWith(cmd, "trust-workspace", "yes", "no", "ask")
}

func (a *app) trustbook() (trustbook.Book, error) {
	dir, err := a.dataDir()
	return trustbook.Book{Dir: filepath.Join(dir, "trusted-workspaces"), Now: a.Now}, err
}

// remembered is what the person said of a directory before.
func (a *app) remembered(cwd string) preparer.Trust {
	if book, err := a.trustbook(); err == nil && book.Trusts(cwd) {
		return preparer.UserSaidYes
	}
	return preparer.NotTrusted
}

// workspaceTrust reads the flag. Whether the person is to be asked is kept for [app.askTrust].
func (a *app) workspaceTrust(flag, cwd string) (preparer.Trust, error) {
	seen := terminal(a.Stdin) && terminal(a.Stderr)
	switch flag {
	case "yes":
		return preparer.UserSaidYes, nil
	case "no":
		return preparer.NotTrusted, nil
	case "ask":
		if !seen {
			return "", usage("say yes or no", "--trust-workspace ask needs a terminal")
		}
		a.asksTrust = true
		return preparer.NotTrusted, nil
	case "":
		before := a.remembered(cwd)
		a.asksTrust = !before.Given() && seen && !a.json
		return before, nil
	}
	return "", usage("one of yes, no, ask", "--trust-workspace %s is unknown", paint.Clean(flag))
}

// askTrust asks the person whether they trust the directory of a session, where that makes a difference to its client, and
// keeps what they say. Everything but a clear yes is a no.
func (a *app) askTrust(ctx context.Context, h *core.Host, s *core.Session) error {
	if !a.asksTrust || s.ExtensionRuntimePrep != nil {
		return nil
	}
	a.asksTrust = false
	d, err := h.Descriptor(ctx, s.Provider)
	if err != nil {
		return err
	}
	var kinds []string
	for _, g := range d.Gates {
		for _, k := range g.Lets {
			kinds = append(kinds, strings.ReplaceAll(string(k), "_", " "))
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	book, err := a.trustbook()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "%s %s\nWhere you do, %s of its own can set up %s, and run as you. [y]es, [N]o: ", a.notes.Warn("do you trust what is in"),
		paint.Clean(a.view().Path(s.Cwd))+"?", strings.Join(kinds, ", "), paint.Clean(s.Provider))
	line, err := ownLine(ctx, a.Stdin)
	if err != nil {
		return err
	}
	if line == "y" || line == "yes" {
		s.TrustWorkspace = preparer.UserSaidYes
		return book.Remember(s.Cwd)
	}
	return book.Forget(s.Cwd)
}

// ownLine reads one line and nothing behind it: what follows is for the client. The end of the input is an empty line.
func ownLine(ctx context.Context, from io.Reader) (string, error) {
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		var line []byte
		for b := make([]byte, 1); ; {
			n, err := from.Read(b)
			switch {
			case n == 1 && b[0] == '\n', err == io.EOF:
				done <- read{line: strings.TrimSpace(string(line))}
				return
			case err != nil:
				done <- read{err: err}
				return
			}
			line = append(line, b[:n]...)
		}
	}()
	select {
	case r := <-done:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
