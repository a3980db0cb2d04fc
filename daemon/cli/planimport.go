package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/secret"
)

func (a *app) importPlansCommand() *cobra.Command {
	var old secret.Legacy
	var secretEnv string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Bring over the credentials and bindings of an earlier installation",
		Long: `Make plans of the provider credentials in the SQLite file of an earlier installation, and agents of its bindings. The file is
read and not changed, so that the earlier installation goes on working, and doing it again changes nothing.

Earlier installations sealed keys with the value of a variable, or with the names of the machine and of the directory of
configurations. Keys that none of these opens come over as they are, and have to be entered again (plans edit NAME --key).`,
		Example: `  greenroom plans import ~/.config/old/app.db
  greenroom plans import backup.db --host old-laptop --config-dir /home/me/.config
  greenroom plans import backup.db --secret-env OLD_SECRET`,
		Args: takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := a.abs(args[0])
			if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
				return refuse(codeUnreadable, "name the SQLite file of the earlier installation", "there is no such file")
			}
			if secretEnv != "" {
				if old.Secret = a.env(secretEnv); old.Secret == "" {
					return refuse(codeNoKey, "export it, or leave --secret-env away", "the variable %s is not set", secretEnv)
				}
			}
			old.Host = cmp.Or(old.Host, a.Hostname)
			old.ConfigDir = cmp.Or(old.ConfigDir, a.configDir())
			c, err := a.accessConfig()
			if err != nil {
				return err
			}
			c.Legacy = []secret.Legacy{old}
			opened, err := access.Open(cmd.Context(), c)
			if err != nil {
				return err
			}
			defer opened.Close()
			done, err := opened.ImportLegacy(cmd.Context(), file)
			if err != nil {
				return err
			}
			// Sealed as plans of now are: nobody has to know later what the earlier installation did.
			_, unreadable, err := opened.Reseal(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(map[string]int{"plans": done.Plans, "agents": done.Agents, "skipped": done.Skipped, "unreadable": unreadable})
			}
			fmt.Fprintf(a.Stdout, "%s %d plans and %d agents came over\n", a.style.Good("✓"), done.Plans, done.Agents)
			if done.Skipped > 0 {
				fmt.Fprintf(a.Stdout, "%s %d rows make no plan or agent of now, and were left\n", a.style.Warn("!"), done.Skipped)
			}
			if unreadable > 0 {
				fmt.Fprintf(a.Stdout, "%s %d stored keys cannot be opened: enter them again, or import again with what they were sealed with\n", a.style.Warn("!"), unreadable)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&secretEnv, "secret-env", "", "`NAME` of a variable with the secret that keys were sealed with")
	f.StringVar(&old.Host, "host", "", "`NAME` of the machine at that time (default: this one's)")
	f.StringVar(&old.ConfigDir, "config-dir", "", "`DIR` of configurations at that time (default: this user's)")
	return cmd
}

// configDir is where programs keep the user's configurations, "" when that is not known.
func (a *app) configDir() string {
	switch a.GOOS {
	case "windows":
		return a.env("APPDATA")
	case "darwin":
		if a.Home != "" {
			return filepath.Join(a.Home, "Library", "Application Support")
		}
		return ""
	}
	if xdg := a.env("XDG_CONFIG_HOME"); filepath.IsAbs(xdg) {
		return xdg
	}
	if a.Home == "" {
		return ""
	}
	return filepath.Join(a.Home, ".config")
}
