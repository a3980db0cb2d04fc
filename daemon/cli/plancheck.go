package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
	modelplan "github.com/greenroom-agents/greenroom/daemon/plan"
)

func (a *app) checkPlanCommand() *cobra.Command {
	var in inWorkspace
	var model string
	cmd := &cobra.Command{
		Use:   "check PLAN",
		Short: "Check a plan's endpoint, stage by stage",
		Long: `Check a plan's endpoint in four stages: is it there, does it take the key, which models does it list, does one of them
answer. Then a streamed answer and a call of a tool are tried, which agents need; these fail nothing. It asks a model three
short questions, which may cost a little.

What is found is kept with the plan. The status is 1 when a stage failed.`,
		Example: `  greenroom plans check DeepSeek
  greenroom plans check DeepSeek --model deepseek-reasoner --json`,
		Args:              takes("PLAN"),
		ValidArgsFunction: a.completePlans,
		RunE: a.onPlan(&in, func(ctx context.Context, acc modelAccess, p modelplan.Plan, _ []string) error {
			found, kept, err := a.checkLive(ctx, acc, p, model)
			if err != nil {
				return err
			}
			if a.json {
				if found.Discovered == nil {
					found.Discovered = []modelplan.Model{}
				}
				err = a.answer(map[string]any{"detection": found.Detection, "discoveredModels": found.Discovered, "kept": kept})
			} else {
				a.view().Checked(p, found, kept)
				if !p.Enabled {
					a.hint("it is disabled: greenroom plans edit " + quoted(p.Name) + " --enable")
				}
			}
			if err == nil && !found.OK() {
				return exitStatus(exitOther)
			}
			return err
		}),
	}
	in.flags(cmd)
	cmd.Flags().StringVar(&model, "model", "", "`ID` of the model to ask (default: the plan's, else the first one listed)")
	return cmd
}

// checkLive checks a plan, and shows each stage as it goes.
func (a *app) checkLive(ctx context.Context, acc modelAccess, p modelplan.Plan, model string) (found detect.Found, kept bool, err error) {
	type event struct {
		began modelplan.Stage
		done  *modelplan.Result
	}
	events, over := make(chan event, 16), make(chan struct{})
	go func() {
		defer close(over)
		found, kept, err = acc.Check(ctx, p.Workspace, p.ID, access.CheckRequest{Model: model, Progress: detect.Progress{
			Began: func(s modelplan.Stage) { events <- event{began: s} },
			Done:  func(r modelplan.Result) { events <- event{done: &r} },
		}})
	}()
	board := view.NewBoard(a.view(), a.width())
	if a.json {
		board = nil
	}
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	for {
		select {
		case e := <-events:
			if e.done != nil {
				board.Done(*e.done)
			} else {
				board.Began(e.began)
			}
		case <-ticker.C:
			board.Tick()
		case <-over:
			for len(events) > 0 {
				if e := <-events; e.done != nil {
					board.Done(*e.done)
				}
			}
			board.End()
			return found, kept, err
		}
	}
}

// width is how many columns the terminal has that is written to, 0 when there is none that things can be drawn on.
func (a *app) width() int {
	f, ok := a.Stdout.(*os.File)
	if !ok || !terminal(a.Stdout) || a.env("TERM") == "dumb" {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// hint says what can be done next, to a person.
func (a *app) hint(text string) {
	if !a.json && terminal(a.Stderr) {
		fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Accent("hint:"), paint.Clean(text))
	}
}

func quoted(name string) string { return shellenv.Quote(name) }
