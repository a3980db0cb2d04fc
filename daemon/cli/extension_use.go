package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/daemon/internal/checkup"
	"github.com/greenroom-agents/greenroom/daemon/internal/roster"
)

// named is the provider that a person means by a word: an extension that is installed may be called by its ID alone where no
// adapter could have that name.
func (a *app) named(ctx context.Context, word string, unsigned bool) string {
	if described(word) {
		return word
	}
	found, err := a.found()
	if err != nil || slices.ContainsFunc(found, func(f roster.Adapter) bool { return f.Provider == word || f.Provider == "" }) {
		return word
	}
	s, err := a.extensionStore()
	if err != nil {
		return word
	}
	if unsigned {
		_, err = s.UnsafeLoadLocal(ctx, word)
	} else {
		_, err = s.Load(ctx, word, &trust.Policy{}, a.terms()) // nobody is believed here: only whether it is there is asked
	}
	if core.CodeOf(err) == core.ErrNotInstalled {
		return word
	}
	return providerOf(word)
}

// installed are the providers that installed extensions describe.
func (a *app) installed() []string {
	s, p, err := a.storeAndPolicy()
	if err != nil {
		return nil
	}
	all, err := s.List(context.Background(), p, a.terms())
	if err != nil {
		return nil
	}
	var names []string
	for _, i := range all {
		if i.Active != nil {
			names = append(names, providerOf(i.ID))
		}
	}
	return names
}

// examineExtensions judges the installed extensions, whether they are believed now, and what a session of each would be.
func (a *app) examineExtensions(ctx context.Context) []checkup.Finding {
	s, p, err := a.storeAndPolicy()
	if err != nil {
		return []checkup.Finding{a.finding("extensions", err)}
	}
	list, err := s.List(ctx, p, a.terms())
	if err != nil {
		return []checkup.Finding{a.finding("extensions", err)}
	}
	if len(list) == 0 {
		return nil
	}
	h, err := a.hostForState(ctx)
	if err != nil {
		return []checkup.Finding{a.finding("extensions", err)}
	}
	defer h.Close()
	var all []checkup.Finding
	for _, i := range list {
		subject := "extension " + i.ID
		switch {
		case i.Err != nil:
			all = append(all, a.finding(subject, i.Err))
		case i.Package != nil:
			all = append(all, checkup.Finding{Level: checkup.Fine, Subject: subject, Text: fmt.Sprintf("version %s, signed by %s", i.Active.Version, i.Package.Signers()[0].Name)})
			o, err := i.Package.Overlay()
			if err != nil {
				all = append(all, a.finding(subject, err))
				continue
			}
			all = append(all, a.examineClient(ctx, h, core.Session{Provider: o.Provider(), ExtensionRuntimePrep: o})...)
		}
		if i.Local != nil {
			all = append(all, checkup.Finding{Level: checkup.Notice, Subject: subject, Text: "version " + i.Local.Version + " is signed by nobody, and used with --unsafe-unsigned only",
				Hint: "sign it when it is done"})
		}
	}
	return all
}
