package cli

import (
	"context"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/extension/index"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/daemon/internal/download"
)

// indexFlags say which release of an index is wanted.
type indexFlags struct {
	from     []string
	wanted   index.Wanted
	patience time.Duration
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
publisher keeps (tutti.agent.versions.v1): a directory with versions.json in it, or the https:// address of such a file. Of
several the first that can be read counts. Releases in it name their key by the name that you gave it with
` + "`greenroom trust add-key`" + `. Nothing else here uses a network. Servers are believed by the certificates of the system, or by
those in the file that SSL_CERT_FILE names.`,
		Example: `  greenroom extension install acme.zip
  greenroom extension install acme --allow-downgrade
  greenroom extension install acme --index https://releases.example/acme/versions.json
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
	flags.DurationVar(&f.patience, "patience", download.DefaultPatience, "`TIME` after which a server of which nothing comes is given up")
	return cmd
}

// wantedPackage reads the package that is to be installed: from an index, or where it lies.
func (a *app) wantedPackage(cmd *cobra.Command, s *extension.Store, p *trust.Policy, word string, f indexFlags, unsigned bool) (*extension.Content, []index.Left, error) {
	if len(f.from) == 0 {
		for _, name := range []string{"version", "pre-release", "host-version", "host-capability", "patience"} {
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
	case f.patience <= 0:
		return nil, nil, usage("as in --patience 1m", "--patience is no time that could be waited")
	case !trust.ValidVersion(f.wanted.Host) || f.wanted.Version != "" && !trust.ValidVersion(f.wanted.Version):
		return nil, nil, usage("as in 1.2.0", "a version is given that is not a semantic one")
	}
	return a.find(cmd.Context(), s, p, word, f)
}

func (a *app) find(ctx context.Context, s *extension.Store, p *trust.Policy, id string, f indexFlags) (c *extension.Content, left []index.Left, err error) {
	var sources []index.Source
	for _, from := range f.from {
		switch {
		case strings.HasPrefix(from, "https://"):
			roots, err := a.authorities()
			if err != nil {
				return nil, nil, err
			}
			sources = append(sources, download.Index{URL: from, Transport: download.Transport(roots, http.ProxyFromEnvironment), Patience: f.patience})
		case strings.Contains(from, "://"):
			return nil, nil, usage("give an https:// address or a directory", "%q is neither", from)
		default:
			sources = append(sources, index.Directory(strings.TrimSuffix(a.abs(from), string(filepath.Separator)+index.VersionsFile)))
		}
	}
	if f.wanted.Have, err = s.Newest(ctx, id); err != nil {
		return nil, nil, err
	}
	err = a.during("looking for the release of "+id+" that fits", func() error {
		c, left, err = extension.Find(ctx, id, p, a.terms(), f.wanted, sources...)
		return err
	})
	return c, left, err
}

// authorities are those whose certificates of servers are believed: of the file that SSL_CERT_FILE names, on every system, or
// nil for those of the system.
func (a *app) authorities() (*x509.CertPool, error) {
	file := a.env("SSL_CERT_FILE")
	if file == "" {
		return nil, nil
	}
	const hint = "name a file with certificates in PEM, or unset SSL_CERT_FILE"
	data, err := os.ReadFile(a.abs(file))
	if err != nil {
		return nil, refuse(codeUnreadable, hint, "SSL_CERT_FILE: %s: %s", file, plain(err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, refuse(codeUnreadable, hint, "SSL_CERT_FILE: %s holds no certificate", file)
	}
	return pool, nil
}
