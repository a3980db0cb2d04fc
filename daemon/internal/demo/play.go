package demo

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
)

// Play is one performance of the demo.
type Play struct {
	View    view.View
	Host    *core.Host
	Stage   *Stage
	Product string // as the host calls itself
	// Environ is the environment of the invented person.
	Environ []string
	// Plain starts the plain program with arguments and an environment.
	Plain func(ctx context.Context, args []string) *exec.Cmd
	// During shows that something takes its time.
	During func(what string, work func() error) error
	Now    func() time.Time
}

// Result is what the demo showed.
type Result struct {
	Acts []Act `json:"acts"`
	// Real names the real clients that played.
	Real   []string `json:"realClients"`
	Checks []Check  `json:"checks"` // of the whole
}

// Act is what one adapter showed.
type Act struct {
	Provider string         `json:"provider"`
	Prepared *core.Prepared `json:"prepared"`
	Tree     []core.Node    `json:"tree"`
	Client   string         `json:"client"` // real or plain
	Found    string         `json:"found,omitempty"`
	Checks   []Check        `json:"checks"`
}

// Failed says whether anything that was promised does not hold.
func (r *Result) Failed() bool {
	for _, a := range r.Acts {
		if failed(a.Checks) {
			return true
		}
	}
	return failed(r.Checks)
}

// Perform plays the demo.
func (d *Play) Perform(ctx context.Context) (*Result, error) {
	before, err := fingerprint(d.Stage.Home, d.Stage.State)
	if err != nil {
		return nil, err
	}
	var infos []core.AdapterInfo
	err = d.During("starting the adapters", func() error {
		infos, err = d.Host.Adapters(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	v := d.View
	v.Line("%s", v.Style.Bold("Greenroom gets coding agents ready before they go on stage."))
	v.Line("%s", v.Style.Dim("All of this happens in "+d.Stage.Root+", in an invented home that is shown as ~."))
	r := &Result{Real: []string{}}
	for i, info := range infos {
		if info.Error != "" {
			return nil, &core.Error{Code: info.Code, Op: "start", Subject: info.Provider, Detail: info.Error, Hint: info.Hint}
		}
		d.banner(fmt.Sprintf("%d/%d  %s", i+1, len(infos), info.Provider))
		act, err := d.act(ctx, info.Provider)
		if err != nil {
			return nil, err
		}
		r.Acts = append(r.Acts, *act)
		if act.Client == realClient {
			r.Real = append(r.Real, strings.TrimSpace(act.Provider+" "+act.Prepared.Version))
		}
	}
	if err := d.proof(ctx, r, before, ownState(infos)); err != nil {
		return nil, err
	}
	d.closing(r)
	return r, nil
}

func (d *Play) banner(text string) {
	d.View.Line("\n%s %s", d.View.Style.Accent("━━"), d.View.Style.Bold(paint.Clean(text)))
}

func (d *Play) checks(all []Check) {
	for _, c := range all {
		mark := d.View.Style.Good("✓")
		if !c.OK {
			mark = d.View.Style.Bad("✗")
		}
		d.View.Line("  %s %s", mark, c.Text)
	}
}

// closing says in the last line who played.
func (d *Play) closing(r *Result) {
	v := d.View
	v.Line("")
	if r.Failed() {
		v.Line("%s", v.Style.Bad("Something that was promised above does not hold."))
	}
	if len(r.Real) == 0 {
		v.Line("No real client was found, so a plain program read the sessions in its place.")
		return
	}
	v.Line("Played by the real %s.", paint.Clean(strings.Join(r.Real, " and ")))
}
