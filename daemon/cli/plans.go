package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/socket"
	modelplan "github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// inWorkspace holds the flag that says whose plans and agents are meant.
type inWorkspace struct{ id string }

func (w *inWorkspace) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.id, "workspace", access.Personal, "`ID` of the workspace that it belongs to")
}

func (a *app) plansCommand() *cobra.Command {
	var in inWorkspace
	cmd := &cobra.Command{
		Use:   "plans",
		Short: "List the model plans, and work on them",
		Long: `List the model plans of a workspace. A plan is a named endpoint with its key, its models and a default model. A session
uses one when it is named, as in run --plan, or when its agent has one; no plan is used by itself.

A plan is ready once a check of it has passed, undetected before, detection_failed when a check found something wrong, or
disabled. Keys are stored encrypted, and never shown.`,
		Example: `  greenroom plans
  greenroom plans add DeepSeek --base-url https://api.deepseek.com --model deepseek-chat
  greenroom plans check DeepSeek
  greenroom run codex --plan DeepSeek`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withAccess(cmd.Context(), func(acc modelAccess) error {
				all, err := acc.Plans(cmd.Context(), in.id)
				if err != nil {
					return err
				}
				views := []modelplan.View{}
				for _, p := range all {
					views = append(views, p.View())
				}
				if a.json {
					return a.answer(views)
				}
				a.view().Plans(views)
				return nil
			})
		},
	}
	in.flags(cmd)
	cmd.AddCommand(a.addPlanCommand(), a.showPlanCommand(), a.checkPlanCommand(), a.editPlanCommand(), a.copyPlanCommand(),
		a.planReferencesCommand(), a.removePlanCommand(), a.importPlansCommand(), a.rotateCommand())
	return cmd
}

// onPlan is a command on the one plan that its first argument names.
func (a *app) onPlan(in *inWorkspace, work func(ctx context.Context, acc modelAccess, p modelplan.Plan, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return a.withAccess(cmd.Context(), func(acc modelAccess) error {
			p, err := acc.Find(cmd.Context(), in.id, args[0])
			if err != nil {
				return err
			}
			return work(cmd.Context(), acc, p, args[1:])
		})
	}
}

func (a *app) completePlans(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) == 0 {
		_ = a.withAccess(cmd.Context(), func(acc modelAccess) error {
			all, err := acc.Plans(cmd.Context(), cmd.Flag("workspace").Value.String())
			for _, p := range all {
				names = append(names, p.Name)
			}
			return err
		})
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// showPlan answers with a plan.
func (a *app) showPlan(p modelplan.Plan, done string) error {
	if a.json {
		return a.answer(p.View())
	}
	if done == "" {
		a.view().Plan(p.View(), a.Now())
		return nil
	}
	_, err := fmt.Fprintf(a.Stdout, "%s plan %s %s %s\n", a.style.Good("✓"), a.style.Bold(paint.Clean(p.Name)), done, a.style.Dim(p.ID))
	return err
}

func (a *app) showPlanCommand() *cobra.Command {
	var in inWorkspace
	cmd := &cobra.Command{
		Use:               "show PLAN",
		Short:             "Show a plan with its models and its last check",
		Example:           `  greenroom plans show DeepSeek`,
		Args:              takes("PLAN"),
		ValidArgsFunction: a.completePlans,
		RunE: a.onPlan(&in, func(_ context.Context, _ modelAccess, p modelplan.Plan, _ []string) error {
			return a.showPlan(p, "")
		}),
	}
	in.flags(cmd)
	return cmd
}

func (a *app) copyPlanCommand() *cobra.Command {
	var in inWorkspace
	cmd := &cobra.Command{
		Use:     "copy PLAN [NAME]",
		Short:   "Make a disabled copy of a plan, with its key",
		Example: `  greenroom plans copy DeepSeek "DeepSeek, other model"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return takes("PLAN")(cmd, args)
		},
		ValidArgsFunction: a.completePlans,
		RunE: a.onPlan(&in, func(ctx context.Context, acc modelAccess, p modelplan.Plan, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			made, err := acc.DuplicatePlan(ctx, in.id, p.ID, name)
			if err != nil {
				return err
			}
			return a.showPlan(made, "was made, and is disabled")
		}),
	}
	in.flags(cmd)
	return cmd
}

func (a *app) planReferencesCommand() *cobra.Command {
	var in inWorkspace
	cmd := &cobra.Command{
		Use:   "references PLAN",
		Short: "List what uses a plan",
		Long: `List what uses a plan. Agents keep it from being removed; sessions that run on it do not, and end with their turn when it
is gone.`,
		Example:           `  greenroom plans references DeepSeek`,
		Args:              takes("PLAN"),
		ValidArgsFunction: a.completePlans,
		RunE: a.onPlan(&in, func(ctx context.Context, acc modelAccess, p modelplan.Plan, _ []string) error {
			refs, err := acc.References(ctx, in.id, p.ID)
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(refs)
			}
			a.view().References(refs)
			return nil
		}),
	}
	in.flags(cmd)
	return cmd
}

func (a *app) removePlanCommand() *cobra.Command {
	var in inWorkspace
	cmd := &cobra.Command{
		Use:               "remove PLAN",
		Short:             "Remove a plan and its key",
		Long:              `Remove a plan and its key. One that agents use is refused; see references.`,
		Example:           `  greenroom plans remove DeepSeek`,
		Args:              takes("PLAN"),
		ValidArgsFunction: a.completePlans,
		RunE: a.onPlan(&in, func(ctx context.Context, acc modelAccess, p modelplan.Plan, _ []string) error {
			if err := acc.DeletePlan(ctx, in.id, p.ID, store.AnyRevision); err != nil {
				return err
			}
			return a.showPlan(p, "is gone")
		}),
	}
	in.flags(cmd)
	return cmd
}

func (a *app) rotateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt the stored keys of all workspaces anew, with a fresh secret",
		Long: `Put a fresh secret in the key file of the data directory, encrypt every stored key with it, and take the old secret away.
Do it when somebody else may have read the key file.

With GREENROOM_PLAN_SECRET set, encrypt every stored key with that instead, and leave the key file as it is.`,
		Example: `  greenroom plans rotate`,
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.accessConfig()
			if err != nil {
				return err
			}
			alone, err := socket.Lock(c.Dir)
			if errors.Is(err, socket.ErrBusy) {
				return refuse(codeServed, "end `greenroom serve`, and start it again afterwards", "a daemon works with the secret that is to be replaced, or another rotation does")
			}
			switch {
			case err == nil:
				defer alone.Close()
			case !errors.Is(err, fs.ErrNotExist): // where there is nothing, the rotation says so
				return problem.Wrap(err, problem.Storage, "the data directory cannot be locked").WithHint("mend its owner and mode")
			}
			sealed, unreadable, err := access.Rotate(cmd.Context(), c)
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(map[string]int{"sealed": sealed, "unreadable": unreadable})
			}
			with := "a fresh secret"
			if c.Secret != "" {
				with = "the secret of GREENROOM_PLAN_SECRET"
			}
			fmt.Fprintf(a.Stdout, "%s %d stored keys are encrypted with %s\n", a.style.Good("✓"), sealed, with)
			if unreadable > 0 {
				fmt.Fprintf(a.Stdout, "%s %d can be read with none of the secrets, which are all kept\n", a.style.Warn("!"), unreadable)
			}
			return nil
		},
	}
}
