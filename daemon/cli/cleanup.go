package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

const keepHelp = "`WHAT` to keep: nothing, transcripts or all"

// cleaned is the answer for one session.
type cleaned struct {
	Ref    core.Ref     `json:"ref"`
	Report *core.Report `json:"report"`
}

func (a *app) cleanupCommand() *cobra.Command {
	var workspace, keep string
	var all, force bool
	cmd := &cobra.Command{
		Use:   "cleanup SESSION...",
		Short: "Take sessions away again: everything that was written for them, and nothing else",
		Long: `Take sessions away again: everything that was written for them, and nothing else. What the client wrote into the session's
own directory goes too; what is yours, or was changed since, stays and is reported.

A session whose client still runs is refused.`,
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
			refs, err := a.chosen(ctx, h, workspace, args, all)
			if err != nil {
				return err
			}
			return a.cleanup(ctx, h, refs, core.CleanupOptions{Keep: k, UnsafeForce: force})
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

// chosen are the sessions that a person named, or all.
func (a *app) chosen(ctx context.Context, h *core.Host, workspace string, ids []string, all bool) ([]core.Ref, error) {
	var refs []core.Ref
	if all {
		infos, _, err := a.list(ctx, h)
		for _, i := range infos {
			if workspace == "" || i.Ref.Workspace == workspace {
				refs = append(refs, i.Ref)
			}
		}
		return refs, err
	}
	for _, id := range ids {
		i, err := a.pick(ctx, h, workspace, id)
		if err != nil {
			return nil, err
		}
		refs = append(refs, i.Ref)
	}
	return refs, nil
}

// cleanup takes sessions away one by one. One that is refused keeps none of the others.
func (a *app) cleanup(ctx context.Context, h *core.Host, refs []core.Ref, o core.CleanupOptions) error {
	done := []cleaned{}
	var failed error
	for _, ref := range refs {
		var report *core.Report
		err := a.during("cleaning up "+paint.Clean(ref.ID), func() (err error) {
			report, err = h.Cleanup(ctx, ref, o)
			return err
		})
		if err != nil {
			failed = errors.Join(failed, err)
			if len(refs) > 1 && !a.json {
				v := a.view()
				v.Line("%s %s  %s", v.Style.Bad("✗"), paint.Clean(ref.ID), paint.Clean(err.Error()))
			}
			continue
		}
		done = append(done, cleaned{ref, report})
		if !a.json {
			v := a.view()
			v.Line("%s %s", v.Style.Good("✓"), v.Removed(ref, report))
			v.Report(report)
		}
	}
	if a.json {
		if err := a.answer(done); err != nil {
			return err
		}
	} else if len(refs) == 0 {
		a.view().Line("There is nothing to clean up.")
	}
	return failed
}
