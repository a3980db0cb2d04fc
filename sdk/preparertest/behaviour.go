package preparertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// answer is what an adapter says to a request, in a form that can be compared: a layout, or a refusal.
func answer(ctx context.Context, a protocol.Adapter, r preparer.Request) string {
	l, err := a.Prepare(ctx, r)
	if err == nil {
		return comparable(l)
	}
	var refusal *preparer.Refusal
	if errors.As(err, &refusal) {
		return fmt.Sprintf("refusal %s: %s (%s)", refusal.Code, refusal.Text, refusal.Hint)
	}
	return "error: " + err.Error()
}

// comparable is a layout as [Print] shows it, and behind that its digest, which is all of it.
func comparable(l *preparer.Layout) string {
	digest, err := protocol.LayoutDigest(l)
	if err != nil {
		return "error: " + err.Error()
	}
	return Print(l) + "digest " + digest
}

// difference is the first line of two answers that is not the same.
func difference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for n := range min(len(as), len(bs)) {
		if as[n] != bs[n] {
			return fmt.Sprintf("%q and %q", clip(strings.TrimSpace(as[n])), clip(strings.TrimSpace(bs[n])))
		}
	}
	return "one goes on where the other ends"
}

// determinism asks each of some requests several times, one after the other and at once.
func determinism(ctx context.Context, p preparer.Preparer, seed uint64) []error {
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil {
		return []error{err}
	}
	var out []error
	first, _ := protocol.DescriptorDigest(d)
	for range 20 {
		again, err := local.Describe(ctx)
		if err != nil {
			return []error{err}
		}
		if digest, _ := protocol.DescriptorDigest(again); digest != first {
			return []error{errors.New("describe does not always answer the same")}
		}
	}
	rnd := rand.New(rand.NewPCG(seed, 1))
	for n := range 20 {
		r := randomRequest(d, rnd)
		want := answer(ctx, local, r)
		var wg sync.WaitGroup
		have := make([]string, 8)
		for i := range have {
			wg.Go(func() { have[i] = answer(ctx, local, r) })
		}
		wg.Wait()
		for _, h := range have {
			if h != want {
				out = append(out, fmt.Errorf("request %d of seed %d: equal requests have different layouts: %s", n, seed, difference(want, h)))
				break
			}
		}
	}
	return out
}

// savers shows that a saver mode which is advertised tells both the session and its worker.
func savers(ctx context.Context, p preparer.Preparer) []error {
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil || !d.Saver {
		return nil // what describe answers to is another rule
	}
	r := DefaultRequest(d)
	r.Saver = saver("")
	l, err := local.Prepare(ctx, r)
	if err != nil {
		return []error{fmt.Errorf("the descriptor names a saver mode, and it is not served: %w", err)}
	}
	told := map[string]bool{}
	rules.EachValue(l, func(_ string, v preparer.Value) {
		if text, ok := v.(preparer.Text); ok {
			told[text.Document] = true
		}
	})
	var out []error
	for _, doc := range []preparer.Document{r.Saver.Policy, r.Saver.Worker} {
		if !told[doc.Name] {
			out = append(out, fmt.Errorf("the layout of a session with the saver mode does not place %s", doc.Name))
		}
	}
	return out
}

// rewrites shows that a client whose commands can be rewritten has something in its session that calls the program, by
// its path, and that a program which cannot be there is called by nothing.
func rewrites(ctx context.Context, p preparer.Preparer) []error {
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil {
		return nil // what describe answers is another rule
	}
	r := DefaultRequest(d)
	r.RTK = rtk()
	l, err := local.Prepare(ctx, r)
	if err != nil {
		return []error{fmt.Errorf("a session whose commands run through rtk is not served: %w", err)}
	}
	called := false
	rules.EachValue(l, func(_ string, v preparer.Value) {
		path, ok := v.(preparer.PathValue)
		called = called || ok && path.Place == r.RTK.Program
	})
	if d.Rewrite != preparer.InstructionsOnly && !called {
		return []error{fmt.Errorf("the descriptor says that commands are rewritten by %s, and nothing in the layout calls the program", d.Rewrite)}
	}
	return nil
}

// servers shows that the servers of a request stand in the session with every header, and that the client gets each
// credential by its variable and in no other way.
func servers(ctx context.Context, p preparer.Preparer) []error {
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil || d.ServerVars == "" {
		return nil // what describe answers is another rule
	}
	r := DefaultRequest(d)
	r.Servers = serversFor(d)
	l, err := local.Prepare(ctx, r)
	if err != nil {
		return []error{fmt.Errorf("the descriptor names variables of servers, and a server is not served: %w", err)}
	}
	wanted, where := map[string]bool{}, map[preparer.Secret][]string{}
	for _, s := range r.Servers {
		wanted[s.Name], wanted[s.URL] = false, false
	}
	for _, h := range headers(r) {
		wanted[h.Var] = false
		if !d.BearerServers {
			wanted[h.Name] = false
		}
	}
	rules.EachValue(l, func(at string, v preparer.Value) {
		switch v := v.(type) {
		case preparer.Secret:
			where[v] = append(where[v], at)
		case preparer.String:
			for text := range wanted {
				wanted[text] = wanted[text] || strings.Contains(string(v), text)
			}
		}
	})
	var out []error
	for _, text := range sortedKeys(wanted) {
		if !wanted[text] {
			out = append(out, fmt.Errorf("the layout of a request with servers does not hold %s", text))
		}
	}
	for _, h := range headers(r) {
		if at := where[h.Value]; len(at) != 1 || at[0] != "env "+h.Var {
			out = append(out, fmt.Errorf("the value of header %s stands in %q and not in the variable %s alone", h.Name, at, h.Var))
		}
	}
	return out
}

// unknown asks what a later host might, or a broken one: the adapter may refuse, and must not panic.
func unknown(ctx context.Context, p preparer.Preparer) []error {
	d := p.Describe()
	odd := map[string]func(*preparer.Request){
		"an input it does not know":  func(r *preparer.Request) { r.Inputs["no-such-input"] = preparer.Found{Exists: true} },
		"no inputs at all":           func(r *preparer.Request) { r.Inputs = nil },
		"no choices at all":          func(r *preparer.Request) { r.Options.Inherit = nil },
		"a choice it does not know":  func(r *preparer.Request) { r.Options.Inherit[preparer.Skills] = preparer.Choice{Mode: "some"} },
		"a kind it does not know":    func(r *preparer.Request) { r.Options.Inherit["dreams"] = preparer.Choice{Mode: preparer.All} },
		"a system it does not know":  func(r *preparer.Request) { r.Target.OS = "plan9" },
		"a version that is none":     func(r *preparer.Request) { r.Target.ClientVersion = "not a version" },
		"an index that there is not": func(r *preparer.Request) { everything(d, r, func(f *preparer.Found) { f.Index = 99 }) },
		"values it did not ask for": func(r *preparer.Request) {
			everything(d, r, func(f *preparer.Found) { f.Values = map[string]preparer.Value{"": preparer.List{}} })
		},
		"a trust it does not know":        func(r *preparer.Request) { r.Options.TrustWorkspace = "everybody" },
		"a negative number of skills":     func(r *preparer.Request) { r.Skills.Count = -1 },
		"an endpoint with nothing in it":  func(r *preparer.Request) { r.Endpoint = &preparer.Endpoint{} },
		"a program with nothing in it":    func(r *preparer.Request) { r.RTK = &preparer.RTK{} },
		"a saver mode with nothing in it": func(r *preparer.Request) { r.Saver = &preparer.Saver{} },
		"a server with nothing in it":     func(r *preparer.Request) { r.Servers = []preparer.Server{{Headers: make([]preparer.Header, 1)}} },
		"nothing":                         func(r *preparer.Request) { *r = preparer.Request{} },
	}
	var out []error
	for _, name := range sortedKeys(odd) {
		r := DefaultRequest(d)
		odd[name](&r)
		if err := panics(func() { p.Prepare(ctx, r) }); err != nil {
			out = append(out, fmt.Errorf("a request with %s: %w", name, err))
		}
	}
	return out
}

func everything(d preparer.Descriptor, r *preparer.Request, edit func(*preparer.Found)) {
	for _, i := range d.Inputs {
		f := preparer.Found{Exists: true}
		edit(&f)
		r.Inputs[i.Name] = f
	}
}

func panics(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the adapter panicked: %v", v)
		}
	}()
	f()
	return nil
}

// cancelled calls with a context that is done already, and with one that ends during the call.
func cancelled(ctx context.Context, p preparer.Preparer) []error {
	r := DefaultRequest(p.Describe())
	done, cancel := context.WithCancel(ctx)
	cancel()
	short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
	defer stop()
	for _, ctx := range []context.Context{done, short} {
		returned := make(chan error, 1)
		go func() {
			returned <- panics(func() { p.Prepare(ctx, r) })
		}()
		select {
		case err := <-returned:
			if err != nil {
				return []error{err}
			}
		case <-time.After(time.Second + 10*time.Millisecond):
			return []error{errors.New("the adapter does not return within a second after its context is done")}
		}
	}
	return nil
}

// leavesOut shows that what the descriptor says can be left out by the layout is: with None, no input that brings
// such things, and nothing else, is used.
func leavesOut(ctx context.Context, p preparer.Preparer) []error {
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil {
		return []error{err}
	}
	var out []error
	for kind, x := range d.Inherit {
		if x.How != preparer.ByLayout {
			continue
		}
		r := DefaultRequest(d)
		r.Options.Inherit[kind] = preparer.Choice{Mode: preparer.None}
		everything(d, &r, func(f *preparer.Found) { f.Names = nil })
		l, err := local.Prepare(ctx, r)
		if err != nil {
			continue // what it answers to is another rule
		}
		for _, i := range d.Inputs {
			for _, c := range i.Carries {
				if c.Kind == kind && len(c.Keys) == 0 && places(l, i.Name) {
					out = append(out, fmt.Errorf("input %s brings %s, which the descriptor says can be left out, and is placed although none was wanted", i.Name, kind))
				}
			}
		}
	}
	return out
}

// places says whether a layout puts an input, or its children, into the session.
func places(l *preparer.Layout, input string) bool {
	base := func(all []preparer.Base) bool {
		for _, b := range all {
			if b.Kind == preparer.BaseInput && b.Input == input {
				return true
			}
		}
		return false
	}
	for _, e := range l.Entries {
		switch e := e.(type) {
		case preparer.Copy:
			if e.Input == input {
				return true
			}
		case preparer.Expose:
			if e.Input == input && (e.Only == nil || len(e.Only) > 0) {
				return true
			}
		case preparer.Merge:
			if base(e.Base) {
				return true
			}
		case preparer.Block:
			if base(e.Base) {
				return true
			}
		}
	}
	return false
}
