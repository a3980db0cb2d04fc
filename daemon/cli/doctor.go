package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/daemon/internal/checkup"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Say what is found, what is wrong, and how to mend it",
		Long: `Say which clients and adapters are found, whether the state directory can do what sessions need, whether a session of each
client could be prepared here, what is wrong, and how to mend it. It exits with 1 when something is wrong.`,
		Example: `  greenroom doctor`,
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			findings := a.examine(cmd.Context())
			wrong := 0
			for _, f := range findings {
				if f.Level == checkup.Wrong {
					wrong++
				}
			}
			if a.json {
				if err := a.answer(findings); err != nil {
					return err
				}
			} else {
				a.showFindings(findings, wrong)
			}
			if wrong > 0 {
				return exitStatus(exitOther)
			}
			return nil
		},
	}
}

// examine looks at everything, and goes on whatever it finds.
func (a *app) examine(ctx context.Context) []checkup.Finding {
	var all []checkup.Finding
	state, err := a.stateDir()
	if err != nil {
		return append(all, a.finding("state", err))
	}
	all = append(all, checkup.State(state)...)
	if a.Home == "" {
		all = append(all, checkup.Finding{Level: checkup.Wrong, Subject: "home", Text: "is not known", Hint: "set HOME"})
	}
	sound := !slices.ContainsFunc(all, func(f checkup.Finding) bool { return f.Level == checkup.Wrong })
	all = append(all, a.examineAdapters(ctx, sound)...)
	if sound {
		all = append(all, a.examineExtensions(ctx)...)
	}
	if _, err := os.Stat(state); err == nil && sound {
		all = append(all, a.examineSessions(ctx)...)
	}
	return all
}

// examineAdapters judges all adapters, and where the ground is sound also what they would make of it.
func (a *app) examineAdapters(ctx context.Context, sound bool) []checkup.Finding {
	found, err := a.found()
	if err != nil {
		return []checkup.Finding{a.finding("adapters", err)}
	}
	if len(found) == 0 && a.unsafeAttach == "" {
		return []checkup.Finding{{
			Level: checkup.Wrong, Subject: "adapters", Text: "none are found beside greenroom or in GREENROOM_ADAPTERS",
			Hint: "build them with `make build`, or name one with --adapter",
		}}
	}
	var all []checkup.Finding
	usable := 0
	for _, f := range found {
		if _, err := a.source(f); err != nil {
			all = append(all, a.finding("adapter "+cmp.Or(f.Provider, filepath.Base(f.Path)), err))
			continue
		}
		usable++
	}
	if usable == 0 && a.unsafeAttach == "" {
		return all
	}
	h, err := a.hostForState(ctx)
	if err != nil {
		return append(all, a.finding("state", err))
	}
	defer h.Close()
	var infos []core.AdapterInfo
	err = a.during("asking the adapters", func() error {
		infos, err = h.Adapters(ctx)
		return err
	})
	if err != nil {
		return append(all, a.finding("adapters", err))
	}
	for _, info := range infos {
		subject := "adapter " + info.Provider
		if info.Error != "" {
			all = append(all, checkup.Finding{Level: checkup.Wrong, Subject: subject, Text: info.Error, Hint: info.Hint})
			continue
		}
		all = append(all, checkup.Finding{
			Level: checkup.Fine, Subject: subject, Text: fmt.Sprintf("version %s, protocol %d", info.Version, info.Protocol),
		})
		switch {
		case info.Digest == adapter.Attached:
			all = append(all, checkup.Finding{Level: checkup.Notice, Subject: subject, Text: "is a process that a debugger started, whatever program that is",
				Hint: "leave --unsafe-attach away when you have developed it"})
		case info.Unsafe:
			all = append(all, checkup.Finding{Level: checkup.Notice, Subject: subject, Text: "runs whatever its digest is",
				Hint: "leave --unsafe-any-digest away when you have developed it"})
		}
		if sound {
			all = append(all, a.examineClient(ctx, h, core.Session{Provider: info.Provider})...)
		}
	}
	return all
}

// examineClient judges a client, by what a session here would be.
func (a *app) examineClient(ctx context.Context, h *core.Host, s core.Session) []checkup.Finding {
	var all []checkup.Finding
	s.Workspace, s.ID, s.Cwd, s.TrustWorkspace = workspaceOf(a.Cwd), "doctor", a.Cwd, a.remembered(a.Cwd)
	e, err := h.Explain(ctx, s)
	if err != nil {
		f := a.finding("session of "+s.Provider, err)
		f.Text = "cannot be prepared here: " + f.Text
		return append(all, f)
	}
	client := "client " + s.Provider
	if p := e.Prepared; p.Executable != "" {
		all = append(all, checkup.Finding{Level: checkup.Fine, Subject: client, Text: strings.TrimSpace(a.view().Path(p.Executable) + " " + p.Version)})
	}
	if gates := e.Prepared.Gates(); len(gates) > 0 {
		all = append(all, checkup.Finding{Level: checkup.Fine, Subject: client, Text: "where nobody looks at it, it may wait at: " + strings.Join(gates, ", ")})
	}
	for _, d := range e.Prepared.Diagnostics {
		if d.Severity == preparer.Warning {
			all = append(all, checkup.Finding{Level: checkup.Notice, Subject: client, Text: d.Text, Hint: d.Hint})
		}
	}
	return all
}

func (a *app) examineSessions(ctx context.Context) []checkup.Finding {
	h, err := a.hostForState(ctx)
	if err != nil {
		return []checkup.Finding{a.finding("sessions", err)}
	}
	defer h.Close()
	var all []checkup.Finding
	count := 0
	for i, err := range h.Sessions(ctx) {
		switch {
		case err != nil:
			all = append(all, a.finding("sessions", err))
		case i.State != "ready" && !i.Running:
			all = append(all, checkup.Finding{
				Level: checkup.Notice, Subject: "session " + i.Ref.ID, Text: "is " + string(i.State),
				Hint: "prepare it again, or take it away with `greenroom cleanup`",
			})
		}
		count++
	}
	return append(all, checkup.Finding{Level: checkup.Fine, Subject: "sessions", Text: fmt.Sprintf("%d", count)})
}

func (a *app) finding(subject string, err error) checkup.Finding {
	f := explainFailure(err)
	return checkup.Finding{Level: checkup.Wrong, Subject: subject, Text: f.Message, Hint: f.Hint}
}

func (a *app) showFindings(findings []checkup.Finding, wrong int) {
	v := a.view()
	c := paint.Columns{}
	for _, f := range findings {
		mark := a.style.Good("✓")
		switch f.Level {
		case checkup.Notice:
			mark = a.style.Warn("!")
		case checkup.Wrong:
			mark = a.style.Bad("✗")
		}
		c.Row(mark, paint.Clean(f.Subject), v.Path(f.Text))
		if f.Hint != "" {
			c.Row("", "", a.style.Dim("hint: "+paint.Clean(f.Hint)))
		}
	}
	_, _ = c.WriteTo(a.Stdout)
	v.Line("")
	notices := slices.ContainsFunc(findings, func(f checkup.Finding) bool { return f.Level == checkup.Notice })
	switch {
	case wrong == 0 && notices:
		v.Line("%s", a.style.Warn("Nothing is wrong. The lines with ! are worth a look."))
	case wrong == 0:
		v.Line("%s", a.style.Good("All is well."))
	case wrong == 1:
		v.Line("%s", a.style.Bad("One thing is wrong."))
	default:
		v.Line("%s", a.style.Bad(fmt.Sprintf("%d things are wrong.", wrong)))
	}
}
