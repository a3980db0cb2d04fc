package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

const keepHelp = "`WHAT` to keep: nothing, transcripts or all"

// cleaned is the answer for one session. Name is that of its directory where the record is damaged and nothing else is known.
type cleaned struct {
	Ref    core.Ref     `json:"ref"`
	Name   string       `json:"name,omitempty"`
	Report *core.Report `json:"report"`
}

// target is a session to clean up, by its ids or, with a damaged record, by the name of its directory.
type target struct {
	ref  core.Ref
	name string
}

func (t target) String() string {
	if t.name != "" {
		return t.name
	}
	return t.ref.ID
}

func (t target) cleanup(ctx context.Context, h *core.Host, o core.CleanupOptions) (*core.Report, error) {
	if t.name != "" {
		return h.CleanupDamaged(ctx, t.name, o)
	}
	return h.Cleanup(ctx, t.ref, o)
}

func (a *app) cleanupCommand() *cobra.Command {
	var workspace, keep string
	var all, force bool
	cmd := &cobra.Command{
		Use:   "cleanup SESSION...",
		Short: "Take sessions away again: everything that was written for them, and nothing else",
		Long: `Take sessions away again: everything that was written for them, and nothing else. What the client wrote into the session's
own directory goes too; what is yours, or was changed since, stays and is reported. What clients have left running in it is
ended first.

A session whose client still runs is refused, unless it is forced: then the client is ended too. With --all those whose
record is damaged go too; with --workspace they stay and make it fail, since nothing says whose they are.`,
		Example: `  greenroom cleanup k3f9
  greenroom cleanup --all --keep transcripts`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !all {
				return usage("see `greenroom sessions`, or give --all", "SESSION is missing")
			}
			if len(args) > 0 && all {
				return usage("take one of them", "--all and a session exclude each other")
			}
			return nil
		},
		ValidArgsFunction: a.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := parseKeep(keep)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			h, err := a.hostForState(ctx)
			if err != nil {
				return err
			}
			defer h.Close()
			targets, unread, err := a.chosen(ctx, h, workspace, args, all)
			if err != nil {
				return err
			}
			gone, err := a.cleanup(ctx, h, targets, core.CleanupOptions{Keep: k, UnsafeForce: force})
			return errors.Join(unread, err, a.unbind(ctx, gone))
		},
	}
	f := cmd.Flags()
	f.StringVar(&workspace, "workspace", "", "`ID` of the workspace, where the session's id is not enough; with --all only its sessions")
	f.StringVar(&keep, "keep", "nothing", keepHelp)
	f.BoolVar(&all, "all", false, "all sessions")
	f.BoolVar(&force, "unsafe-force", false, "even while a client runs in it")
	completeWith(cmd, "keep", "nothing", "transcripts", "all")
	return cmd
}

func parseKeep(text string) (core.Keep, error) {
	switch text {
	case "", "nothing":
		return core.KeepNothing, nil
	case "transcripts":
		return core.KeepTranscripts, nil
	case "all":
		return core.KeepAll, nil
	}
	return core.KeepNothing, usage("choose nothing, transcripts or all", "--keep does not know %q", text)
}

// chosen are the sessions that a person named, or all. unread is about those of all that nothing can be done about.
func (a *app) chosen(ctx context.Context, h *core.Host, workspace string, ids []string, all bool) (targets []target, unread, err error) {
	if all {
		infos, broken, err := a.list(ctx, h)
		for _, i := range infos {
			if workspace == "" || i.Ref.Workspace == workspace {
				targets = append(targets, target{ref: i.Ref})
			}
		}
		for _, b := range broken {
			if workspace == "" && errors.Is(b.err, core.ErrCorrupt) {
				targets = append(targets, target{name: b.name})
			} else {
				unread = errors.Join(unread, b.err)
			}
		}
		return targets, unread, err
	}
	for _, id := range ids {
		i, err := a.pick(ctx, h, workspace, id)
		if err != nil {
			return nil, nil, err
		}
		targets = append(targets, target{ref: i.Ref})
	}
	return targets, nil, nil
}

// cleanup takes sessions away one by one. One that is refused keeps none of the others.
func (a *app) cleanup(ctx context.Context, h *core.Host, targets []target, o core.CleanupOptions) (done []cleaned, failed error) {
	done = []cleaned{}
	for _, one := range targets {
		var report *core.Report
		err := a.during("cleaning up "+paint.Clean(one.String()), func() (err error) {
			report, err = one.cleanup(ctx, h, o)
			return err
		})
		if err != nil {
			failed = errors.Join(failed, err)
			if len(targets) > 1 && !a.json {
				v := a.view()
				v.Line("%s %s  %s", v.Style.Bad("✗"), paint.Clean(one.String()), paint.Clean(err.Error()))
			}
			continue
		}
		done = append(done, cleaned{one.ref, one.name, report})
		if !a.json {
			v := a.view()
			v.Line("%s %s", v.Style.Good("✓"), v.Removed(core.Ref{Workspace: one.ref.Workspace, ID: one.String()}, report))
			v.Report(report)
		}
	}
	if a.json {
		if err := a.answer(done); err != nil {
			return done, err
		}
	} else if len(targets) == 0 {
		a.view().Line("There is nothing to clean up.")
	}
	return done, failed
}

// unbind has plans know that sessions on them are gone. A host that was killed did not say so.
func (a *app) unbind(ctx context.Context, gone []cleaned) error {
	c, err := a.accessConfig()
	if err != nil || len(gone) == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.Dir, access.Database)); err != nil && c.Database == "" {
		return nil // there are no plans
	}
	opened, err := access.Open(ctx, c)
	if err != nil {
		return err
	}
	defer opened.Close()
	for _, one := range gone {
		err = errors.Join(err, opened.EndSessionAnywhere(ctx, one.Ref.Workspace+"/"+one.Ref.ID))
	}
	return err
}
