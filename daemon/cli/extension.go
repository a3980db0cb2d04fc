package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/extension/composer"
	"github.com/greenroom-agents/greenroom/core/extension/index"
	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

func (a *app) extensionStore() (*extension.Store, error) {
	state, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	return extension.OpenStore(filepath.Join(state, "extensions"), nil), nil
}

func (a *app) extensionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "extension",
		Aliases: []string{"extensions"},
		Short:   "Describe an agent by data: make, sign, install packages",
		Long: `Describe an agent by data. A package says how sessions of an agent are prepared, without a program: its author signs it,
and whoever believes the author installs it. docs/authoring-extensions.md leads through all of it.`,
		Example: `  greenroom extension init acme
  greenroom extension install acme.zip
  greenroom prepare acp:acme`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.initExtensionCommand(), a.validateExtensionCommand(), a.signExtensionCommand(), a.packExtensionCommand(), a.verifyExtensionCommand(),
		a.installExtensionCommand(), a.listExtensionsCommand(), a.rollbackExtensionCommand(), a.removeExtensionCommand())
	return cmd
}

// release is a package as this tool tells of it.
type release struct {
	ID       string         `json:"id"`
	Provider string         `json:"provider"`
	Version  string         `json:"version"`
	Sequence uint64         `json:"sequence,omitempty"`
	Digest   string         `json:"digest"`
	Signers  []trust.KeyRef `json:"signers,omitempty"`
	Unsigned bool           `json:"unsigned,omitempty"`
	// LeftOut are newer releases of an index that were not taken.
	LeftOut []index.Left `json:"leftOut,omitempty"`
}

func releaseOf(p *extension.Package) release {
	r := p.Release()
	return release{ID: p.ID(), Provider: p.Provider(), Version: r.Version, Sequence: r.Sequence, Digest: p.Digest(), Signers: p.Signers(), Unsigned: p.Unsafe()}
}

func (a *app) tellRelease(did string, p *extension.Package, left ...index.Left) error {
	r := releaseOf(p)
	r.LeftOut = left
	if a.json {
		return a.answer(r)
	}
	for _, l := range left {
		a.view().Line("%s %s: %s", a.style.Dim("left out"), paint.Clean(l.Version), paint.Clean(l.Reason))
	}
	by := a.style.Warn("signed by nobody")
	if !r.Unsigned {
		var names []string
		for _, s := range r.Signers {
			names = append(names, paint.Clean(s.Name)+" ("+s.ID+")")
		}
		by = fmt.Sprintf("sequence %d, signed by %s", r.Sequence, strings.Join(names, " and "))
	}
	a.view().Line("%s %s %s, %s", a.style.Good(did), a.style.Bold(r.ID), r.Version, by)
	return nil
}

func (a *app) listExtensionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the installed extensions, and whether each is believed now",
		Example: `  greenroom extension list`,
		Args:    noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, p, err := a.storeAndPolicy()
			if err != nil {
				return err
			}
			all, err := s.List(cmd.Context(), p, a.terms())
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(listOf(all))
			}
			a.showExtensions(all)
			return nil
		},
	}
}

// listed is an installed extension in JSON.
type listed struct {
	extension.Installed
	Provider string            `json:"provider"`
	Composer *composer.Profile `json:"composer,omitempty"` // what the agent lets a person choose
	Error    *failure          `json:"error,omitempty"`
}

func listOf(all []extension.Installed) []listed {
	out := []listed{}
	for _, i := range all {
		l := listed{Installed: i, Provider: providerOf(i.ID)}
		if i.Package != nil {
			l.Composer, i.Err = i.Package.Composer()
		}
		if i.Err != nil {
			l.Error = explainFailure(i.Err)
		}
		out = append(out, l)
	}
	return out
}

func (a *app) showExtensions(all []extension.Installed) {
	v := a.view()
	if len(all) == 0 {
		v.Line("No extensions. %s", a.style.Dim("Install one with `greenroom extension install PACKAGE`."))
	}
	for _, i := range all {
		if e := i.Active; e != nil {
			v.Line("%s %s  %s", a.style.Bold(i.ID), e.Version, a.style.Dim(e.Digest[:min(12, len(e.Digest))]))
		}
		switch {
		case i.Err != nil:
			f := explainFailure(i.Err)
			v.Line("  %s %s", a.style.Bad("cannot be used:"), paint.Clean(f.Message))
			if f.Hint != "" {
				v.Line("  %s", a.style.Dim("hint: "+paint.Clean(f.Hint)))
			}
		case i.Package != nil:
			for _, s := range i.Package.Signers() {
				v.Line("  %s %s", a.style.Dim("signed by"), paint.Clean(s.Name)+" ("+s.ID+")")
			}
		}
		if i.Previous != nil {
			v.Line("  %s %s", a.style.Dim("before"), i.Previous.Version)
		}
		if i.Local != nil {
			v.Line("%s %s  %s", a.style.Bold(i.ID), i.Local.Version, a.style.Warn("signed by nobody; used with --unsafe-unsigned only"))
		}
	}
}

func (a *app) storeAndPolicy() (*extension.Store, *trust.Policy, error) {
	s, err := a.extensionStore()
	if err != nil {
		return nil, nil, err
	}
	p, err := a.trusted()
	return s, p, err
}

func (a *app) rollbackExtensionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rollback ID",
		Short:   "Use the release again that was active before",
		Example: `  greenroom extension rollback acme`,
		Args:    takes("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, p, err := a.storeAndPolicy()
			if err != nil {
				return err
			}
			pkg, err := s.Rollback(cmd.Context(), args[0], p, a.terms())
			if err != nil {
				return err
			}
			return a.tellRelease("active:", pkg)
		},
	}
}

func (a *app) removeExtensionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove ID",
		Short:   "Take an installed extension away; sessions that were prepared by it stay",
		Example: `  greenroom extension remove acme`,
		Args:    takes("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.extensionStore()
			if err != nil {
				return err
			}
			if err := s.Remove(cmd.Context(), args[0]); err != nil {
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

func providerOf(id string) string { return overlay.Prefix + id }

// described says whether an extension describes a provider, and no adapter.
func described(provider string) bool { return strings.HasPrefix(provider, overlay.Prefix) }

// extend gives a session the installed extension of its provider, if it is one of an extension.
func (a *app) extend(ctx context.Context, session *core.Session, unsigned bool) error {
	id, ok := strings.CutPrefix(session.Provider, overlay.Prefix)
	if !ok {
		if unsigned {
			return usage("leave it away", "--unsafe-unsigned is for providers that an extension describes, such as %sacme", overlay.Prefix)
		}
		return nil
	}
	s, err := a.extensionStore()
	if err != nil {
		return err
	}
	var pkg *extension.Package
	if unsigned {
		pkg, err = s.UnsafeLoadLocal(ctx, id)
	} else {
		var p *trust.Policy
		if p, err = a.trusted(); err == nil {
			pkg, err = s.Load(ctx, id, p, a.terms())
		}
	}
	if err != nil {
		return err
	}
	session.ExtensionRuntimePrep, err = pkg.Overlay()
	return err
}
