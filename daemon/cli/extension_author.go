package cli

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/scaffold"
)

func (a *app) initExtensionCommand() *cobra.Command {
	var id, name string
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "Begin a package: a directory with all files that it needs",
		Example: `  greenroom extension init acme
  greenroom extension init ./package --id acme --name "Acme Agent"`,
		Args: takes("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := a.abs(args[0])
			if id == "" {
				id = filepath.Base(dir)
			}
			if !trust.ValidID(id) {
				return usage("give one with --id, of a-z, 0-9, dot, underscore and hyphen", "%q cannot be the key of an agent", id)
			}
			if name == "" {
				name = id
			}
			files, err := scaffold.Extension(id, name)
			if err != nil {
				return err
			}
			if err := createTree(dir, files); err != nil {
				return err
			}
			names := slices.Sorted(maps.Keys(files))
			if a.json {
				return a.answer(map[string]any{"dir": dir, "id": id, "files": names})
			}
			v := a.view()
			v.Line("%s %s", a.style.Good("made"), v.Path(dir))
			for _, file := range names {
				v.Line("  %s", file)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&id, "id", "", "`KEY` of the agent among all (default: the name of the directory)")
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the agent for people (default: the key)")
	return cmd
}

func (a *app) validateExtensionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "validate PACKAGE",
		Short:   "List the rules that a package breaks, with file, field and how to mend it",
		Example: `  greenroom extension validate acme`,
		Args:    takes("PACKAGE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.readPackage(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			found := c.Validate()
			if a.json {
				if err := a.answer(map[string]any{"valid": len(found) == 0, "findings": append([]extension.Finding{}, found...)}); err != nil {
					return err
				}
			} else {
				a.showFaults(c, found)
			}
			if len(found) > 0 {
				return exitStatus(exitRefused)
			}
			return nil
		},
	}
}

func (a *app) showFaults(c *extension.Content, found []extension.Finding) {
	v := a.view()
	if len(found) == 0 {
		v.Line("%s %d files", a.style.Good("valid:"), len(c.Names()))
	}
	for _, f := range found {
		at := paint.Clean(f.File)
		if f.Line > 0 {
			at += ":" + itoa(f.Line)
		}
		if f.Field != "" {
			at += ": " + paint.Clean(f.Field)
		}
		v.Line("%s %s", a.style.Bold(at), paint.Clean(f.Rule))
		if f.Hint != "" {
			v.Line("  %s", a.style.Dim("hint: "+paint.Clean(f.Hint)))
		}
	}
}

// signFlags are common to what is signed.
type signFlags struct {
	keys          []string
	sequence      uint64
	expires, host string
	add           bool
}

func (f *signFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.keys, "key", nil, "`FILE` with a key to sign with, may be given again")
	flags.Uint64Var(&f.sequence, "sequence", 0, "`NUMBER` that is higher than that of every release before (default: the seconds since 1970)")
	flags.StringVar(&f.expires, "expires", "", "`TIME` from which it is not to be used, as 2027-12-31 or in RFC 3339")
	flags.StringVar(&f.host, "host", "", "`RANGE` of versions of Greenroom that it is for, as in \">=0.1.0 <1.0.0\"")
	flags.BoolVar(&f.add, "add", false, "add the signature to those that are there, and change nothing else")
}

func (f *signFlags) release(a *app, id, version string) (trust.Release, error) {
	expires, err := when("--expires", f.expires)
	if err == nil && !expires.IsZero() && !expires.After(a.Now()) {
		err = usage("give a time that is to come", "--expires %q is past", f.expires)
	}
	if f.sequence == 0 {
		f.sequence = uint64(a.Now().Unix())
	}
	return trust.Release{ID: id, Version: version, Sequence: f.sequence, IssuedAt: a.Now().UTC(), ExpiresAt: expires, Host: f.host}, err
}

func (a *app) signers(files []string) ([]*trust.Signer, error) {
	if len(files) == 0 {
		return nil, usage("as in --key acme.key; make one with `greenroom trust new-key acme.key`", "--key is missing")
	}
	var all []*trust.Signer
	for _, file := range files {
		if _, err := os.Stat(a.abs(file)); errors.Is(err, fs.ErrNotExist) {
			return nil, refuse(codeUnreadable, "name the file of your key, or make one with `greenroom trust new-key "+file+"`", "there is no key %s", a.abs(file))
		}
		data, err := a.read(file, 64<<10)
		if err != nil {
			return nil, err
		}
		s, err := trust.ParseSigner(data)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(a.abs(file)); err == nil && a.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			return nil, refuse(codeOpenKey, "chmod 600 "+file, "others may read the key %s", a.abs(file))
		}
		all = append(all, s)
	}
	return all, nil
}

func (a *app) signExtensionCommand() *cobra.Command {
	var f signFlags
	cmd := &cobra.Command{
		Use:   "sign DIR",
		Short: "Sign a package: write " + extension.SignatureFile + " into its directory",
		Example: `  greenroom extension sign acme --key acme.key
  greenroom extension sign acme --key second.key --add`,
		Args: takes("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch info, err := os.Stat(a.abs(args[0])); {
			case err != nil:
				return a.noPackage(args[0], err)
			case !info.IsDir():
				return usage("name the directory, sign it, and pack it then", "%q is no directory of a package", args[0])
			}
			c, err := extension.ReadDirectory(cmd.Context(), a.abs(args[0]))
			if err != nil {
				return err
			}
			signers, err := a.signers(f.keys)
			if err != nil {
				return err
			}
			envelope, err := a.signContent(c, f, signers)
			if err != nil {
				return err
			}
			signed, err := c.WithSignature(envelope)
			if err != nil {
				return err
			}
			// Nothing is written that would be refused here: a range of hosts is one that this version lies in.
			pkg, err := signed.Verify(policyOf(signers), trust.Terms{Now: a.Now(), Host: releaseHere()})
			if err != nil {
				return err
			}
			path := filepath.Join(a.abs(args[0]), extension.SignatureFile)
			if err := overwrite(path, envelope); err != nil {
				return unwritable(path, err)
			}
			return a.tellRelease("signed", pkg)
		},
	}
	f.flags(cmd)
	return cmd
}

func (a *app) signContent(c *extension.Content, f signFlags, signers []*trust.Signer) ([]byte, error) {
	if f.add {
		return trust.AddSignature(c.Signature(), signers...)
	}
	m, err := c.Manifest()
	if err != nil {
		return nil, err
	}
	r, err := f.release(a, m.AgentKey, m.Version)
	if err != nil {
		return nil, err
	}
	return trust.Sign(trust.Extension, r, c.Digests(), signers...)
}

// policyOf believes the signers themselves, to see that what they signed is what they meant.
func policyOf(signers []*trust.Signer) *trust.Policy {
	p := &trust.Policy{}
	for _, s := range signers {
		p.Keys = append(p.Keys, trust.Key{Name: "this key", ID: s.Public().ID, PEM: s.Public().PEM(),
			Kinds: []trust.Kind{trust.Extension, trust.Adapter}, Releases: []string{trust.AnyRelease}})
	}
	_ = p.Complete() // keys that were just read; Verify says when one is not complete
	return p
}

// overwrite writes a file so that a reader sees the old one or the new one.
func overwrite(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".signature-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
