package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

func (a *app) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions that exist",
		Long: `List the sessions that exist.

A session is ready, running, incomplete (prepare it again), or damaged (it can only be cleaned up).`,
		Example: `  greenroom sessions
  greenroom sessions show k3f9
  greenroom sessions attach k3f9`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, broken, err := a.sessions(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(all)
			}
			if len(all) > 0 || len(broken) == 0 {
				a.view().Sessions(all, a.Now())
			}
			return nil
		},
	}
	cmd.AddCommand(a.showSessionCommand(), a.attachCommand(), a.stopCommand(), a.recoverCommand())
	return cmd
}

func (a *app) showSessionCommand() *cobra.Command {
	var workspace string
	cmd := &cobra.Command{
		Use:               "show SESSION",
		Short:             "Show one session with its tree",
		Example:           `  greenroom sessions show k3f9`,
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
			if i, err = h.Session(cmd.Context(), i.Ref); err != nil {
				return err
			}
			if a.json {
				return a.answer(i)
			}
			a.view().Session(i, a.Now())
			return nil
		},
	}
	cmd.Flags().StringVar(&workspace, "workspace", "", "`ID` of its workspace, where the session's id is not enough")
	return cmd
}

func (a *app) recoverCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "recover",
		Short: "Bring sessions in order whose preparation or clean-up was cut off",
		Long: `Bring sessions in order whose preparation or clean-up was cut off, by a crash or a power cut: each becomes ready,
incomplete, or nothing. To prepare or clean up such a session does the same for that one.`,
		Example: `  greenroom sessions recover`,
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := a.hostForState(cmd.Context())
			if err != nil {
				return err
			}
			defer h.Close()
			var report *core.Report
			err = a.during("recovering", func() error {
				report, err = h.Recover(cmd.Context())
				return err
			})
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(report)
			}
			a.view().Recovered(report)
			return nil
		},
	}
}

// unread is a session whose record cannot be read.
type unread struct {
	name string // of its directory
	err  error
}

// sessions lists the sessions, the newest last. What cannot be read is said on stderr, and hides no other session.
func (a *app) sessions(ctx context.Context) (all []core.Info, broken []unread, err error) {
	h, err := a.hostForState(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer h.Close()
	return a.list(ctx, h)
}

func (a *app) list(ctx context.Context, h *core.Host) (all []core.Info, broken []unread, err error) {
	all = []core.Info{}
	for i, err := range h.Sessions(ctx) {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			broken = append(broken, unread{i.Name, err})
			fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Warn("greenroom:"), paint.Clean(err.Error()))
			if errors.Is(err, core.ErrCorrupt) {
				fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Accent("hint:"), hintFor(core.ErrCorrupt))
			}
			continue
		}
		all = append(all, i)
	}
	slices.SortStableFunc(all, func(x, y core.Info) int { return x.Updated.Compare(y.Updated) })
	return all, broken, nil
}

// pick is the session that a person means by an id, or by the beginning of one.
func (a *app) pick(ctx context.Context, h *core.Host, workspace, id string) (core.Info, error) {
	all, _, err := a.list(ctx, h)
	if err != nil {
		return core.Info{}, err
	}
	var exact, near []core.Info
	for _, i := range all {
		switch {
		case workspace != "" && i.Ref.Workspace != workspace:
		case i.Ref.ID == id:
			exact = append(exact, i)
		case id != "" && strings.HasPrefix(i.Ref.ID, id):
			near = append(near, i)
		}
	}
	if len(exact) == 0 {
		exact = near
	}
	switch len(exact) {
	case 1:
		return exact[0], nil
	case 0:
		// One whose record is damaged is in no list, and can still be named.
		ref := core.Ref{Workspace: cmp.Or(workspace, workspaceOf(a.Cwd)), ID: id}
		if _, err := h.Session(ctx, ref); errors.Is(err, core.ErrCorrupt) {
			return core.Info{Ref: ref}, nil
		}
		return core.Info{}, refuse(codeNoSession, "see `greenroom sessions`", "there is no session %q", id)
	}
	return core.Info{}, refuse(codeAmbiguous, "write more of the id, or name its workspace with --workspace",
		"%d sessions are called %q or begin so", len(exact), id)
}

func (a *app) completeSessions(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	if all, _, err := a.sessions(cmd.Context()); err == nil {
		for _, i := range all {
			ids = append(ids, i.Ref.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
