package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

// trustPath is the file of the trust policy.
func (a *app) trustPath() (string, error) {
	state, err := a.stateDir()
	return filepath.Join(state, "trust.json"), err
}

func (a *app) trusted() (*trust.Policy, error) {
	path, err := a.trustPath()
	if err != nil {
		return nil, err
	}
	p, err := trust.ReadFile(path)
	return p, inPolicy(path, err)
}

// inPolicy names the file of the policy to the person who is to mend it.
func inPolicy(path string, err error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.Code != core.ErrTrustPolicy {
		return err
	}
	named := *e
	named.Hint = cmp.Or(e.Hint, "mend it") + " (" + path + ")"
	return &named
}

// changeTrust changes the policy.
func (a *app) changeTrust(ctx context.Context, change func(*trust.Policy) error) (*trust.Policy, error) {
	path, err := a.trustPath()
	if err != nil {
		return nil, err
	}
	p, err := trust.ChangeFile(ctx, path, change)
	return p, inPolicy(path, err)
}

// terms are what a release has to be here.
func (a *app) terms() trust.Terms { return trust.Terms{Now: a.Now(), Host: releaseHere()} }

func (a *app) trustCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Say whose extensions and adapters are believed",
		Long: `Say whose extensions and adapters are believed. The policy is a file of yours in the state directory; without it nobody
is believed. Looking at a signature never needs a network.`,
		Example: `  greenroom trust show
  greenroom trust add-key acme.key.pub --name Acme --release acme`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.showTrustCommand(), a.newKeyCommand(), a.addKeyCommand(), a.revokeCommand(), a.updateTrustCommand())
	return cmd
}

func (a *app) showTrustCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Show whose releases are believed, and what was revoked",
		Example: `  greenroom trust show`,
		Args:    noCommand,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.trusted()
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(p)
			}
			a.showPolicy(p)
			return nil
		},
	}
}

func (a *app) showPolicy(p *trust.Policy) {
	v := a.view()
	if len(p.Keys) == 0 && len(p.Identities) == 0 {
		v.Line("Nobody is believed. %s", a.style.Dim("Add a key with `greenroom trust add-key`."))
	}
	for _, k := range p.Keys {
		v.Line("%s  %s", a.style.Bold(paint.Clean(k.Name)), k.ID)
		a.showReach(k.Kinds, k.Releases, k.ValidFrom, k.ValidUntil)
		if slices.Contains(p.RevokedKeys, k.ID) {
			v.Line("  %s", a.style.Bad("revoked"))
		}
	}
	for _, id := range p.Identities {
		v.Line("%s  %s of %s", a.style.Bold(paint.Clean(id.Name)), paint.Clean(id.Subject), paint.Clean(id.Issuer))
		a.showReach(id.Kinds, id.Releases, id.ValidFrom, id.ValidUntil)
		v.Line("  %s", a.style.Warn("by Sigstore bundles, which this tool does not verify and so refuses; hosts with the module keyless do"))
	}
	if p.Threshold > 1 {
		v.Line("%d of them have to sign.", p.Threshold)
	}
	for _, id := range p.RevokedKeys {
		if !slices.ContainsFunc(p.Keys, func(k trust.Key) bool { return k.ID == id }) {
			v.Line("revoked: %s", paint.Clean(id))
		}
	}
	for _, r := range p.RevokedReleases {
		v.Line("revoked: %s", strings.Join(strings.Fields(string(r.Kind)+" "+r.ID+" "+r.Version+" "+r.Digest), " "))
	}
	for _, f := range p.Floors {
		v.Line("%s %s: sequence %d and above", f.Kind, f.ID, f.Sequence)
	}
	if p.Roots == nil {
		return
	}
	v.Line("Version %d. A new policy has to be signed by %d of these:", p.Version, max(p.Roots.Threshold, 1))
	for _, k := range p.Roots.Keys {
		v.Line("  %s  %s", paint.Clean(k.Name), k.ID)
	}
}

// showReach says what a key, or an identity, may sign, and when.
func (a *app) showReach(kinds []trust.Kind, releases []string, from, until time.Time) {
	v, what := a.view(), ""
	for _, kind := range kinds {
		what += string(kind) + "s "
	}
	may := "every name"
	if !slices.Contains(releases, trust.AnyRelease) {
		may = strings.Join(releases, ", ")
	}
	v.Line("  %s %s(%s)", a.style.Dim("signs"), what, paint.Clean(may))
	if !from.IsZero() || !until.IsZero() {
		v.Line("  %s %s", a.style.Dim("valid"), window(from, until))
	}
}

func window(from, until time.Time) string {
	var parts []string
	if !from.IsZero() {
		parts = append(parts, "from "+from.UTC().Format(time.RFC3339))
	}
	if !until.IsZero() {
		parts = append(parts, "until "+until.UTC().Format(time.RFC3339))
	}
	return strings.Join(parts, " ")
}

func (a *app) newKeyCommand() *cobra.Command {
	var algorithm string
	cmd := &cobra.Command{
		Use:   "new-key FILE",
		Short: "Make a key to sign with: FILE, which is a secret, and FILE.pub",
		Example: `  greenroom trust new-key acme.key
  greenroom trust new-key acme.key --algorithm ecdsa-p256`,
		Args: takes("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := trust.GenerateSigner(trust.Algorithm(algorithm))
			if err != nil {
				return err
			}
			secret, err := s.PEM()
			if err != nil {
				return err
			}
			path := a.abs(args[0])
			if err := create(path, secret, 0o600); err != nil {
				return err
			}
			if err := create(path+".pub", []byte(s.Public().PEM()), 0o644); err != nil {
				return err
			}
			if a.json {
				return a.answer(map[string]string{"id": s.Public().ID, "private": path, "public": path + ".pub"})
			}
			v := a.view()
			v.Line("%s %s", a.style.Good("made"), s.Public().ID)
			v.Line("%s signs; keep it to yourself. %s is for those who shall believe you.", v.Path(path), v.Path(path+".pub"))
			return nil
		},
	}
	cmd.Flags().StringVar(&algorithm, "algorithm", string(trust.Ed25519), "`NAME` of the algorithm: ed25519 or ecdsa-p256")
	completeWith(cmd, "algorithm", string(trust.Ed25519), string(trust.ECDSAP256))
	return cmd
}

// create writes a file that is not there yet.
func create(path string, data []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
		_, err = f.Write(data)
		if err == nil {
			err = f.Chmod(mode)
		}
		err = errors.Join(err, f.Close())
	}
	return unwritable(path, err)
}

func unwritable(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return refuse(codeExists, "name another file, or take that one away", "%s is there already", path)
	}
	return refuse(codeUnwritable, "name a file in a directory that is there and that you may write to", "%s: %s", path, plain(err))
}

type keyFlags struct {
	name, from, until string
	kinds, releases   []string
	any               bool
}

func (a *app) addKeyCommand() *cobra.Command {
	var f keyFlags
	cmd := &cobra.Command{
		Use:   "add-key FILE",
		Short: "Believe what the owner of a public key signs under a name",
		Long: `Believe what the owner of a public key signs under the names that --release gives. Make sure first that the file is
theirs: compare the ID of the key with what they told you.`,
		Example: `  greenroom trust add-key acme.key.pub --name Acme --release acme
  greenroom trust add-key acme.key.pub --name Acme --release acme --kind adapter --until 2027-12-31`,
		Args: takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := a.keyOf(args[0], f)
			if err != nil {
				return err
			}
			p, err := a.changeTrust(cmd.Context(), func(p *trust.Policy) error {
				if slices.Contains(p.RevokedKeys, k.ID) {
					return refuse(string(core.ErrRevoked), "have its owner make another; if it was revoked by mistake, take it out of revokedKeys in the policy",
						"the key %s was revoked", k.ID)
				}
				if i := slices.IndexFunc(p.Keys, func(old trust.Key) bool { return old.ID == k.ID }); i >= 0 {
					p.Keys[i] = k
				} else {
					p.Keys = append(p.Keys, k)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(p)
			}
			a.view().Line("%s %s (%s)", a.style.Good("believed:"), paint.Clean(k.Name), k.ID)
			a.showReach(k.Kinds, k.Releases, k.ValidFrom, k.ValidUntil)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "`NAME` of the publisher")
	flags.StringArrayVar(&f.releases, "release", nil, "`ID` that it may sign, may be given again")
	flags.BoolVar(&f.any, "any-release", false, "let it sign every ID")
	flags.StringArrayVar(&f.kinds, "kind", nil, "`KIND` that it may sign: extension or adapter, may be given again (default: extension)")
	flags.StringVar(&f.from, "from", "", "`TIME` from which it may have signed")
	flags.StringVar(&f.until, "until", "", "`TIME` until which it may sign, as 2027-12-31 or in RFC 3339")
	completeWith(cmd, "kind", string(trust.Extension), string(trust.Adapter))
	return cmd
}

// signable are the kinds of releases.
var signable = map[trust.Kind]bool{trust.Extension: true, trust.Adapter: true}

func badKind(kind string) error {
	return usage("it is extension or adapter", "--kind %q is none", kind)
}

func (a *app) keyOf(file string, f keyFlags) (trust.Key, error) {
	k := trust.Key{Name: f.name, Releases: f.releases}
	if f.name == "" {
		return k, usage("as in --name Acme --release acme", "--name is missing")
	}
	if f.any == (len(f.releases) > 0) {
		return k, usage("as in --release acme, once for each name, or --any-release", "say which releases the key may sign")
	}
	if f.any {
		k.Releases = []string{trust.AnyRelease}
	}
	if len(f.kinds) == 0 {
		f.kinds = []string{string(trust.Extension)}
	}
	for _, id := range f.releases {
		if !trust.ValidID(id) {
			return k, usage("as in --release acme; --any-release is for all", "%q cannot be the ID of a release", id)
		}
	}
	for _, kind := range f.kinds {
		if !signable[trust.Kind(kind)] {
			return k, badKind(kind)
		}
		k.Kinds = append(k.Kinds, trust.Kind(kind))
	}
	var err error
	if k.ValidFrom, err = when("--from", f.from); err != nil {
		return k, err
	}
	if k.ValidUntil, err = when("--until", f.until); err != nil {
		return k, err
	}
	data, err := a.read(file, 64<<10)
	if err != nil {
		return k, err
	}
	public, err := trust.ParsePublicKey(data)
	if err != nil {
		return k, err
	}
	k.ID, k.PEM = public.ID, public.PEM()
	return k, nil
}

// when reads a time: a day, in UTC, or all of RFC 3339.
func when(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, usage("as in 2027-12-31 or 2027-12-31T12:00:00Z", "%s %q is no time", flag, text)
}

// read is what is in a file that a person named.
func (a *app) read(file string, limit int64) ([]byte, error) {
	path := a.abs(file)
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > limit) {
		return nil, refuse(codeUnreadable, "name another file", "%s is no file of at most %d KiB", path, limit>>10)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, refuse(codeUnreadable, "name another file", "%s: %s", path, plain(err))
	}
	return data, nil
}

func (a *app) revokeCommand() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "revoke KEY | ID@VERSION | DIGEST",
		Short: "Believe a key, or use a release, no more",
		Example: `  greenroom trust revoke SHA256:47DEQpj8HBSa-or-what-trust-show-says
  greenroom trust revoke acme@1.2.0`,
		Args: takes("KEY, ID@VERSION or DIGEST"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.changeTrust(cmd.Context(), func(p *trust.Policy) error { return revoke(p, args[0], trust.Kind(kind)) })
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(p)
			}
			a.view().Line("%s %s", a.style.Good("revoked:"), paint.Clean(args[0]))
			return nil
		},
	}
	cmd.Flags().StringVar(&kind, "kind", string(trust.Extension), "`KIND` of an ID@VERSION: extension or adapter")
	completeWith(cmd, "kind", string(trust.Extension), string(trust.Adapter))
	return cmd
}

func revoke(p *trust.Policy, what string, kind trust.Kind) error {
	id, version, named := strings.Cut(what, "@")
	r := trust.Revoked{Kind: kind, ID: id, Version: version}
	switch {
	case !signable[kind]:
		return badKind(string(kind))
	case keyForm.MatchString(what):
		if !slices.Contains(p.RevokedKeys, what) {
			p.RevokedKeys = append(p.RevokedKeys, what)
		}
		return nil
	case digestForm.MatchString(what):
		r = trust.Revoked{Digest: what}
	case !named || !trust.ValidID(id) || !trust.ValidVersion(version):
		return usage("as in SHA256:... of `greenroom trust show`, acme@1.2.0, or the digest of `greenroom extension list --json`", "%q is neither a key nor a release", what)
	}
	if !slices.Contains(p.RevokedReleases, r) {
		p.RevokedReleases = append(p.RevokedReleases, r)
	}
	return nil
}

var (
	keyForm    = regexp.MustCompile(`^SHA256:[0-9A-Za-z+/]{43}$`)
	digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func (a *app) updateTrustCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "update FILE",
		Short:   "Take a new policy that the roots of this one have signed",
		Example: `  greenroom trust update policy.dsse.json`,
		Args:    takes("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := a.read(args[0], trust.MaxPolicy*2)
			if err != nil {
				return err
			}
			p, err := a.changeTrust(cmd.Context(), func(p *trust.Policy) error {
				next, err := p.Update(data, a.Now())
				if err == nil {
					*p = *next
				}
				return err
			})
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(p)
			}
			a.view().Line("%s version %s", a.style.Good("taken:"), fmt.Sprint(p.Version))
			return nil
		},
	}
}
