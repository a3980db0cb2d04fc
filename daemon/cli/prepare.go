package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func (a *app) prepareCommand() *cobra.Command {
	var r request
	var shell bool
	cmd := &cobra.Command{
		Use:   "prepare PROVIDER",
		Short: "Prepare a session and say how to start the client",
		Long: `Prepare a session and say how to start the client.

To prepare a session again, with --session and the same --workspace, brings it up to date and costs next to nothing when
nothing has changed.

With --shell the answer is lines for a POSIX shell that set up its environment, and a function greenroom_client that
starts the client where the session works, with its arguments. Secrets are part of those lines; everywhere else they are
masked.

` + inheritLong,
		Example: `  greenroom prepare claude --inherit skills=none
  eval "$(greenroom prepare codex --shell)" && greenroom_client`,
		Args:              takes("PROVIDER"),
		ValidArgsFunction: a.completeProviders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if shell && a.json {
				return usage("take one of them", "--shell and --json exclude each other")
			}
			s, err := a.sessionOf(cmd.Context(), r, args[0])
			if err != nil {
				return err
			}
			p, err := a.prepare(cmd.Context(), s)
			if err != nil {
				return err
			}
			switch {
			case a.json:
				return a.answer(p)
			case shell:
				return a.shellLines(p)
			}
			a.showPrepared(p, again(cmd))
			return nil
		},
	}
	r.flags(cmd)
	cmd.Flags().BoolVar(&shell, "shell", false, "answer with lines for eval in a POSIX shell")
	return cmd
}

func (a *app) prepare(ctx context.Context, s core.Session) (*core.Prepared, error) {
	h, err := a.hostFor(ctx, s.Provider)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	var p *core.Prepared
	err = a.during("preparing "+s.Provider, func() error {
		p, err = h.Prepare(ctx, s)
		return err
	})
	return p, err
}

func (a *app) view() view.View { return view.View{W: a.Stdout, Style: a.style, Home: a.Home} }

// again writes the flags of an invocation that have to be said again to mean the same session.
func again(cmd *cobra.Command) string {
	var words []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			if f.Name != "session" && f.Name != "workspace" {
				words = append(words, " --"+f.Name+"="+paint.Clean(shellenv.Quote(value)))
			}
		}
	})
	return strings.Join(words, "")
}

func (a *app) showPrepared(p *core.Prepared, flags string) {
	v := a.view()
	v.Line("%s %s session is ready", v.Style.Good("✓"), v.Style.Bold(p.Provider))
	v.Line("")
	v.Facts(p)
	v.Overlay(p)
	v.Skills(p)
	v.Inherited(p.Inherited)
	v.Diagnostics(p.Diagnostics)
	workspace, id := paint.Clean(shellenv.Quote(p.Ref.Workspace)), paint.Clean(shellenv.Quote(p.Ref.ID))
	v.Title("Next")
	// It was prepared by itself, so it is not to be gone after the first run.
	v.Line("  greenroom run %s --workspace %s --session %s%s --keep all", p.Provider, workspace, id, flags)
	state := ""
	if a.state != "" {
		state = " --state=" + paint.Clean(shellenv.Quote(a.state))
	}
	v.Line("  greenroom cleanup %s%s", id, state)
}

// shellLines writes the overlay for the environment that the shell has, which is the one that this program has.
func (a *app) shellLines(p *core.Prepared) error {
	overlay := p.Environ(a.Environ)
	script, unsayable := shellenv.Script(a.Environ, overlay)
	if len(unsayable) > 0 {
		fmt.Fprintf(a.Stderr, "%s a shell cannot change %s\n", a.notes.Warn("greenroom:"), strings.Join(unsayable, ", "))
	}
	for _, d := range p.Diagnostics {
		if d.Severity == preparer.Warning {
			fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Warn("greenroom:"), paint.Clean(d.Text))
			if d.Hint != "" {
				fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Accent("hint:"), paint.Clean(d.Hint))
			}
		}
	}
	if p.Executable != "" {
		script += shellenv.Function("greenroom_client", p.Cwd, p.Executable, p.Args, p.ArgsAfter)
	}
	_, err := fmt.Fprint(a.Stdout, "# greenroom session ", paint.Clean(p.Ref.ID), "\n", script)
	return err
}

// answer writes a value for programs.
func (a *app) answer(value any) error {
	e := json.NewEncoder(a.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}
