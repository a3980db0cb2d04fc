package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Who plays.
const (
	realClient   = "real"
	plainProgram = "plain"
)

// act shows one session from request to clean-up.
func (d *Play) act(ctx context.Context, provider string) (*Act, error) {
	s := core.Session{Workspace: "demo", ID: "demo-" + provider, Provider: provider, Cwd: d.Stage.Project}
	v := d.View
	var p *core.Prepared
	started := d.Now()
	err := d.During("preparing "+provider, func() (err error) {
		p, err = d.Host.Prepare(ctx, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	took := d.Now().Sub(started)
	started = d.Now()
	again, err := d.Host.Prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	info, err := d.Host.Session(ctx, s.Ref())
	if err != nil {
		return nil, err
	}
	a := &Act{Provider: provider, Prepared: p, Tree: info.Tree}
	a.Checks = append(a.Checks, Check{"to prepare it again changes nothing", again.Generation == p.Generation})

	v.Title("Prepared in %.1f ms, again in %.1f ms", took.Seconds()*1000, d.Now().Sub(started).Seconds()*1000)
	v.Facts(p)
	d.checks(a.Checks)
	v.Title("What is there")
	v.Tree(a.Tree)
	v.Overlay(p)
	v.Skills(p)
	v.Inherited(p.Inherited)
	v.Diagnostics(p.Diagnostics)
	played, err := d.run(ctx, a)
	if err != nil {
		return nil, err
	}
	d.checks(played)
	a.Checks = append(a.Checks, played...)

	v.Title("Cleaned up")
	report, err := d.Host.Cleanup(ctx, s.Ref(), core.CleanupOptions{})
	if err != nil {
		return nil, err
	}
	v.Line("  %s", v.Removed(s.Ref(), report))
	v.Report(report)
	return a, nil
}

// run plays a session with the real client, or else with the plain program.
func (d *Play) run(ctx context.Context, a *Act) (checks []Check, err error) {
	p := a.Prepared
	lease, err := d.Host.Hold(ctx, p.Ref)
	if err != nil {
		return nil, err
	}
	defer func() {
		_, released := lease.Release(ctx)
		err = errors.Join(err, released)
	}()
	// A client whose version cannot be told does not run on this machine.
	if parts[p.Provider] == nil || p.Executable == "" || p.Version == "" {
		return d.runPlain(ctx, a)
	}
	a.Client = realClient
	d.View.Title("The real %s %s plays, against an endpoint on the loopback interface", p.Provider, paint.Clean(p.Version))
	var perf *performance
	err = d.During("waiting for "+p.Provider, func() error {
		perf, err = perform(ctx, p, d.Environ)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.View.Line("  %s %s", d.View.Style.Dim("asked"), prompt)
	d.View.Line("  %s  %s", d.View.Style.Dim("said"), paint.Clean(perf.said))
	if perf.status != nil || perf.turn == "" {
		d.View.Line("  %s %s", d.View.Style.Bad("stderr"), perf.errors)
	}
	return checksOfTurn(p, d.Product, perf), nil
}

// runPlain gives the plain program the overlay, and of the person's environment nothing but PATH.
func (d *Play) runPlain(ctx context.Context, a *Act) ([]Check, error) {
	a.Client = plainProgram
	p := a.Prepared
	args := append(append([]string{}, p.Args...), p.ArgsAfter...)
	told, err := d.toldOver(ctx, p)
	if err != nil {
		return nil, err
	}
	if len(told) == 0 {
		d.View.Title("A plain program reads it, through the overlay only")
	} else {
		d.View.Title("A plain program reads it, through the overlay, and where the client is told over its protocol to look for skills")
	}
	var base []string
	for _, kv := range d.Environ {
		if strings.HasPrefix(kv, "PATH=") {
			base = append(base, kv)
		}
	}
	cmd := d.Plain(ctx, append(args, told...))
	var out, errs bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = p.Environ(base), p.Cwd, &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the plain program: %w: %s", err, tail(errs.String()))
	}
	a.Found = out.String()
	if first := p.FirstPrompt(); first != "" {
		a.Found += "sent by the host behind the first prompt\n  text      " + gist(first) + "\n"
	}
	for line := range strings.Lines(a.Found) {
		d.View.Line("  %s", paint.Clean(strings.TrimRight(line, "\n")))
	}
	return checksOfReading(p, d.Product, a.Found), nil
}

// toldOver are the directories of skills that a client hears of over its protocol, and nowhere else.
func (d *Play) toldOver(ctx context.Context, p *core.Prepared) ([]string, error) {
	desc, err := d.Host.Descriptor(ctx, p.Provider)
	if err != nil || desc.Skills.Kind != preparer.SkillExtraRoots {
		return nil, err
	}
	var dirs []string
	for _, s := range p.Skills {
		if dir := filepath.Dir(filepath.Dir(s.Path)); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}
