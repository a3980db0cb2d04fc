package page

import (
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/daemon/acceptance"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// doneWords are what is said after something was done, by the word for it in the address.
var doneWords = map[string]string{
	"plan-created": "The plan is saved. Nothing was asked of its endpoint yet: check it when you like.",
	"plan-saved":   "The plan is saved.",
	"plan-copied":  "This is the copy. It is disabled until you enable it.",
	"plan-enabled": "The plan is enabled: sessions can be begun on it.", "plan-disabled": "The plan is disabled: no session begins on it. Those that run go on.",
	"plan-deleted":  "The plan is deleted, with its key.",
	"models-added":  "The models are added to the plan.",
	"agent-created": "The agent is saved.", "agent-saved": "The agent is saved. Sessions that run keep what they began with.", "agent-deleted": "The agent is deleted.",
	"stopped": "The client has stopped. The session stays prepared.", "nothing-ran": "No client ran in the session.",
	"cleaned":       "The session is gone.",
	"accepted":      "You have accepted the turn.",
	"stopped-check": "The check is stopped. What it found until then is not kept.",
}

// sessionRemedies are what a person can do about what core refuses, where it does not say so itself.
var sessionRemedies = map[core.Code]string{
	core.ErrRunning: "stop the client first", core.ErrBusy: "try again when the other operation on it is done",
	core.ErrCorrupt: "clean the session up", core.ErrIncomplete: "prepare the session again",
	core.ErrStateWrite: "mend the owner and mode of the state directory", core.ErrStateFull: "make room on the disk",
}

var stageAbout = map[plan.Stage]string{
	plan.Network: "Does anything answer at the base URL?", plan.Auth: "Does it take the key?",
	plan.Discovery: "Which models does it list?", plan.Inference: "Does a model answer?",
}

// steps are how far the work of a session is accepted.
var steps = map[acceptance.Step]string{
	acceptance.AgentClaimed: "The agent says that it is done. Nobody has looked at it.",
	acceptance.AutoChecked:  "A program found nothing against it. Nobody has looked at it.",
	acceptance.UserAccepted: "A person accepted it.",
}

// status is how a plan stands, for people.
type status struct {
	Class, Mark, Word, About string
}

var statuses = map[plan.Status]status{
	plan.Ready:           {"good", "✓", "Ready", "A model answered in the last check."},
	plan.DetectionFailed: {"bad", "✕", "Check failed", "Something was wrong in the last check. Sessions can be begun on it all the same."},
	plan.Undetected:      {"open", "○", "Not checked", "It was not checked since its connection was entered. Sessions can be begun on it all the same."},
	plan.Disabled:        {"off", "–", "Disabled", "No session can be begun on it."},
}

var outcomes = map[plan.Outcome]status{
	plan.Passed: {"good", "✓", "passed", ""}, plan.Failed: {"bad", "✕", "failed", ""}, plan.Skipped: {"off", "–", "skipped", ""},
}

// sessionStatus is how a session stands.
func sessionStatus(r sessionRow) status {
	switch {
	case r.Damaged != "":
		return status{"bad", "✕", "Damaged", "It can only be cleaned up."}
	case r.Info.Running:
		return status{"good", "▶", "Running", "A client runs in it."}
	case r.Info.State == manifest.Ready:
		return status{"off", "○", "Ready", "It is prepared, and no client runs in it."}
	}
	return status{"bad", "!", "Incomplete", "Its preparation was cut off. Prepare it again, or clean it up."}
}

// modelsOf says where a session has its models from, as core records it.
func modelsOf(recorded string) string {
	if why, ok := strings.CutPrefix(recorded, "native: "); ok {
		return "the client's own login: " + why
	}
	if recorded == "endpoint" {
		return "an endpoint that was named for it"
	}
	return "the client's own login"
}

// inherited says which kinds of a person's own set-up came along, as core records them.
func inherited(recorded []string) string {
	var along, out []string
	for _, r := range recorded {
		kind, how, _ := strings.Cut(r, "=")
		kind = strings.ReplaceAll(kind, "_", " ")
		switch how {
		case "none":
			out = append(out, kind)
		case "all":
			along = append(along, kind)
		default:
			along = append(along, kind+" ("+how+")")
		}
	}
	text := strings.Join(along, ", ")
	if len(out) > 0 {
		text += "; without " + strings.Join(out, ", ")
	}
	return strings.TrimPrefix(text, "; ")
}

var templates = []choice{
	{string(plan.Custom), "An endpoint of my own choice", "A base URL, and mostly a key."},
	{string(plan.CodingPlan), "A coding plan", "A subscription of a vendor that gives a key."},
	{string(plan.Domestic), "A vendor in my region", "A vendor's regional endpoint."},
	{string(plan.Relay), "A relay", "Somebody who passes requests on to vendors."},
	{string(plan.OfficialSubscription), "The login of the vendor's own client", "No base URL and no key. Sessions use that login without a plan; the check says whether it works."},
}

// choice is something that can be chosen in a form.
type choice struct{ Value, Name, About string }

func templateName(t plan.Template) string {
	for _, c := range templates {
		if c.Value == string(t) {
			return c.Name
		}
	}
	return string(t)
}

func protocolName(p preparer.Protocol) string {
	switch p {
	case preparer.OpenAI:
		return "OpenAI Chat Completions"
	case preparer.Anthropic:
		return "Anthropic Messages"
	}
	return "none"
}

func billingName(b plan.Billing) string {
	if b == plan.Subscription {
		return "by subscription"
	}
	return "by use"
}

// host is where a plan's endpoint is, in few words.
func host(p plan.View) string {
	if p.Template == plan.OfficialSubscription {
		return "the vendor's own client"
	}
	if u, err := url.Parse(p.Base()); err == nil {
		return u.Host
	}
	return ""
}

// keyWord says of a plan's key all that is ever said of it.
func keyWord(p plan.View) string {
	switch {
	case p.KeyUnreadable:
		return "key cannot be read"
	case p.HasKey:
		return "key stored"
	}
	return "no key"
}

func sourceName(s agent.Source) string {
	if s == agent.LegacyBinding {
		return "taken over from an earlier installation"
	}
	return "made by you"
}

// sentence is a text that stands alone.
func sentence(text string) string {
	text = capital(strings.TrimSpace(text))
	if text == "" || strings.ContainsRune(".?!…", lastRune(text)) {
		return text
	}
	return text + "."
}

func capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + text[n:]
}

func lastRune(text string) rune { r, _ := utf8.DecodeLastRuneInString(text); return r }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// words are what templates say things with.
func words(now func() time.Time) template.FuncMap {
	return template.FuncMap{
		"ago":     func(t time.Time) string { return view.Ago(now(), t) },
		"when":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"status":  func(s plan.Status) status { return statuses[s] },
		"outcome": func(o plan.Outcome) status { return outcomes[o] },
		"stage":   func(s plan.Stage) string { return capital(view.StageName(s)) },
		"about":   func(s plan.Stage) string { return stageAbout[s] },
		"remedy":  func(r plan.Remedy) string { return sentence(view.Remedy(r)) },
		"extra": func(name string) string {
			return map[string]string{"streaming": "Streams its answers", "tool_call": "Calls tools"}[name]
		},
		"tokens":    plan.TokenText,
		"size":      func(n int) string { return view.Size(int64(n)) },
		"quote":     shellenv.Quote,
		"plural":    plural,
		"sentence":  sentence,
		"capital":   capital,
		"join":      strings.Join,
		"kind":      templateName,
		"protocol":  protocolName,
		"billing":   billingName,
		"stored":    func(r plan.Result) line { return line{Stage: r.Stage, Result: &r} },
		"host":      host,
		"keyWord":   keyWord,
		"source":    sourceName,
		"reference": reference,
		"choose":    func(groups []group, value string) chosen { return chosen{groups, value} },
		"session":   sessionStatus,
		"step":      func(s acceptance.Step) string { return steps[s] },
		"models":    modelsOf,
		"inherit":   inherited,
		"route":     func(o agent.Option) string { return routeValue(agent.Route{Plan: o.Plan.ID, Model: o.Model.ID}) },
		"add":       func(a, b int) int { return a + b },
	}
}
