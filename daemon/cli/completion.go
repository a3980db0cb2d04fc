package cli

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core/trust"
)

func (a *app) completionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write the completion script of a shell: bash, zsh, fish or powershell",
		Example: `  source <(greenroom completion bash)
  greenroom completion fish > ~/.config/fish/completions/greenroom.fish`,
		Args:      takes("SHELL"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.Stdout)
			}
			return usage("choose bash, zsh, fish or powershell", "there is no completion for %q", args[0])
		},
	}
	return cmd
}

// completeWith completes a flag with fixed words.
func completeWith(cmd *cobra.Command, flag string, words ...string) {
	// The only error is a flag that does not exist, or that has a completion already: both faults of this package.
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)); err != nil {
		panic(err)
	}
}

// completeProviders completes the providers whose adapters are found.
func (a *app) completeProviders(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	found, err := a.found()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, f := range found {
		if f.Provider != "" {
			names = append(names, f.Provider)
		}
	}
	return append(names, a.installed()...), cobra.ShellCompDirectiveNoFileComp
}

// version is what this program says of itself.
type version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (v version) String() string { return v.Version + " " + v.Go + " " + v.Platform }

func versionHere() version {
	v := version{Version: "development", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if m := info.Main.Version; m != "" && m != "(devel)" {
			v.Version = m
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
	}
	return v
}

// releaseHere is the version that a signed release says which hosts it is for by. A build that has none is taken for the
// release that is to come.
func releaseHere() string {
	here := strings.TrimPrefix(versionHere().Version, "v")
	if !trust.ValidVersion(here) || strings.Contains(here, "-") {
		return nextRelease
	}
	return here
}

const nextRelease = "0.1.0"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Say the version",
		Example: `  greenroom version --json`,
		Args:    takes(),
		RunE: func(*cobra.Command, []string) error {
			v := versionHere()
			if a.json {
				return a.answer(v)
			}
			a.view().Line("greenroom %s %s", v.Version, a.style.Dim(v.Go+" "+v.Platform))
			return nil
		},
	}
}
