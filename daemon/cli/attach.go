package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

func (a *app) attachCommand() *cobra.Command {
	var workspace, permission, resume string
	var fresh bool
	var r request
	var b binding
	cmd := &cobra.Command{
		Use:   "attach SESSION",
		Short: "Go on with a session that was kept, turn by turn",
		Long: `Go on with a session that was kept: start its client, resume the conversation that it had last, and take one prompt a line
until the end of the input. Ctrl-C cancels a turn, or ends the whole when none runs. The session stays.

It is prepared again with what of your own set-up it was prepared with. A session that was bound to an endpoint has to be
told that endpoint or plan again, since its key is nowhere recorded; saver mode, rtk and trust in its directory have to be
said again too. A session that another program drives is refused, since a client listens to one only; stop it first.`,
		Example: `  greenroom prompt opencode --session review --keep all "read the tests"
  greenroom sessions attach review
  echo "and now the docs" | greenroom sessions attach review --permission deny --json`,
		Args:              takes("SESSION"),
		ValidArgsFunction: a.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if fresh && resume != "" {
				return usage("take one of them", "--new and --resume exclude each other")
			}
			policy, asked, err := a.policy(permission)
			if err != nil {
				return err
			}
			i, err := a.attachable(cmd.Context(), workspace, args[0], b)
			if err != nil {
				return err
			}
			inherit, err := i.Chosen()
			if err != nil {
				return err
			}
			pr := prompt{resume: i.Conversation}
			if resume != "" {
				pr.resume = resume
			}
			if fresh {
				pr.resume = ""
			}
			pr.model = b.asked(pr.model)
			r.cwd, r.workspace, r.session = i.Cwd, i.Ref.Workspace, i.Ref.ID
			s, err := a.sessionOf(cmd.Context(), r, i.Provider)
			if err != nil {
				return err
			}
			s.Inherit = inherit
			status, err := a.runOn(cmd.Context(), b, workspace, s, core.KeepAll, a.manyTurns(pr, policy, asked))
			if status != 0 {
				a.exit(err)
				return exitStatus(status)
			}
			return err
		},
	}
	r.unrecorded(cmd)
	b.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&workspace, "workspace", "", "`ID` of its workspace, where the session's id is not enough")
	f.StringVar(&resume, "resume", "", "`ID` of another conversation of the session to go on with")
	f.BoolVar(&fresh, "new", false, "begin a new conversation")
	f.StringVar(&permission, "permission", "", "`HOW` permissions are given: ask, allow-edits or deny (default: ask on a terminal, else deny)")
	completeWith(cmd, "permission", "ask", "allow-edits", "deny")
	return cmd
}

// attachable is a session that can be gone on with.
func (a *app) attachable(ctx context.Context, workspace, id string, b binding) (core.Info, error) {
	h, err := a.hostForState(ctx)
	if err != nil {
		return core.Info{}, err
	}
	defer h.Close()
	i, err := a.pick(ctx, h, workspace, id)
	if err != nil {
		return i, err
	}
	if i, err = h.Session(ctx, i.Ref); err != nil {
		return i, err
	}
	name := paint.Clean(i.Ref.ID)
	switch {
	case i.Running:
		return i, refuse(string(core.ErrRunning), "stop it with `greenroom sessions stop "+name+"`, or let it end", "a client is running in session %q", name)
	case i.Models == "endpoint" && !b.given():
		return i, refuse(codeNoKey, "say --upstream and --key-env, or --plan, as when it was prepared, or --or-native for your own login",
			"session %q runs on an endpoint, whose key is not recorded", name)
	}
	return i, nil
}

// manyTurns drives the client through a turn for each line that comes.
func (a *app) manyTurns(pr prompt, policy launch.Policy, asked *person) act {
	return func(ctx context.Context, h *core.Host, p *core.Prepared, admit admission) (int, error) {
		// An interrupt is for the turn that runs, and not for all that comes behind it.
		rest := context.WithoutCancel(ctx)
		sig := signals{make(chan os.Signal, 1), make(chan os.Signal, 1)}
		signal.Notify(sig.interrupt, os.Interrupt)
		signal.Notify(sig.end, syscall.SIGTERM)
		defer signal.Stop(sig.interrupt)
		defer signal.Stop(sig.end)
		o := launch.Options{Host: h, Environ: a.Environ, Policy: policy, Refused: a.refused, Admit: admit}
		next := piped(bufio.NewReader(a.Stdin))
		if asked != nil {
			close(asked.free) // nothing is drawn while a turn runs
			o.Ask = asked.answer
			next = func(ctx context.Context) (string, bool) { return asked.line(ctx, a.notes.Accent("› ")) }
		}
		c, talk, err := a.connect(ctx, p, pr, o)
		if c != nil {
			defer c.Close()
		}
		if err != nil {
			return 0, err
		}
		status, greeted := exitOK, false
		for {
			text, more := sig.during(rest, next)
			switch {
			case !more && sig.came():
				return exitCancelled, nil
			case text != "":
				show := a.showingMore(p, talk)
				if !greeted {
					show, greeted = a.showing(p, talk), true
				}
				if status, err = a.oneOfMany(rest, c, show, text, sig); err != nil {
					return 0, err
				}
			case !more:
				return status, nil // that of the last turn
			}
		}
	}
}

// oneOfMany runs a turn, which an interrupt cancels.
func (a *app) oneOfMany(ctx context.Context, c *launch.Conn, show *showing, text string, sig signals) (int, error) {
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-sig.interrupt:
			c.Cancel()
		case s := <-sig.end:
			putBack(sig.end, s) // for what comes after the turn
			c.Cancel()
		case <-over:
		}
	}()
	for e := range c.Prompt(ctx, launch.Block{Text: text}) {
		show.event(e)
	}
	a.finished(ctx, show.last)
	status, err := show.end()
	if err != nil && terminal(a.Stdin) {
		// A person may try again; a script is told at once.
		return a.exit(err), nil
	}
	return status, err
}

// signals are those of a person that cancel a turn, or end all when none runs, and those that end all anyway.
type signals struct{ interrupt, end chan os.Signal }

// during waits for the next prompt until a signal comes, which it leaves to be seen.
func (s signals) during(ctx context.Context, next func(context.Context) (string, bool)) (string, bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case got := <-s.interrupt:
			putBack(s.interrupt, got)
		case got := <-s.end:
			putBack(s.end, got)
		case <-ctx.Done():
		}
		cancel()
	}()
	return next(ctx)
}

// putBack puts a signal back, unless another has come since.
func putBack(to chan os.Signal, got os.Signal) {
	select {
	case to <- got:
	default:
	}
}

// came says whether a signal has come that nothing was made of yet.
func (s signals) came() bool { return len(s.interrupt)+len(s.end) > 0 }

// piped gives one line after the other, until there is none or ctx has ended.
func piped(from *bufio.Reader) func(context.Context) (string, bool) {
	type line struct {
		text string
		more bool
	}
	return func(ctx context.Context) (string, bool) {
		read := make(chan line, 1)
		go func() {
			text, err := readLine(from)
			read <- line{strings.TrimSpace(text), err == nil}
		}()
		select {
		case <-ctx.Done():
			return "", false
		case l := <-read:
			return l.text, l.more
		}
	}
}

// readLine reads a line of at most what a prompt may have.
func readLine(from *bufio.Reader) (string, error) {
	var whole strings.Builder
	for {
		part, more, err := from.ReadLine()
		if whole.Len()+len(part) > maxPrompt {
			return "", io.ErrShortBuffer
		}
		whole.Write(part)
		if err != nil || !more {
			return whole.String(), err
		}
	}
}

// stopped is the answer of a stop.
type stopped struct {
	Ref     core.Ref `json:"ref"`
	Clients int      `json:"clients"` // that were ended
}

func (a *app) stopCommand() *cobra.Command {
	var workspace string
	cmd := &cobra.Command{
		Use:   "stop SESSION",
		Short: "End the client of a session that runs, with everything that it has started",
		Long: `End the client of a session that runs, whoever drives it, with everything that it has started, and what earlier ones have
left running: it is asked to, and killed after two seconds. The session stays prepared, unless the program that drove the
client takes it away. Nothing to end is no error.`,
		Example:           `  greenroom sessions stop k3f9`,
		Args:              takes("SESSION"),
		ValidArgsFunction: a.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := a.hostForState(cmd.Context())
			if err != nil {
				return err
			}
			defer h.Close()
			i, err := a.pick(cmd.Context(), h, workspace, args[0])
			if err != nil {
				return err
			}
			s := stopped{Ref: i.Ref}
			err = a.during("stopping "+paint.Clean(i.Ref.ID), func() (err error) {
				s.Clients, err = h.Stop(cmd.Context(), i.Ref)
				return err
			})
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(s)
			}
			v := a.view()
			if s.Clients == 0 {
				v.Line("Nothing runs in %s.", paint.Clean(i.Ref.ID))
				return nil
			}
			v.Line("%s %s has stopped", v.Style.Good("✓"), paint.Clean(i.Ref.ID))
			return nil
		},
	}
	cmd.Flags().StringVar(&workspace, "workspace", "", "`ID` of its workspace, where the session's id is not enough")
	return cmd
}
