package preparertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// Answers is the rule that every request gets a layout or a refusal.
const Answers Rule = "answers"

// most is how many findings of one rule are kept.
const most = 10

// survey asks an adapter a number of random requests and returns what is wrong with its answers, by rule. It stops
// early when ctx is done.
func survey(ctx context.Context, p preparer.Preparer, requests int, seed uint64) map[Rule][]error {
	found := map[Rule][]error{}
	add := func(err error) {
		var f *Finding
		if errors.As(err, &f) && len(found[f.Rule]) < most && !slices.ContainsFunc(found[f.Rule], func(have error) bool {
			return have.Error() == f.Error()
		}) {
			found[f.Rule] = append(found[f.Rule], f)
		}
	}
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil {
		add(&Finding{Rule: Answers, Where: "describe", What: err.Error()})
		return found
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	for n := range requests {
		if len(found[Answers]) == most {
			break // it will not do better, and may be slow
		}
		r := randomRequest(d, rnd)
		if n == 0 {
			r = DefaultRequest(d)
		}
		l, err := local.Prepare(ctx, r)
		where := fmt.Sprintf("request %d of seed %d", n, seed)
		var refusal *preparer.Refusal
		switch {
		case errors.As(err, &refusal):
			if !rules.IsCode(refusal.Code) || refusal.Text == "" {
				add(&Finding{Rule: Answers, Where: where, What: "a refusal has no code of the form provider.what, or no text"})
			}
			continue
		case err != nil:
			add(&Finding{Rule: Answers, Where: where, What: err.Error()})
			continue
		}
		for _, bad := range append(CheckLayout(d, l), checkAnswer(r, l)...) {
			add(bad)
		}
	}
	return found
}

// checkAnswer holds a layout to its request: only documents that there are, only secrets that there are, and the names
// of those nowhere as text.
func checkAnswer(r preparer.Request, l *preparer.Layout) []error {
	var secrets []string
	if r.Endpoint != nil {
		secrets = append(secrets, r.Endpoint.Key.Name)
	}
	for _, h := range headers(r) {
		secrets = append(secrets, h.Value.Name)
	}
	named := func(text string) bool {
		return slices.ContainsFunc(secrets, func(name string) bool { return strings.Contains(text, name) })
	}
	var found []error
	add := func(r rules.Rule, where, format string, args ...any) {
		found = append(found, &Finding{Rule: r, Where: where, What: fmt.Sprintf(format, args...)})
	}
	rules.EachValue(l, func(where string, v preparer.Value) {
		switch v := v.(type) {
		case preparer.Text:
			doc := documentOf(r, v.Document)
			if v.Document != doc.Name || doc.Name == "" {
				add(rules.Names, where, "there is no document %q", v.Document)
			} else if v.Section != "" && !slices.Contains(doc.Sections, v.Section) {
				add(rules.Names, where, "the document has no section %q; look at Document.Sections first", v.Section)
			}
		case preparer.Secret:
			if !slices.Contains(secrets, v.Name) {
				add(rules.Secrets, where, "there is no secret of this name in the request")
			}
		case preparer.String:
			if named(string(v)) {
				add(rules.Secrets, where, "the name of a secret is no literal")
			}
		}
	})
	if named(fmt.Sprint(l.Diagnostics, l.Launch.Strip)) {
		add(rules.Secrets, "diagnostics", "the name of a secret is no text for people")
	}
	return found
}

// documentOf is the document of a request that has a name, and its instructions if none has.
func documentOf(r preparer.Request, name string) preparer.Document {
	docs := []preparer.Document{r.Instructions}
	if r.Endpoint != nil {
		docs = append(docs, r.Endpoint.Base)
	}
	if r.Saver != nil {
		docs = append(docs, r.Saver.Policy, r.Saver.Worker)
	}
	if r.RTK != nil {
		docs = append(docs, r.RTK.Reference)
	}
	if i := slices.IndexFunc(docs, func(d preparer.Document) bool { return d.Name == name }); i >= 0 {
		return docs[i]
	}
	return r.Instructions
}
