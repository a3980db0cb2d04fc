package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

const about = `Greenroom gets coding agents ready before they go on stage.

It prepares one session of a client such as Codex or Claude Code: instructions, skills and settings in files that belong
to that session alone, an overlay over the environment, and the arguments to start with. When the session is over it
takes away exactly what it wrote. Your own files stay as they are.`

const contract = `Exit status:
  0  done
  1  failed, or doctor found something wrong
  2  the command line is not understood
  3  refused; the code in brackets says why, the hint what to do
  run exits as the client did, with 128 + N when signal N ended it

Environment:
  GREENROOM_STATE     directory for sessions, as --state
  GREENROOM_ADAPTERS  more directories with adapters, as in PATH
  GREENROOM_DATA      directory for model plans and their encrypted keys (default: the user's data directory)
  NO_COLOR            no colours, which are off outside a terminal anyway`

// Names of the groups in the help.
const (
	groupStage = "stage"
	groupModel = "model"
	groupLook  = "look"
	groupOther = "other"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "greenroom",
		Short: "Get coding agents ready before they go on stage",
		Long:  about,
		Example: `  greenroom demo              see all of it in scratch folders
  greenroom explain codex     what a session would look like, nothing written
  greenroom run codex         prepare, run the client here, clean up
  greenroom doctor            what is found, what is wrong, how to mend it`,
		Version:       versionHere().String(),
		Args:          noCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		hint := "see `" + cmd.CommandPath() + " --help`"
		if cmd.Name() == "run" {
			hint += "; what is for the client stands behind --"
		}
		return usage(hint, "%s", err)
	})
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetVersionTemplate("greenroom {{.Version}}\n")
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	root.AddGroup(
		&cobra.Group{ID: groupStage, Title: "Sessions:"},
		&cobra.Group{ID: groupModel, Title: "Models:"},
		&cobra.Group{ID: groupLook, Title: "Look around:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	root.SetHelpCommandGroupID(groupOther)

	root.Flags().BoolP("version", "v", false, "say the version")
	flags := root.PersistentFlags()
	flags.BoolVar(&a.json, "json", false, "answer with JSON on stdout, and errors as JSON on stderr")
	flags.StringVar(&a.state, "state", "", "`DIR` that sessions are kept in (default $GREENROOM_STATE, else the user's state directory)")
	flags.StringArrayVar(&a.adapters, "adapter", nil, "`BINARY` of an adapter to use, may be given again (default: those beside greenroom)")
	flags.StringVar(&a.unsafeAttach, "unsafe-attach", "", "ask an adapter that a debugger started, at the `PLACE` that it prints")
	flags.BoolVar(&a.unsafeAnyDigest, "unsafe-any-digest", false, "run adapters whatever their digest is")

	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupStage, a.prepareCommand(), a.explainCommand(), a.runCommand(), a.promptCommand(), a.sessionsCommand(), a.cleanupCommand())
	add(groupModel, a.plansCommand(), a.agentsCommand(), a.serveCommand(), a.gatewayCommand())
	add(groupLook, a.demoCommand(), a.adaptersCommand(), a.extensionCommand(), a.trustCommand(), a.doctorCommand())
	add(groupOther, a.versionCommand(), a.completionCommand())
	root.AddCommand(a.demoClientCommand())
	a.refuseHelpForNothing(root)
	return root
}

// noCommand refuses arguments of a command that only groups others.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see `" + cmd.CommandPath() + " --help`"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage(hint, "there is no command %q", args[0])
}

// refuseHelpForNothing makes asking for help with a command that there is not the mistake that calling it is.
func (a *app) refuseHelpForNothing(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if named := cmd.Flags().Args(); cmd.HasSubCommands() && len(named) > 0 {
			a.helpless = noCommand(cmd, named)
			return
		}
		help(cmd, args)
	})
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "help" {
			cmd.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil || !found.HasSubCommands() {
					return err
				}
				return noCommand(found, rest)
			}
		}
	}
}

// takes says which arguments a command takes, by the names in its usage line.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "see `" + cmd.CommandPath() + " --help`"
		switch {
		case len(args) < len(names):
			return usage(hint, "%s is missing", names[len(args)])
		case len(args) > len(names):
			return usage(hint, "%q is one argument too many", args[len(names)])
		}
		return nil
	}
}

const usageTemplate = `Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} {{if .HasParent}}[COMMAND]{{else}}COMMAND{{end}} [flags]{{else}}{{.UseLine}}{{end}}
{{- if .HasExample}}

Example:
{{.Example}}
{{- end}}
{{- if .HasAvailableSubCommands}}{{$cmds := .Commands}}
{{- if .Groups}}
{{- range $group := .Groups}}

{{.Title}}
{{- range $cmds}}{{if and (eq .GroupID $group.ID) (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding}}  {{.Short}}{{end}}{{end}}{{end}}
{{- else}}

Commands:
{{- range $cmds}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}}  {{.Short}}{{end}}{{end}}
{{- end}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
{{- if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
`

const helpTemplate = `{{with (or .Long .Short)}}{{. | trimTrailingWhitespaces}}{{end}}

{{.UsageString}}{{if not .HasParent}}
` + contract + `
{{end}}`
