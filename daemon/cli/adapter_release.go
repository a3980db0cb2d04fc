package cli

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/depot"
	"github.com/greenroom-agents/greenroom/core/lockfile"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// depot is where installed adapters lie.
func (a *app) depot() (*depot.Depot, error) {
	state, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	return depot.Open(filepath.Join(state, "adapters"), a.GOOS+"/"+runtime.GOARCH, nil), nil
}

func (a *app) signAdapterCommand() *cobra.Command {
	var f signFlags
	var id, version string
	var platforms []string
	var protocols []int
	cmd := &cobra.Command{
		Use:   "sign DIR",
		Short: "Sign the binaries of an adapter: write " + depot.SignatureFile + " into their directory",
		Long: `Sign the binaries of an adapter: write ` + depot.SignatureFile + ` into their directory. Which platform a program of Go is for
stands in it; others are named with --platform. The binary for this machine is started where it can be, and asked: what is
signed has the provider and the version that the adapter says.`,
		Example: `  greenroom adapters sign dist --id acme --version 1.0.0 --key acme.key
  greenroom adapters sign dist --id acme --version 1.0.0 --key acme.key --platform linux/amd64=acme-linux`,
		Args: takes("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := a.abs(args[0])
			signers, err := a.signers(f.keys)
			if err != nil {
				return err
			}
			path := filepath.Join(dir, depot.SignatureFile)
			envelope, err := a.signBinaries(cmd.Context(), dir, path, id, version, platforms, protocols, f, signers)
			if err != nil {
				return err
			}
			if err := overwrite(path, envelope); err != nil {
				return unwritable(path, err)
			}
			v, err := policyOf(signers).Verify(envelope, trust.Terms{Kind: trust.Adapter, Now: a.Now(), Host: releaseHere()})
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(v.Release)
			}
			a.view().Line("%s %s %s, sequence %d", a.style.Good("signed"), a.style.Bold(v.Release.ID), v.Release.Version, v.Release.Sequence)
			for _, platform := range slices.Sorted(maps.Keys(v.Release.Platforms)) {
				a.view().Line("  %-16s %s", platform, paint.Clean(v.Release.Platforms[platform].File))
			}
			return nil
		},
	}
	f.flags(cmd)
	cmd.Flags().StringVar(&id, "id", "", "`PROVIDER` that the adapter serves")
	cmd.Flags().StringVar(&version, "version", "", "`VERSION` of the adapter, such as 1.0.0")
	cmd.Flags().StringArrayVar(&platforms, "platform", nil, "`OS/ARCH=FILE` of a binary in the directory, may be given again (default: all programs of Go)")
	cmd.Flags().IntSliceVar(&protocols, "protocol", []int{protocol.Version}, "`NUMBER` of the contract that it speaks, may be given again")
	return cmd
}

func (a *app) signBinaries(ctx context.Context, dir, path, id, version string, platforms []string, protocols []int, f signFlags, signers []*trust.Signer) ([]byte, error) {
	if f.add {
		old, err := a.read(path, trust.MaxEnvelope)
		if err != nil {
			return nil, err
		}
		return trust.AddSignature(old, signers...)
	}
	files, err := binariesIn(dir, platforms)
	if err != nil {
		return nil, err
	}
	r, err := f.release(a, id, version)
	if err != nil {
		return nil, err
	}
	r.Protocols, r.Platforms = protocols, map[string]trust.Binary{}
	digests := trust.Digests{}
	for platform, file := range files {
		sum, size, err := sumOf(filepath.Join(dir, file))
		if err != nil {
			return nil, refuse(codeUnreadable, "name a binary in the directory", "%s: %s", filepath.Join(dir, file), plain(err))
		}
		digests[file], r.Platforms[platform] = sum, trust.Binary{File: file, Size: size}
	}
	envelope, err := trust.Sign(trust.Adapter, r, digests, signers...)
	if here, ok := r.Platforms[a.GOOS+"/"+runtime.GOARCH]; ok && err == nil {
		err = a.holdToItsWord(ctx, r, filepath.Join(dir, here.File), digests[here.File])
	}
	return envelope, err
}

// holdToItsWord refuses to sign an adapter as another one than it says it is: hosts would refuse it when it is handed out
// already. One that does not start here, as on a machine that only signs, is signed unasked.
func (a *app) holdToItsWord(ctx context.Context, r trust.Release, binary, digest string) error {
	pool, err := adapter.New(ctx, adapter.Config{
		Sources: []adapter.Source{{Path: binary, SHA256: digest}}, RunDir: a.TempDir, Now: a.Now,
	})
	if err != nil {
		return err
	}
	defer pool.Close()
	said, err := pool.Providers(ctx)
	if err != nil {
		return err
	}
	if is := said[0]; is.Err == nil && (is.Provider != r.ID || is.Identity.Version != r.Version) {
		return usage("sign it with --id "+is.Provider+" --version "+shellenv.Quote(is.Identity.Version)+", or build it anew",
			"--id %q --version %q: %s says that it is %s %q", r.ID, r.Version, filepath.Base(binary), is.Provider, is.Identity.Version)
	}
	return nil
}

// binariesIn says which file of a directory is for which platform.
func binariesIn(dir string, named []string) (map[string]string, error) {
	files := map[string]string{}
	for _, n := range named {
		platform, file, ok := strings.Cut(n, "=")
		if !ok || filepath.Base(file) != file || strings.Count(platform, "/") != 1 {
			return nil, usage("as in --platform linux/amd64=acme-linux", "--platform %q names no file of the directory", n)
		}
		files[platform] = file
	}
	if len(files) > 0 {
		return files, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, refuse(codeUnreadable, "name the directory of the binaries", "%s: %s", dir, plain(err))
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		info, err := buildinfo.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		var system, architecture string
		for _, s := range info.Settings {
			switch s.Key {
			case "GOOS":
				system = s.Value
			case "GOARCH":
				architecture = s.Value
			}
		}
		platform := system + "/" + architecture
		if other, ok := files[platform]; ok {
			return nil, refuse(codeBadAdapter, "take one away, or name the right one with --platform", "%s and %s are both for %s", other, e.Name(), platform)
		}
		files[platform] = e.Name()
	}
	if len(files) == 0 {
		return nil, refuse(codeNoAdapter, "name the binaries with --platform OS/ARCH=FILE", "there is no program of Go in %s", dir)
	}
	return files, nil
}

func sumOf(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

func (a *app) verifyAdapterCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "verify DIR",
		Short:   "Say whether the binaries of an adapter are signed by somebody whom you believe",
		Example: `  greenroom adapters verify dist`,
		Args:    takes("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, p, err := a.depotAndPolicy()
			if err != nil {
				return err
			}
			locked, err := d.Verify(cmd.Context(), a.abs(args[0]), p, a.terms())
			if err != nil {
				return err
			}
			return a.tellLocked("verified:", locked)
		},
	}
}

func (a *app) depotAndPolicy() (*depot.Depot, *trust.Policy, error) {
	d, err := a.depot()
	if err != nil {
		return nil, nil, err
	}
	p, err := a.trusted()
	return d, p, err
}

func (a *app) tellLocked(did string, l lockfile.Adapter) error {
	if a.json {
		return a.answer(l)
	}
	a.view().Line("%s %s %s, sequence %d, signed by %s", a.style.Good(did), a.style.Bold(l.ID), l.Version, l.Sequence, strings.Join(l.Signers, " and "))
	return nil
}

func (a *app) installAdapterCommand() *cobra.Command {
	var o depot.InstallOptions
	cmd := &cobra.Command{
		Use:   "install DIR",
		Short: "Install an adapter whose binaries are signed by somebody whom you believe",
		Long: `Install an adapter whose binaries are signed by somebody whom you believe. The one for this machine is copied into the
state directory and started from there; the digests of all platforms go into ` + lockfile.Name + `. It takes the place of an
adapter for the same provider that lies beside greenroom.`,
		Example: `  greenroom adapters install dist`,
		Args:    takes("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, p, err := a.depotAndPolicy()
			if err != nil {
				return err
			}
			locked, err := d.Install(cmd.Context(), a.abs(args[0]), p, a.terms(), o)
			if err != nil {
				return err
			}
			return a.tellLocked("installed", locked)
		},
	}
	cmd.Flags().BoolVar(&o.AllowDowngrade, "allow-downgrade", false, "take a release that is older than the one in the lock file")
	return cmd
}

func (a *app) lockAdapterCommand() *cobra.Command {
	o := depot.InstallOptions{LockOnly: true}
	cmd := &cobra.Command{
		Use:     "lock DIR",
		Short:   "Write an adapter into " + lockfile.Name + " for all platforms, without installing it",
		Example: `  greenroom adapters lock dist`,
		Args:    takes("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, p, err := a.depotAndPolicy()
			if err != nil {
				return err
			}
			locked, err := d.Install(cmd.Context(), a.abs(args[0]), p, a.terms(), o)
			if err != nil {
				return err
			}
			return a.tellLocked("locked", locked)
		},
	}
	cmd.Flags().BoolVar(&o.AllowDowngrade, "allow-downgrade", false, "take a release that is older than the one in the lock file")
	return cmd
}

func (a *app) removeAdapterCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove PROVIDER",
		Short:   "Take an installed adapter away",
		Example: `  greenroom adapters remove acme`,
		Args:    takes("PROVIDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.depot()
			if err != nil {
				return err
			}
			if err := d.Remove(cmd.Context(), args[0]); err != nil {
				return err
			}
			if a.json {
				return a.answer(map[string]string{"removed": args[0]})
			}
			a.view().Line("%s %s", a.style.Good("removed"), args[0])
			return nil
		},
	}
}

// plain is an error without the path, which is said already.
func plain(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
