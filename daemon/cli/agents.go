package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	modelplan "github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func (a *app) agentsCommand() *cobra.Command {
	var in inWorkspace
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List the agents of a workspace, and work on them",
		Long: `List the agents of a workspace. An agent is a client with what you set it up with: a plan with a model and others that
stand in for it, instructions, skills and tools. run --agent begins a session of one.`,
		Example: `  greenroom agents
  greenroom agents add Reviewer --client codex --plan DeepSeek --instructions "Review, and change nothing."
  greenroom run codex --agent Reviewer`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withAccess(cmd.Context(), func(acc modelAccess) error {
				all, err := acc.Agents(cmd.Context(), in.id)
				if err != nil {
					return err
				}
				if a.json {
					return a.answer(all)
				}
				plans, err := acc.Plans(cmd.Context(), in.id)
				if err != nil {
					return err
				}
				a.view().Agents(all, plans)
				return nil
			})
		},
	}
	in.flags(cmd)
	cmd.AddCommand(a.addAgentCommand(), a.showAgentCommand(), a.editAgentCommand(), a.removeAgentCommand())
	return cmd
}

// definition holds the flags that say what an agent is.
type definition struct {
	name, description, client, plan, model, otherwise string
	instructions, file                                string
	fallbacks, skills, tools                          []string
}

func (d *definition) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.client, "client", "", "`ID` of its client, as in run")
	f.StringVar(&d.description, "description", "", "what it is good for")
	f.StringVar(&d.plan, "plan", "", "`NAME` of its model plan (default: the client's own login)")
	f.StringVar(&d.model, "model", "", "`ID` of the model of the plan that it begins with (default: the plan's)")
	f.StringArrayVar(&d.fallbacks, "fallback", nil, "`PLAN` or PLAN=MODEL that stands in for the plan, may be given again")
	f.StringVar(&d.otherwise, "on-plan-unavailable", "", "`native` (the client's own login, the default) or fail, when no plan can be used")
	f.StringVar(&d.instructions, "instructions", "", "what it is told")
	f.StringVar(&d.file, "instructions-file", "", "`FILE` with what it is told, - for stdin")
	f.StringArrayVar(&d.skills, "skill", nil, "`ID` of a skill, may be given again")
	f.StringArrayVar(&d.tools, "tool", nil, "`ID` of a tool, may be given again")
	completeWith(cmd, "on-plan-unavailable", "native", "fail")
}

// into puts what was typed into a spec. What was not typed stays.
func (d *definition) into(ctx context.Context, a *app, cmd *cobra.Command, acc modelAccess, in string, s *agent.Spec) error {
	given := cmd.Flags().Changed
	planID := func(name string) (string, error) {
		if name == "" {
			return "", nil
		}
		p, err := acc.Find(ctx, in, name)
		return p.ID, err
	}
	if given("client") {
		s.Harness = a.named(ctx, d.client, false)
	}
	if given("description") {
		s.Description = d.description
	}
	if given("plan") {
		id, err := planID(d.plan)
		if err != nil {
			return err
		}
		if s.Plan != id {
			s.Plan, s.Model = id, ""
		}
		if id == "" {
			s.Fallbacks = nil
		}
	}
	if given("model") {
		s.Model = d.model
	}
	if given("on-plan-unavailable") {
		s.OnPlanUnavailable = agent.Otherwise(d.otherwise)
	}
	if given("fallback") {
		s.Fallbacks = nil
		for _, f := range d.fallbacks {
			if f == "" {
				continue // --fallback= takes them away
			}
			name, model, _ := strings.Cut(f, "=")
			id, err := planID(name)
			if err != nil {
				return err
			}
			s.Fallbacks = append(s.Fallbacks, agent.Route{Plan: id, Model: model})
		}
	}
	for _, list := range []struct {
		flag        string
		words, into *[]string
	}{{"skill", &d.skills, &s.Skills}, {"tool", &d.tools, &s.Tools}} {
		if given(list.flag) {
			*list.into, s.CapabilitiesExplicit = *list.words, nil
		}
	}
	if given("instructions") {
		s.Instructions = d.instructions
	}
	if d.file != "" {
		text, err := a.readText(d.file)
		if err != nil {
			return err
		}
		s.Instructions = text
	}
	return nil
}

// readText reads a file that a person named, "-" for stdin.
func (a *app) readText(name string) (string, error) {
	from := a.Stdin
	if name != "-" {
		f, err := os.Open(a.abs(name))
		if err != nil {
			return "", usage("name a file that can be read, or - for stdin", "--instructions-file cannot be read")
		}
		defer f.Close()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, agent.MaxInstructions+1))
	return string(data), err
}

func (a *app) addAgentCommand() *cobra.Command {
	var in inWorkspace
	var d definition
	cmd := &cobra.Command{
		Use:   "add NAME --client ID",
		Short: "Add an agent",
		Example: `  greenroom agents add Reviewer --client codex --plan DeepSeek --instructions "Review, and change nothing."
  greenroom agents add Writer --client claude --plan Kimi --fallback Relay=claude-sonnet --on-plan-unavailable fail`,
		Args: takes("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if d.client == "" {
				return usage("as in --client codex", "--client is missing")
			}
			ctx := cmd.Context()
			return a.withAccess(ctx, func(acc modelAccess) error {
				s := agent.Spec{Name: args[0]}
				if err := d.into(ctx, a, cmd, acc, in.id, &s); err != nil {
					return err
				}
				h, err := a.harness(ctx, s.Harness)
				if err != nil {
					return err
				}
				made, err := acc.CreateAgent(ctx, in.id, h, s)
				if err != nil {
					return err
				}
				return a.showAgent(ctx, acc, made, "was added")
			})
		},
	}
	in.flags(cmd)
	d.flags(cmd)
	return cmd
}

func (a *app) editAgentCommand() *cobra.Command {
	var in inWorkspace
	var d definition
	cmd := &cobra.Command{
		Use:               "edit AGENT",
		Short:             "Change an agent",
		Long:              `Change an agent; what is not named stays as it is. Sessions that run are not changed.`,
		Example:           `  greenroom agents edit Reviewer --model deepseek-reasoner`,
		Args:              takes("AGENT"),
		ValidArgsFunction: a.completeAgents,
	}
	cmd.RunE = a.onAgent(&in, func(ctx context.Context, acc modelAccess, old agent.Agent) error {
		s := old.Spec
		if d.name != "" {
			s.Name = d.name
		}
		if err := d.into(ctx, a, cmd, acc, in.id, &s); err != nil {
			return err
		}
		h, err := a.harness(ctx, s.Harness)
		if err != nil {
			return err
		}
		made, err := acc.UpdateAgent(ctx, in.id, old.ID, old.Revision, h, s)
		if err != nil {
			return err
		}
		return a.showAgent(ctx, acc, made, "was changed")
	})
	in.flags(cmd)
	d.flags(cmd)
	cmd.Flags().StringVar(&d.name, "name", "", "new name")
	return cmd
}

// onAgent is a command on the one agent that its argument names.
func (a *app) onAgent(in *inWorkspace, work func(context.Context, modelAccess, agent.Agent) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return a.withAccess(cmd.Context(), func(acc modelAccess) error {
			found, err := acc.FindAgent(cmd.Context(), in.id, args[0])
			if err != nil {
				return err
			}
			return work(cmd.Context(), acc, found)
		})
	}
}

func (a *app) showAgentCommand() *cobra.Command {
	var in inWorkspace
	cmd := &cobra.Command{
		Use:               "show AGENT",
		Short:             "Show an agent",
		Example:           `  greenroom agents show Reviewer`,
		Args:              takes("AGENT"),
		ValidArgsFunction: a.completeAgents,
		RunE: a.onAgent(&in, func(ctx context.Context, acc modelAccess, found agent.Agent) error {
			return a.showAgent(ctx, acc, found, "")
		}),
	}
	in.flags(cmd)
	return cmd
}

func (a *app) removeAgentCommand() *cobra.Command {
	var in inWorkspace
	cmd := &cobra.Command{
		Use:               "remove AGENT",
		Short:             "Remove an agent",
		Example:           `  greenroom agents remove Reviewer`,
		Args:              takes("AGENT"),
		ValidArgsFunction: a.completeAgents,
		RunE: a.onAgent(&in, func(ctx context.Context, acc modelAccess, found agent.Agent) error {
			if err := acc.DeleteAgent(ctx, in.id, found.ID, store.AnyRevision); err != nil {
				return err
			}
			return a.showAgent(ctx, acc, found, "is gone")
		}),
	}
	in.flags(cmd)
	return cmd
}

// showAgent answers with an agent.
func (a *app) showAgent(ctx context.Context, acc modelAccess, g agent.Agent, done string) error {
	if a.json {
		return a.answer(g)
	}
	if done != "" {
		_, err := fmt.Fprintf(a.Stdout, "%s agent %s %s %s\n", a.style.Good("✓"), a.style.Bold(paint.Clean(g.Name)), done, a.style.Dim(g.ID))
		return err
	}
	var plans []modelplan.Plan
	plans, err := acc.Plans(ctx, g.Workspace)
	if err == nil {
		a.view().Agent(g, plans)
	}
	return err
}

func (a *app) completeAgents(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if len(args) == 0 {
		_ = a.withAccess(cmd.Context(), func(acc modelAccess) error {
			all, err := acc.Agents(cmd.Context(), cmd.Flag("workspace").Value.String())
			for _, g := range all {
				names = append(names, g.Name)
			}
			return err
		})
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// harnessOf is a client that there is an adapter for.
func harnessOf(provider string, m preparer.Model) agent.Harness {
	return agent.Harness{ID: provider, Name: provider, Enabled: true, Available: true, Model: m}
}
