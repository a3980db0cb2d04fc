package cli

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/extension/index"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/daemon/internal/download"
)

// indexFlags say which release of an index is wanted.
type indexFlags struct {
	from   []string
	wanted index.Wanted
}

func (a *app) installExtensionCommand() *cobra.Command {
	var o extension.InstallOptions
	var f indexFlags
	cmd := &cobra.Command{
		Use:   "install PACKAGE|ID",
		Short: "Install a package that is signed by somebody whom you believe",
		Long: `Install a package that is signed by somebody whom you believe, and make it the active one of its name. It is verified
again whenever it is used. The release before it stays, for ` + "`greenroom extension rollback`" + `.

With --index the package is named by its ID, and the newest release that fits is taken from a list of releases that its
publisher keeps (tutti.agent.versions.v1): a directory with versions.json in it, or an https:// address. Of several the
first that can be read counts. Releases in it name their key by the name that you gave it with ` + "`greenroom trust add-key`" + `.
Nothing else here uses a network.`,
		Example: `  greenroom extension install acme.zip
  greenroom extension install acme --allow-downgrade
  greenroom extension install acme --index ./mirror/acme --pre-release`,
		Args: takes("PACKAGE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, p, err := a.storeAndPolicy()
			if err != nil {
				return err
			}
			f.wanted.AllowDowngrade = o.AllowDowngrade
			c, left, err := a.wantedPackage(cmd, s, p, args[0], f, o.UnsafeUnsigned)
			if err != nil {
				return err
			}
			pkg, err := s.Install(cmd.Context(), c, p, a.terms(), o)
			if err != nil {
				return err
			}
			return a.tellRelease("installed", pkg, left...)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.AllowDowngrade, "allow-downgrade", false, "take a release that is older than one that was installed before")
	flags.BoolVar(&o.UnsafeUnsigned, "unsafe-unsigned", false, "take a package that nobody has signed, for while you develop it")
	flags.StringArrayVar(&f.from, "index", nil, "`DIRECTORY` or https:// address with the releases of ID, may be given again")
	flags.StringVar(&f.wanted.Version, "version", "", "`VERSION` to take from the index (default: the newest that fits)")
	flags.BoolVar(&f.wanted.PreReleases, "pre-release", false, "count pre-releases, such as 2.0.0-rc.1, among what fits")
	flags.StringVar(&f.wanted.Host, "host-version", "", "`VERSION` that the index is to take this host for (default: that of greenroom)")
	flags.StringArrayVar(&f.wanted.Capabilities, "host-capability", nil, "`NAME` of something that the index is to take this host to be able to do, may be given again")
	return cmd
}

// wantedPackage reads the package that is to be installed: from an index, or where it lies.
func (a *app) wantedPackage(cmd *cobra.Command, s *extension.Store, p *trust.Policy, word string, f indexFlags, unsigned bool) (*extension.Content, []index.Left, error) {
	if len(f.from) == 0 {
		for _, name := range []string{"version", "pre-release", "host-version", "host-capability"} {
			if cmd.Flags().Changed(name) {
				return nil, nil, usage("name one with --index, or leave it away", "--%s says what to take from an index", name)
			}
		}
		c, err := a.readPackage(cmd.Context(), word)
		return c, nil, err
	}
	if f.wanted.Host == "" {
		f.wanted.Host = releaseHere()
	}
	switch {
	case unsigned:
		return nil, nil, usage("leave one of them away", "--unsafe-unsigned is not for releases of an index")
	case !trust.ValidID(word):
		return nil, nil, usage("with --index the package is named by its ID, such as acme", "%q cannot be the ID of an extension", word)
	case !trust.ValidVersion(f.wanted.Host) || f.wanted.Version != "" && !trust.ValidVersion(f.wanted.Version):
		return nil, nil, usage("as in 1.2.0", "a version is given that is not a semantic one")
	}
	return a.find(cmd.Context(), s, p, word, f)
}

func (a *app) find(ctx context.Context, s *extension.Store, p *trust.Policy, id string, f indexFlags) (*extension.Content, []index.Left, error) {
	var sources []index.Source
	for _, from := range f.from {
		switch {
		case strings.HasPrefix(from, "https://"):
			sources = append(sources, download.Index{URL: from, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}})
		case strings.Contains(from, "://"):
			return nil, nil, usage("give an https:// address or a directory", "%q is neither", from)
		default:
			sources = append(sources, index.Directory(strings.TrimSuffix(a.abs(from), string(filepath.Separator)+index.VersionsFile)))
		}
	}
	var err error
	if f.wanted.Have, err = s.Newest(ctx, id); err != nil {
		return nil, nil, err
	}
	return extension.Find(ctx, id, p, a.terms(), f.wanted, sources...)
}
