package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core/extension"
)

func itoa(n int) string { return strconv.Itoa(n) }

// readPackage reads a package of whatever form, and verifies nothing.
func (a *app) readPackage(ctx context.Context, path string) (*extension.Content, error) {
	return extension.ReadDirectory(ctx, a.abs(path))
}

func (a *app) verifyExtensionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "verify PACKAGE",
		Short:   "Say whether a package is signed by somebody whom you believe",
		Example: `  greenroom extension verify acme`,
		Args:    takes("PACKAGE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.readPackage(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			p, err := a.trusted()
			if err != nil {
				return err
			}
			pkg, err := c.Verify(p, a.terms())
			if err != nil {
				return err
			}
			return a.tellRelease("verified:", pkg)
		},
	}
}

func (a *app) installExtensionCommand() *cobra.Command {
	var o extension.InstallOptions
	cmd := &cobra.Command{
		Use:   "install PACKAGE",
		Short: "Install a package that is signed by somebody whom you believe",
		Long: `Install a package that is signed by somebody whom you believe, and make it the active one of its name. It is verified
again whenever it is used. The release before it stays, for ` + "`greenroom extension rollback`" + `.`,
		Example: `  greenroom extension install acme
  greenroom extension install acme --allow-downgrade`,
		Args: takes("PACKAGE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.readPackage(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			s, p, err := a.storeAndPolicy()
			if err != nil {
				return err
			}
			pkg, err := s.Install(cmd.Context(), c, p, a.terms(), o)
			if err != nil {
				return err
			}
			return a.tellRelease("installed", pkg)
		},
	}
	cmd.Flags().BoolVar(&o.AllowDowngrade, "allow-downgrade", false, "take a release that is older than one that was installed before")
	cmd.Flags().BoolVar(&o.UnsafeUnsigned, "unsafe-unsigned", false, "take a package that nobody has signed, for while you develop it")
	return cmd
}
