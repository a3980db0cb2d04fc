package extension

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// Package is a verified package, with its files in memory. It does not change and is safe for concurrent use.
type Package struct {
	manifest Manifest
	verified trust.Verified
	unsafe   bool
	files    map[string][]byte
	content  *Content // that it was made of
}

// Verify reads the package in a directory and holds it to a policy.
func Verify(ctx context.Context, dir string, p *trust.Policy, t trust.Terms) (*Package, error) {
	c, err := ReadDirectory(ctx, dir)
	if err != nil {
		return nil, err
	}
	return c.Verify(p, t)
}

// Verify makes a package of content that the policy believes. Terms name no kind: it is that of extensions. Where content
// came with the document of a release and holds a signature too, both have to be believed, and what is said of the
// release is what the signature in it says. Errors are those of [trust.Policy.Verify], fault.Tampered for a file that is
// not the one that was signed, and fault.PackageRules.
func (c *Content) Verify(p *trust.Policy, t trust.Terms) (*Package, error) {
	v, err := c.verify(p, t)
	if err != nil {
		return nil, err
	}
	m, err := c.manifest()
	if err != nil {
		return nil, err
	}
	if m.AgentKey != v.Release.ID || m.Version != v.Release.Version {
		return nil, fault.New(fault.Untrusted, "verify", "package: "+ManifestFile,
			fmt.Sprintf("it describes %s %s, and was signed as %s %s", m.AgentKey, m.Version, v.Release.ID, v.Release.Version)).
			WithHint("sign the package again")
	}
	return &Package{manifest: m, verified: *v, files: c.files, content: c}, nil
}

func (c *Content) verify(p *trust.Policy, t trust.Terms) (*trust.Verified, error) {
	if c.release != nil {
		v, err := c.release.Verify(p, t)
		if err != nil || c.envelope == nil {
			return v, err
		}
		t.ID = v.Release.ID
	}
	if c.envelope == nil {
		return nil, fault.New(fault.Untrusted, "verify", "package", "it is not signed: there is no "+SignatureFile).
			WithHint("sign it with `greenroom extension sign`; while you develop it, it can be installed with --unsafe-unsigned")
	}
	t.Kind = trust.Extension
	v, err := p.Verify(c.envelope, t)
	if err != nil {
		return nil, err
	}
	if c.release != nil && c.release.Version != v.Release.Version {
		return nil, fault.New(fault.Untrusted, "verify", "extension "+v.Release.ID,
			fmt.Sprintf("it was signed as %s, and the document of its release is that of %s", v.Release.Version, c.release.Version))
	}
	return v, c.matches(v)
}

// Unchanged says with fault.Tampered that the files are not the ones any more that the signature is over. Who signed is not
// looked at; of a Sigstore bundle nothing is.
func (c *Content) Unchanged() error {
	if trust.IsBundle(c.envelope) {
		return nil
	}
	v, err := trust.UnsafeStatement(trust.Extension, c.envelope)
	if err != nil {
		return err
	}
	return c.matches(v)
}

// matches holds every file to the digest that was signed, and the files to the list of them.
func (c *Content) matches(v *trust.Verified) error {
	tampered := func(name, detail string) error {
		return fault.New(fault.Tampered, "verify", fmt.Sprintf("extension %s %s: %s", v.Release.ID, v.Release.Version, clip(name)), detail).
			WithHint("fetch the package again, or sign it again if you changed it")
	}
	for _, name := range c.Names() {
		want, listed := v.Files[name]
		if !listed {
			return tampered(name, "it was not signed with the others")
		}
		if got := c.reading().digests[name]; got != want {
			return tampered(name, "its SHA-256 is "+got+", signed is "+want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Files)) {
		if _, ok := c.files[name]; !ok {
			return tampered(name, "it was signed, and is missing")
		}
	}
	return nil
}

// UnsafeUnverified makes a package of content that nobody has verified, for an author who develops it. It is called by
// its version with "+local" and a part of its digest, so that it is taken for no release, and Unsafe says so for ever.
func (c *Content) UnsafeUnverified() (*Package, error) {
	m, err := c.manifest()
	if err != nil {
		return nil, err
	}
	sum := c.digest()
	v := trust.Verified{Kind: trust.Extension, Files: c.Digests(), Digest: sum,
		Release: trust.Release{ID: m.AgentKey, Version: localVersion(m.Version, sum)}}
	return &Package{manifest: m, verified: v, unsafe: true, files: c.files, content: c}, nil
}

func localVersion(version, sum string) string {
	for i := range version {
		if version[i] == '+' {
			version = version[:i]
			break
		}
	}
	return version + "+local." + sum[:12]
}

// digest names content that is not signed.
func (c *Content) digest() string {
	var b bytes.Buffer
	for _, name := range c.Names() {
		fmt.Fprintf(&b, "%d %s %s\n", len(name), name, digest(c.files[name]))
	}
	return digest(b.Bytes())
}

// Manifest is what the package says of itself.
func (p *Package) Manifest() Manifest { return p.manifest }

// ID is the key of the agent.
func (p *Package) ID() string { return p.verified.Release.ID }

// Provider is the id of the provider that sessions of the agent are prepared for.
func (p *Package) Provider() string { return "acp:" + p.ID() }

// Release is what was signed of it. That of an unsafe package has an ID and a version only.
func (p *Package) Release() trust.Release { return p.verified.Release }

// Digest names the package and all its bytes.
func (p *Package) Digest() string { return p.verified.Digest }

// Signers are the keys that counted; none for an unsafe package.
func (p *Package) Signers() []trust.KeyRef { return slices.Clone(p.verified.Signers) }

// Unsafe says that nobody has verified the package.
func (p *Package) Unsafe() bool { return p.unsafe }

// Names lists the files of the package, sorted.
func (p *Package) Names() []string { return slices.Sorted(maps.Keys(p.files)) }

// ReadFile is what is in a file of the package.
func (p *Package) ReadFile(name string) ([]byte, error) { return readFile(p.files, name) }

// Profile is the profile of a kind, and whether the package has one.
func (p *Package) Profile(kind string) ([]byte, bool) {
	data, ok := p.files[p.manifest.Profiles[kind]]
	return bytes.Clone(data), ok
}
