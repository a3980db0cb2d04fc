package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

var stageNames = map[plan.Stage]string{
	plan.Network: "network", plan.Auth: "key", plan.Discovery: "models", plan.Inference: "answer",
}

var remedies = map[plan.Remedy]string{
	plan.CheckAddress: "check the network and the base URL", plan.CheckKey: "check the key",
	plan.AddModels: "add the ids of models yourself", plan.CheckModel: "check the id of the model", plan.SelectModel: "choose a model",
	plan.RetryInference: "try again later", plan.InstallProvider: "install or enable the vendor's client", plan.LogIn: "log in with the vendor's client",
}

// StageName is what people call a stage.
func StageName(s plan.Stage) string { return stageNames[s] }

// Remedy says to people what they can do, "" for nothing.
func Remedy(r plan.Remedy) string { return remedies[r] }

// stage writes how one stage went.
func (v View) stage(r plan.Result) { v.Line("%s", v.stageLine(r)) }

func (v View) stageLine(r plan.Result) string {
	mark, took := v.Style.Good("✓"), ""
	switch r.Status {
	case plan.Failed:
		mark = v.Style.Bad("✗")
	case plan.Skipped:
		mark = v.Style.Dim("–")
	}
	if r.Latency > 0 && r.Status != plan.Skipped {
		took = fmt.Sprintf("%d ms", r.Latency)
	}
	text := paint.Clean(r.Detail)
	if r.Status == plan.Skipped && text == "" {
		text = "skipped"
	}
	if r.Reason != "" {
		text = strings.TrimSpace(v.Style.Dim("["+string(r.Reason)+"]") + " " + text)
	}
	return strings.TrimRight(fmt.Sprintf("  %s %-8s %s  %s", mark, stageNames[r.Stage], v.Style.Dim(fmt.Sprintf("%9s", took)), text), " ")
}

func (v View) extras(all []plan.Extra) {
	names := map[string]string{"streaming": "streams", "tool_call": "tools"}
	for _, x := range all {
		if x.Status == plan.Passed {
			v.Line("  %s %s", v.Style.Good("✓"), names[x.Name])
			continue
		}
		v.Line("  %s %-8s %9s  %s %s", v.Style.Warn("!"), names[x.Name], "", v.Style.Dim("["+string(x.Reason)+"]"), paint.Clean(x.Detail))
	}
}

// Checked says what a check came to, below its stages.
func (v View) Checked(p plan.Plan, f detect.Found, kept bool) {
	v.extras(f.Extras)
	name := v.Style.Bold(paint.Clean(p.Name))
	if f.OK() {
		v.Line("%s %s works, asked of %s", v.Style.Good("✓"), name, paint.Clean(f.Model))
	}
	for _, r := range f.Stages {
		if r.Status == plan.Failed {
			v.Line("%s %s does not work yet: %s", v.Style.Bad("✗"), name, remedies[r.Remedy])
			break
		}
	}
	var fresh []string
	for _, m := range f.Discovered {
		if !p.Has(m.ID) {
			fresh = append(fresh, m.ID)
		}
	}
	if n := len(fresh); n > 0 {
		more := ""
		if n > 6 {
			fresh, more = fresh[:6], fmt.Sprintf(" and %d more", n-6)
		}
		v.Line("  %s", v.Style.Dim("it also lists "+paint.Clean(strings.Join(fresh, ", "))+more))
	}
	if !kept {
		v.Line("  %s", v.Style.Warn("the plan was changed meanwhile, so this is not kept"))
	}
}

// Board shows the stages of a check: on a terminal in place while they run, and at the end everywhere. A nil Board shows
// nothing.
type Board struct {
	v       View
	width   int // of the terminal, 0 for none
	results []plan.Result
	running plan.Stage
	frame   int
	drawn   int // lines on the screen
}

// NewBoard is an empty board on a terminal of so many columns, 0 for none.
func NewBoard(v View, width int) *Board { return &Board{v: v, width: width} }

// Began says that a stage runs.
func (b *Board) Began(s plan.Stage) {
	if b == nil {
		return
	}
	b.running = s
	b.draw()
}

// Done says how a stage went, perhaps anew.
func (b *Board) Done(r plan.Result) {
	if b == nil {
		return
	}
	if b.running == r.Stage {
		b.running = ""
	}
	if i := slices.IndexFunc(b.results, func(o plan.Result) bool { return o.Stage == r.Stage }); i >= 0 {
		b.results[i] = r
	} else {
		b.results = append(b.results, r)
	}
	b.draw()
}

// Tick moves the picture of the stage that runs.
func (b *Board) Tick() {
	if b != nil && b.running != "" {
		b.frame++
		b.draw()
	}
}

// End leaves the stages as they are, with all that there is to say of them.
func (b *Board) End() {
	if b == nil {
		return
	}
	b.erase()
	for _, r := range b.results {
		b.v.stage(r)
	}
}

func (b *Board) erase() {
	if b.drawn > 0 {
		fmt.Fprintf(b.v.W, "\x1b[%dA\r\x1b[J", b.drawn)
	}
	b.drawn = 0
}

// detailAt is the column that details stand at.
const detailAt = 24

// draw shows the stages so far. No line may be longer than the terminal is wide, or there would be more of them.
func (b *Board) draw() {
	if b.width < detailAt {
		return
	}
	var lines []string
	for _, r := range b.results {
		if most := b.width - detailAt - len(r.Reason) - 6; len([]rune(r.Detail)) > most {
			r.Detail = ""
		}
		lines = append(lines, b.v.stageLine(r))
	}
	if b.running != "" {
		frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
		lines = append(lines, "  "+b.v.Style.Accent(string(frames[b.frame%len(frames)]))+" "+stageNames[b.running])
	}
	b.erase()
	for _, l := range lines {
		fmt.Fprintln(b.v.W, l)
	}
	b.drawn = len(lines)
}
