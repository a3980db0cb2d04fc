package cli

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/demo"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
)

// demoClient is the hidden command that plays where no real client is found.
const demoClient = "demo-client"

func (a *app) demoCommand() *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show all of it in scratch folders: prepare, run, clean up, nothing left",
		Long: `Show all of it in scratch folders with an invented home: for each adapter prepare a session, show what is there and how the
client would be started, run the client in it, clean up, and look for what is left.

The real client plays where it is on PATH, in the directory that GREENROOM_CLIENTS names, or in .cache/clients/current/bin
of a checkout, against an endpoint on the loopback interface; no account is needed, and nothing leaves the machine.
Where there is none, a plain program reads the session through its overlay. It exits with 1 when anything that is
promised does not hold.`,
		Example: `  greenroom demo`,
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			result, err := a.demo(cmd.Context(), keep)
			if err != nil {
				return err
			}
			if a.json {
				if err := a.answer(result); err != nil {
					return err
				}
			}
			if result.Failed() {
				return exitStatus(exitOther)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the scratch folder there afterwards")
	return cmd
}

func (a *app) demo(ctx context.Context, keep bool) (result *demo.Result, err error) {
	sources, err := a.sources("")
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, refuse(codeNoAdapter, "see `greenroom doctor`", "there is no adapter that may be started")
	}
	stage, err := demo.Build(a.TempDir)
	if err != nil {
		return nil, err
	}
	if !keep {
		defer func() { err = errors.Join(err, stage.Strike()) }()
	}
	environ := a.invented(stage)
	h, err := core.New(ctx, a.config(stage.State, stage.Home, environ, sources))
	if err != nil {
		return nil, err
	}
	defer h.Close()
	v := view.View{W: a.Stdout, Style: a.style, Home: stage.Home}
	if a.json {
		v.W, v.Style = io.Discard, paint.Style{}
	}
	play := &demo.Play{
		View: v, Host: h, Stage: stage, Product: identity.Product, Environ: environ, During: a.during, Now: a.Now,
		Plain: func(ctx context.Context, args []string) *exec.Cmd {
			return exec.CommandContext(ctx, a.Executable, append([]string{demoClient, "--"}, args...)...)
		},
	}
	return play.Perform(ctx)
}

// invented is the environment of the invented person: what programs need to run at all, and nothing else of ours.
func (a *app) invented(stage *demo.Stage) []string {
	path := []string{}
	if dir := a.env("GREENROOM_CLIENTS"); dir != "" {
		path = append(path, a.abs(dir))
	} else if a.Executable != "" {
		path = append(path, filepath.Join(filepath.Dir(filepath.Dir(a.Executable)), ".cache", "clients", "current", "bin"))
	}
	path = append(path, filepath.SplitList(a.env("PATH"))...)
	environ := []string{
		"HOME=" + stage.Home, "USERPROFILE=" + stage.Home, "NO_COLOR=1",
		"TMPDIR=" + stage.Temp, "TEMP=" + stage.Temp, "TMP=" + stage.Temp,
		"PATH=" + strings.Join(path, string(filepath.ListSeparator)),
	}
	names := []string{"LANG", "LC_ALL", "TZ", "SHELL", "USER", "LOGNAME"}
	if runtime.GOOS == "windows" {
		names = append(names, "SystemRoot", "PATHEXT", "COMSPEC")
	}
	for _, name := range names {
		if value := a.env(name); value != "" {
			environ = append(environ, name+"="+value)
		}
	}
	return slices.Clip(environ)
}

func (a *app) demoClientCommand() *cobra.Command {
	return &cobra.Command{
		Use:    demoClient + " -- ARGUMENT...",
		Short:  "Read a session through its overlay, and say what is found",
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return demo.Read(a.Stdout, a.Environ, args, a.Cwd)
		},
	}
}
