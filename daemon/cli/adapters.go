package cli

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/roster"
)

func (a *app) adaptersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "adapters",
		Aliases: []string{"adapter"},
		Short:   "List the adapters, and what each reads of yours",
		Long: `List the adapters, with version, protocol, digest and state, and what each is told about your files. Nothing that is not
in that list is ever looked at for it.`,
		Example: `  greenroom adapters
  greenroom adapters show codex`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			listed, err := a.listAdapters(cmd)
			if err != nil {
				return err
			}
			if a.json {
				return a.answer(listed)
			}
			a.showAdapters(listed)
			return nil
		},
	}
	cmd.AddCommand(a.showAdapterCommand(), a.pinCommand(), a.signAdapterCommand(), a.verifyAdapterCommand(),
		a.installAdapterCommand(), a.lockAdapterCommand(), a.removeAdapterCommand())
	return cmd
}

// listing is all adapters that were found: what those that may be started say, and those that may not.
type listing struct {
	Adapters []core.AdapterInfo `json:"adapters"`
	Unpinned []string           `json:"unpinned"` // paths
	Refused  []refusedAdapter   `json:"refused,omitempty"`
}

// refusedAdapter is an installed one that must not be started.
type refusedAdapter struct {
	Provider string   `json:"provider"`
	Error    *failure `json:"error"`
}

func (a *app) listAdapters(cmd *cobra.Command) (listing, error) {
	l := listing{Adapters: []core.AdapterInfo{}, Unpinned: []string{}}
	found, err := a.found()
	if err != nil {
		return l, err
	}
	for _, f := range found {
		if f.Err != nil {
			l.Refused = append(l.Refused, refusedAdapter{f.Provider, explainFailure(f.Err)})
		} else if _, err := a.source(f); err != nil {
			l.Unpinned = append(l.Unpinned, f.Path)
		}
	}
	if len(found) == len(l.Unpinned)+len(l.Refused) && a.unsafeAttach == "" {
		return l, nil
	}
	h, err := a.hostForState(cmd.Context())
	if err != nil {
		return l, err
	}
	defer h.Close()
	err = a.during("asking the adapters", func() error {
		l.Adapters, err = h.Adapters(cmd.Context())
		return err
	})
	return l, err
}

func (a *app) showAdapters(l listing) {
	v := a.view()
	if len(l.Adapters)+len(l.Unpinned)+len(l.Refused) == 0 {
		v.Line("No adapters. %s", a.style.Dim("They are installed with `greenroom adapters install`, lie beside greenroom or in GREENROOM_ADAPTERS, or are named with --adapter."))
		return
	}
	for i, info := range l.Adapters {
		if i > 0 {
			v.Line("")
		}
		v.Adapter(info)
		if info.Descriptor != nil {
			v.Line("  %s", a.style.Dim("reads"))
			v.Reads(*info.Descriptor)
		}
	}
	for _, path := range l.Unpinned {
		v.Line("")
		v.Line("%s  %s", a.style.Bold(paint.Clean(filepath.Base(path))), a.style.Warn("not started: pinned to no digest"))
		v.Line("  %s", a.style.Dim("hint: if you trust it, "+pinning(path)))
	}
	for _, r := range l.Refused {
		v.Line("")
		v.Line("%s  %s", a.style.Bold(r.Provider), a.style.Bad("not started: "+paint.Clean(r.Error.Message)))
		if r.Error.Hint != "" {
			v.Line("  %s", a.style.Dim("hint: "+paint.Clean(r.Error.Hint)))
		}
	}
}

func (a *app) showAdapterCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "show PROVIDER",
		Short:             "Show all that one adapter may read and change",
		Example:           `  greenroom adapters show codex`,
		Args:              takes("PROVIDER"),
		ValidArgsFunction: a.completeProviders,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.sources(args[0]); err != nil {
				return err
			}
			l, err := a.listAdapters(cmd)
			if err != nil {
				return err
			}
			for _, info := range l.Adapters {
				if info.Provider != args[0] {
					continue
				}
				if a.json {
					return a.answer(info)
				}
				a.view().Adapter(info)
				if info.Descriptor != nil {
					a.view().Descriptor(*info.Descriptor)
				}
				return nil
			}
			return refuse(codeNoAdapter, "see `greenroom adapters`", "there is no adapter for %q", args[0])
		},
	}
}

func (a *app) pinCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "pin [DIR]",
		Short: "Pin the adapters of a directory to the digests they have now",
		Long: `Pin the adapters of a directory, by default the one of greenroom itself, to the digests they have now: write its
` + roster.PinFile + `. A build does this; after it a binary that was exchanged is refused.`,
		Example: `  greenroom adapters pin ./bin`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return takes("DIR")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir := filepath.Dir(a.Executable)
			if len(args) > 0 {
				dir = a.abs(args[0])
			}
			pins, err := roster.Pin(dir)
			var path *fs.PathError
			switch {
			case errors.Is(err, roster.ErrNone):
				return refuse(codeNoAdapter, "the file of an adapter is executable and called "+roster.Prefix+"PROVIDER",
					"there is no adapter in %s", dir)
			case errors.As(err, &path):
				return refuse(codeBadAdapter, "name a directory with adapters that you may write to", "%s: %s", path.Path, path.Err)
			case err != nil:
				return err
			}
			if a.json {
				return a.answer(pins)
			}
			a.view().Pins(pins, filepath.Join(dir, roster.PinFile))
			return nil
		},
	}
}
