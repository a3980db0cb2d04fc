package cli

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/extension/oci"
	"github.com/greenroom-agents/greenroom/core/trust"
)

func itoa(n int) string { return strconv.Itoa(n) }

// readPackage reads a package of whatever form, a directory, a zip file or a layout, and verifies nothing.
func (a *app) readPackage(ctx context.Context, path string) (*extension.Content, error) {
	at := a.abs(path)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, a.noPackage(path, err)
	case !info.IsDir():
		return extension.ReadZip(ctx, at)
	case oci.Is(at):
		return oci.Read(ctx, at, "")
	}
	return extension.ReadDirectory(ctx, at)
}

// noPackage says that there is nothing where a person said that a package is.
func (a *app) noPackage(path string, err error) error {
	hint := "name a directory, a zip file or an OCI layout"
	if trust.ValidID(path) {
		hint += "; `greenroom extension init " + path + "` makes one to begin with, and install --index looks for a release of that ID"
	}
	return refuse(codeUnreadable, hint, "%s: %s", a.abs(path), plain(err))
}

func (a *app) packExtensionCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "pack DIR",
		Short: "Pack a signed package into a zip file, or into an OCI layout",
		Long: `Pack a signed package: into a zip file when the output is called .zip, else into a new directory in the layout of the Open
Container Initiative, which tools for registries can push. Equal packages make equal bytes.`,
		Example: `  greenroom extension pack acme --output acme.zip
  greenroom extension pack acme --output acme-oci`,
		Args: takes("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.readPackage(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			m, err := c.Manifest()
			if err != nil {
				return err
			}
			if c.Signature() == nil {
				return refuse(string(core.ErrUntrusted), "sign it first: greenroom extension sign "+args[0]+" --key FILE", "the package is not signed")
			}
			if err := c.Unchanged(); err != nil {
				return err
			}
			if output == "" {
				output = m.AgentKey + "-" + m.Version + ".zip"
			}
			at := a.abs(output)
			if err := a.pack(c, m.Version, at); err != nil {
				return err
			}
			if a.json {
				return a.answer(map[string]string{"id": m.AgentKey, "version": m.Version, "output": at})
			}
			a.view().Line("%s %s", a.style.Good("packed"), a.view().Path(at))
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "`FILE.zip` or directory to make (default: ID-VERSION.zip)")
	return cmd
}

func (a *app) pack(c *extension.Content, version, at string) error {
	if filepath.Ext(at) == ".zip" {
		data, err := c.Zip()
		if err != nil {
			return err
		}
		return create(at, data, 0o644)
	}
	files, err := oci.Layout(c, version)
	if err != nil {
		return err
	}
	return createTree(at, files)
}

// createTree writes files into a directory that is not there yet.
func createTree(dir string, files map[string][]byte) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return unwritable(dir, err)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return unwritable(path, err)
		}
		if err := create(path, files[file], 0o644); err != nil {
			return err
		}
	}
	return nil
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
