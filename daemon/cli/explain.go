package cli

import (
	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
)

func (a *app) explainCommand() *cobra.Command {
	var r request
	cmd := &cobra.Command{
		Use:   "explain PROVIDER",
		Short: "Show what a session would look like, and why, without writing anything",
		Long: `Show what a session would look like, and why, without writing anything: every file, what it is made of, what is read of
yours, what comes along of your own set-up, and how the client would be started.

` + inheritLong,
		Example:           `  greenroom explain codex --inherit automation`,
		Args:              takes("PROVIDER"),
		ValidArgsFunction: a.completeProviders,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.sessionOf(cmd.Context(), r, args[0])
			if err != nil {
				return err
			}
			h, err := a.hostFor(cmd.Context(), s.Provider)
			if err != nil {
				return err
			}
			defer h.Close()
			var e *core.Explanation
			err = a.during("asking the adapter for "+s.Provider, func() error {
				e, err = h.Explain(cmd.Context(), s)
				return err
			})
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(e)
			}
			a.showExplanation(e)
			return nil
		},
	}
	r.flags(cmd)
	return cmd
}

func (a *app) showExplanation(e *core.Explanation) {
	v := a.view()
	v.Line("%s session, as it would be. %s", v.Style.Bold(e.Prepared.Provider), v.Style.Dim("Nothing is written."))
	v.Line("")
	v.Facts(e.Prepared)
	v.Title("What would be there")
	v.Tree(e.Tree)
	v.Title("What is looked at")
	v.Looked(e.Reads)
	v.Inherited(e.Prepared.Inherited)
	v.Overlay(e.Prepared)
	v.Skills(e.Prepared)
	v.Contributed(e)
	v.Diagnostics(e.Prepared.Diagnostics)
}
