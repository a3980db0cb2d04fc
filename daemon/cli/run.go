package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/foreground"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

// tidying bounds the clean-up after a run.
const tidying = time.Minute

func (a *app) runCommand() *cobra.Command {
	var r request
	var b binding
	var keep string
	cmd := &cobra.Command{
		Use:   "run PROVIDER [-- ARGUMENT...]",
		Short: "Prepare a session, run the client in it here, and clean up",
		Long: `Prepare a session, run the client in it on this terminal, and clean up. Arguments behind -- go to the client. Signals are
passed to it, and its exit status becomes the one of greenroom.

With --keep all the session stays, and can be run again by its id. What the client has put into the background then runs on
until the session is taken away; otherwise it is ended with the session.

With --upstream the client talks to the models of an endpoint, and your own login stays out of the session. What the
endpoint speaks is taken to be what the client takes, unless --protocol says otherwise. Where the client speaks Responses
and the endpoint Chat Completions, or with --shield, a gateway runs between them as long as the client does: the client
then has a token that is good for this run, and not the key; at the end one line on stderr says what went through. An
endpoint that the client cannot be bound to is an error, unless --or-native says to go on with your own login.

With --plan the endpoint, its key and its models are those of a model plan; see plans.

` + trustLong + "\n\n" + inheritLong,
		Example: `  greenroom run claude
  greenroom run codex --inherit automation -- exec "say hello"
  greenroom run claude --session review --keep all
  greenroom run codex --upstream https://api.deepseek.com --key-env DEEPSEEK_API_KEY --model deepseek-chat
  greenroom run codex --plan DeepSeek --model deepseek-reasoner
  greenroom run claude --upstream https://api.kimi.com/coding --key-env KIMI_API_KEY --model kimi-for-coding --shield`,
		Args: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 0 {
				dash = len(args)
			}
			err := takes("PROVIDER")(cmd, args[:dash])
			if f := (*failure)(nil); errors.As(err, &f) && dash > 1 {
				f.Hint = "arguments for the client stand behind --, as in `greenroom run codex -- exec hello`"
			}
			return err
		},
		ValidArgsFunction: a.completeProviders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.json {
				return usage("use prepare --json, and start the client yourself", "run has no --json, since the client answers on stdout")
			}
			k, err := parseKeep(keep)
			if err != nil {
				return err
			}
			s, err := a.sessionOf(cmd.Context(), r, args[0])
			if err != nil {
				return err
			}
			status, err := a.runOn(cmd.Context(), b, r.workspace, s, k, a.onTerminal(args[1:]))
			if status != 0 {
				// What went wrong afterwards is said, and hides nothing of what the client said.
				a.exit(err)
				return exitStatus(status)
			}
			return err
		},
	}
	r.flags(cmd)
	b.flags(cmd)
	cmd.Flags().StringVar(&keep, "keep", "nothing", keepHelp)
	completeWith(cmd, "keep", "nothing", "transcripts", "all")
	return cmd
}

// act is what is done in a session that was prepared. ctx ends with a signal.
type act func(ctx context.Context, h *core.Host, p *core.Prepared, admit admission) (status int, err error)

// admission goes before each turn that the tool begins, in the form of [launch.Options.Admit]; nil lets all of them.
type admission = func(context.Context, *core.Prepared) (*core.Prepared, error)

// run prepares a session, does something in it, and takes it away again whatever happens.
func (a *app) run(ctx context.Context, h *core.Host, s core.Session, keep core.Keep, do act) (status int, err error) {
	return a.runPrepared(ctx, h, s, keep, func(ctx context.Context, s core.Session) (*core.Prepared, admission, error) {
		p, err := h.Prepare(ctx, s)
		return p, nil, err
	}, do)
}

// runPrepared does so with a session that is prepared by prepare.
func (a *app) runPrepared(ctx context.Context, h *core.Host, s core.Session, keep core.Keep, prepare func(context.Context, core.Session) (*core.Prepared, admission, error), do act) (status int, err error) {
	if err := a.askTrust(ctx, h, &s); err != nil {
		return 0, err
	}
	var p *core.Prepared
	var admit admission
	err = a.during("preparing "+s.Provider, func() error {
		p, admit, err = prepare(ctx, s)
		return err
	})
	if err != nil {
		return 0, err
	}
	if keep != core.KeepAll {
		defer func() { err = errors.Join(err, a.tidy(context.WithoutCancel(ctx), h, p.Ref, keep)) }()
	}
	if p.Executable == "" {
		return 0, refuse(codeNoClient, "install it, or see `greenroom doctor`", "no client for %s was found", paint.Clean(s.Provider))
	}
	return do(ctx, h, p, admit)
}

// onTerminal runs the client on our streams.
func (a *app) onTerminal(args []string) act {
	return func(ctx context.Context, h *core.Host, p *core.Prepared, _ admission) (status int, err error) {
		// From here on a signal is for the client.
		rest := context.WithoutCancel(ctx)
		lease, err := h.Hold(rest, p.Ref)
		if err != nil {
			return 0, err
		}
		leave := func() {}
		defer func() {
			leave()
			report, released := lease.Release(rest)
			a.tell(report)
			err = errors.Join(err, released)
		}()
		client, err := p.Command(rest, a.Environ, args...)
		if err != nil {
			return 0, err
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		a.announce(p)
		return a.perform(client, func() error {
			run, err := lease.Start(client)
			if err == nil {
				// What a person has put into the background stays there, as behind any other program, while there is the session.
				leave = run.Leave
			}
			return err
		})
	}
}

// perform runs the client on our streams.
func (a *app) perform(client *exec.Cmd, start func() error) (int, error) {
	client.Stdin, client.Stdout, client.Stderr = a.Stdin, a.Stdout, a.Stderr
	return foreground.Run(client, terminal(a.Stdin), start)
}

// announce says on a terminal what is about to run, and everything that a person should know before. Who pays is said
// everywhere.
func (a *app) announce(p *core.Prepared) {
	if !terminal(a.Stderr) {
		if p.Models.NotUsed != "" {
			fmt.Fprintf(a.Stderr, "%s the endpoint is not used, but your own login: %s\n", a.notes.Warn("greenroom:"), p.Models.NotUsed.Error())
		}
		return
	}
	fmt.Fprintf(a.Stderr, "%s %s %s\n", a.notes.Good("greenroom:"), a.notes.Bold(p.Provider)+" "+paint.Clean(p.Version),
		a.notes.Dim("session "+paint.Clean(p.Ref.ID)))
	for _, d := range p.Diagnostics {
		fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Warn("  "+string(d.Severity)+":"), paint.Clean(d.Text))
	}
}

// tidy takes a session away after its run.
func (a *app) tidy(ctx context.Context, h *core.Host, ref core.Ref, keep core.Keep) error {
	ctx, stop := context.WithTimeout(ctx, tidying)
	defer stop()
	report, err := h.Cleanup(ctx, ref, core.CleanupOptions{Keep: keep})
	if err != nil {
		return err
	}
	a.tell(report)
	return nil
}

// tell says what was ended that ran on, and what was left where it stands, and why.
func (a *app) tell(report *core.Report) {
	if report == nil {
		return
	}
	if len(report.Ended) > 0 {
		fmt.Fprintf(a.Stderr, "%s ended what was left running in the session\n", a.notes.Warn("greenroom:"))
	}
	for _, k := range report.Kept {
		fmt.Fprintf(a.Stderr, "%s kept %s %s\n", a.notes.Warn("greenroom:"), paint.Clean(k.Place), a.notes.Dim(paint.Clean(k.Reason)))
	}
}
