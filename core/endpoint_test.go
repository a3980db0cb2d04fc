package core

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const endpointKey = "sk-canary-of-the-endpoint-71"

// binding is a prop that takes endpoints of the openai protocol.
func binding() prop {
	return prop{
		provider: "prop",
		describe: func(d *preparer.Descriptor) {
			d.Model = preparer.Model{
				Protocol: preparer.OpenAI, Addressing: preparer.RawModels, Endpoint: preparer.NoEndpointAdapter, KeyVar: "PROP_KEY",
			}
		},
		extra: func(r preparer.Request, l *preparer.Layout) {
			if e := r.Endpoint; e != nil {
				l.Set("PROP_KEY", e.Key)
				l.Document(preparer.Session("prop").Join("endpoint.json"), preparer.JSON, preparer.Object{"url": preparer.S(e.BaseURL), "model": preparer.S(e.Default)})
			}
		},
	}
}

func bound(s Session, base string) Session {
	s.Endpoint = &modelendpoint.Endpoint{
		Protocol: preparer.OpenAI, BaseURL: base, Models: []modelendpoint.Model{{ID: "large"}}, Key: modelendpoint.NewKey(endpointKey),
	}
	return s
}

func TestC260_TheKeyStandsInTheEnvironmentOnly(t *testing.T) {
	t.Parallel()
	s := newStage(t, binding())
	ses := bound(s.session("one"), "http://127.0.0.1:1/v1/")
	e, err := s.host.Explain(t.Context(), ses)
	if err != nil {
		t.Fatal(err)
	}
	p := s.prepare(ses)
	if got := p.Environ(nil); !slices.Contains(got, "PROP_KEY="+endpointKey) {
		t.Errorf("the client does not get it: %q", got)
	}
	if got := s.read(filepath.Join(p.Dir, "prop", "endpoint.json")); !strings.Contains(got, `"http://127.0.0.1:1/v1"`) || !strings.Contains(got, `"large"`) {
		t.Errorf("got %s", got)
	}
	s.shownNowhere(endpointKey, map[string]any{"prepared": p, "explained": e, "session": ses})
	if strings.Contains(fmt.Sprintf("%v %+v", ses, ses.Endpoint), endpointKey) {
		t.Error("a printed session shows it")
	}
}

// Preparing again with another key or address reaches the client, and a session may be let go of its endpoint.
func TestC264_AnEndpointIsReplaced(t *testing.T) {
	t.Parallel()
	s := newStage(t, binding())
	first := s.prepare(bound(s.session("one"), "http://127.0.0.1:1"))
	other := bound(s.session("one"), "http://127.0.0.1:2")
	other.Endpoint.Key = modelendpoint.NewKey("another-key")
	p := s.prepare(other)
	if got := p.Environ(nil); !slices.Contains(got, "PROP_KEY=another-key") {
		t.Errorf("got %q", got)
	}
	if got := s.read(filepath.Join(p.Dir, "prop", "endpoint.json")); !strings.Contains(got, ":2/v1") || p.Generation == first.Generation {
		t.Errorf("generation %d, %s", p.Generation, got)
	}
	other.Endpoint.Key = modelendpoint.NewKey("a-third-key")
	again := s.prepare(other)
	if got := again.Environ(nil); !slices.Contains(got, "PROP_KEY=a-third-key") || again.Generation != p.Generation {
		t.Errorf("a new key alone changes no file: generation %d, %q", again.Generation, got)
	}
	free := s.prepare(s.session("one"))
	if got := strings.Join(free.Environ(nil), "\n"); strings.Contains(got, "PROP_KEY") || strings.Contains(got, "NO_PROXY") {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(filepath.Join(free.Dir, "prop", "endpoint.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the endpoint is still there: %v", err)
	}
}

func TestC263_AnEndpointThatTheClientDoesNotTakeIsRefused(t *testing.T) {
	t.Parallel()
	anthropic := binding()
	describe := anthropic.describe
	anthropic.describe = func(d *preparer.Descriptor) { describe(d); d.Model.Protocol = preparer.Anthropic }
	for want, c := range map[modelendpoint.Unusable]struct {
		prop prop
		text string
	}{
		modelendpoint.NotTaken:         {prop{provider: "prop"}, "takes no model endpoint"},
		modelendpoint.ProtocolMismatch: {anthropic, "speaks anthropic"},
		modelendpoint.GatewayNeeded:    {behindGateway(), "no gateway"},
		modelendpoint.Disabled:         {binding(), "disabled"},
		modelendpoint.Gone:             {binding(), "gone"},
	} {
		s := newStage(t, c.prop)
		ses := bound(s.session("one"), "http://127.0.0.1:1")
		if want == modelendpoint.Disabled || want == modelendpoint.Gone {
			ses.Endpoint.Unusable = want
		}
		_, err := s.host.Prepare(t.Context(), ses)
		if !errors.Is(err, ErrRefused) || !errors.Is(err, want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("got %v, want %q", err, c.text)
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
	s := newStage(t, binding())
	if _, err := s.host.Prepare(t.Context(), bound(s.session("one"), "relay.example/v1")); !errors.Is(err, ErrInvalid) || !errors.Is(err, modelendpoint.SchemeMissing) {
		t.Errorf("got %v", err)
	}
}

func TestH40_AnEndpointOnThisMachineIsReachedWithoutAProxy(t *testing.T) {
	t.Parallel()
	const ours = "127.0.0.1,localhost,::1"
	for name, c := range map[string]struct {
		base         string
		env          []string
		upper, lower string
	}{
		"nothing there":    {"http://127.0.0.1:1", nil, ours, ours},
		"one spelling":     {"http://127.0.0.1:1", []string{"no_proxy=.corp, 10.0.0.0/8"}, ".corp,10.0.0.0/8," + ours, ".corp, 10.0.0.0/8," + ours},
		"both differ":      {"http://[::1]:1", []string{"NO_PROXY=a", "no_proxy=b"}, "a,b," + ours, "b,a," + ours},
		"there already":    {"http://localhost:1", []string{"NO_PROXY=::1,localhost,127.0.0.1"}, "::1,localhost,127.0.0.1", "::1,localhost,127.0.0.1"},
		"not this machine": {"https://relay.example", []string{"NO_PROXY=a"}, "a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, binding())
			h := s.open(func(cfg *Config) { cfg.Environ = append(cfg.Environ, c.env...) }, binding())
			p, err := h.Prepare(t.Context(), bound(s.session("one"), c.base))
			if err != nil {
				t.Fatal(err)
			}
			got := p.Environ(append([]string{"HTTPS_PROXY=http://proxy.example"}, c.env...))
			for variable, want := range map[string]string{"NO_PROXY": c.upper, "no_proxy": c.lower, "HTTPS_PROXY": "http://proxy.example"} {
				if value, _ := lookup(got, variable, false); value != want {
					t.Errorf("%s is %q, want %q", variable, value, want)
				}
			}
		})
	}
}

// behindGateway is a prop that takes endpoints of the openai protocol through a gateway only.
func behindGateway() prop {
	b := binding()
	describe := b.describe
	b.describe = func(d *preparer.Descriptor) { describe(d); d.Model.Endpoint = preparer.ResponsesToChatGateway }
	return b
}

// The session goes on with the user's login, and log, diagnostics, overlay and record all say so.
func TestC260_C263_AnEndpointThatCannotBeUsedGivesWayWhereThatWasAsked(t *testing.T) {
	t.Parallel()
	anthropic := binding()
	describe := anthropic.describe
	anthropic.describe = func(d *preparer.Descriptor) { describe(d); d.Model.Protocol = preparer.Anthropic }
	for want, a := range map[modelendpoint.Unusable]prop{
		modelendpoint.NotTaken: {provider: "prop"}, modelendpoint.ProtocolMismatch: anthropic, modelendpoint.Disabled: binding(),
		modelendpoint.Gone: binding(),
	} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, a)
			var log strings.Builder
			h := s.open(func(cfg *Config) { cfg.Logger = slog.New(slog.NewJSONHandler(&log, nil)) }, a)
			ses := bound(s.session("one"), "http://127.0.0.1:1")
			ses.Endpoint.Otherwise, ses.Endpoint.Name = modelendpoint.Native, "Plan of mine"
			if want == modelendpoint.Disabled || want == modelendpoint.Gone {
				ses.Endpoint.Unusable = want
				ses.Endpoint.Key = modelendpoint.Key{} // its owner took it away as well
			}
			p, err := h.Prepare(t.Context(), ses)
			if err != nil {
				t.Fatal(err)
			}
			if p.Models.Source != FromClient || p.Models.NotUsed != want || p.Models.Name != "" {
				t.Errorf("the overlay says %+v", p.Models)
			}
			if !slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool {
				return d.Code == "endpoint_not_used" && d.Severity == preparer.Warning && strings.Contains(d.Text, want.Error()) && d.Hint != ""
			}) {
				t.Errorf("diagnostics %v", p.Diagnostics)
			}
			for _, part := range []string{`"reason":"` + string(want) + `"`, `"provider":"prop"`, `"endpoint":"Plan of mine"`} {
				if strings.Count(log.String(), part) != 1 {
					t.Errorf("%s is not there once in %s", part, &log)
				}
			}
			if got := strings.Join(p.Environ(nil), "\n"); strings.Contains(got, "PROP_KEY") {
				t.Errorf("the endpoint is there all the same: %s", got)
			}
			record, err := h.store.Load(manifest.Name(ses.Workspace, ses.ID))
			if err != nil || record.Models != "native: "+string(want) {
				t.Errorf("the record says %q, %v", record.Models, err)
			}
		})
	}
}

// Whose credentials a session has stands in its record, by names alone.
func TestH26_TheRecordNamesTheCredentialsOfASession(t *testing.T) {
	t.Parallel()
	s := newStage(t, binding())
	for _, c := range []struct {
		ses    Session
		models string
		has    bool
	}{
		{bound(s.session("plan"), "http://127.0.0.1:1"), "endpoint", true}, {s.session("own"), "native", false},
	} {
		s.prepare(c.ses)
		name := manifest.Name(c.ses.Workspace, c.ses.ID)
		record, err := s.host.store.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if record.Models != c.models || slices.Contains(record.Env, "PROP_KEY") != c.has {
			t.Errorf("%s: models %q, variables %q", c.ses.ID, record.Models, record.Env)
		}
		if text := s.read(filepath.Join(s.state, "m", name+".json")); !strings.Contains(text, c.models) || strings.Contains(text, endpointKey) {
			t.Errorf("%s: the record holds no names alone:\n%s", c.ses.ID, text)
		}
	}
}

// A gateway that is missing is a fault of the host's, which no person should have to find out from a bill.
func TestC263_AMissingGatewayNeverGivesWay(t *testing.T) {
	t.Parallel()
	s := newStage(t, behindGateway())
	ses := bound(s.session("one"), "http://127.0.0.1:1")
	ses.Endpoint.Otherwise = modelendpoint.Native
	if _, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, modelendpoint.GatewayNeeded) || !errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	through := ses.Endpoint.Through(modelendpoint.Route{
		Protocol: preparer.Responses, BaseURL: "http://127.0.0.1:7/v1", Token: modelendpoint.NewKey("token-of-the-route"),
	})
	ses.Endpoint = &through
	p := s.prepare(ses)
	if got := p.Environ(nil); !slices.Contains(got, "PROP_KEY=token-of-the-route") {
		t.Errorf("got %q", got)
	}
}

func TestC248_ModelsAreSpeltAsTheClientTakesThem(t *testing.T) {
	t.Parallel()
	prefixed := binding()
	describe := prefixed.describe
	prefixed.describe = func(d *preparer.Descriptor) { describe(d); d.Model.Addressing = preparer.ProviderPrefixed }
	s := newStage(t, prefixed)
	ses := bound(s.session("one"), "http://127.0.0.1:1")
	ses.Endpoint.Models = append(ses.Endpoint.Models, modelendpoint.Model{ID: "vendor/small", ContextTokens: 9, Images: true})
	ses.Endpoint.Default = "tutti-model-plan/vendor/small"
	p := s.prepare(ses)
	want := ModelSource{Source: FromEndpoint, Name: "Model plan", Protocol: preparer.OpenAI, Default: "tutti-model-plan/vendor/small",
		Models: []modelendpoint.Model{{ID: "tutti-model-plan/large", Name: "large"},
			{ID: "tutti-model-plan/vendor/small", Name: "vendor/small", ContextTokens: 9, Images: true}}}
	if diff := cmp.Diff(want, p.Models); diff != "" {
		t.Error(diff)
	}
	if got := s.read(filepath.Join(p.Dir, "prop", "endpoint.json")); !strings.Contains(got, `"vendor/small"`) {
		t.Errorf("the adapter is told %s", got)
	}
}

// H39: a client that is told of a variable that is not there sends no key at all, or stops at its first turn.
func TestH39_TheKeyReachesTheClientOrNothingIsPrepared(t *testing.T) {
	t.Parallel()
	for name, extra := range map[string]func(preparer.Request, *preparer.Layout){
		"nowhere":          func(preparer.Request, *preparer.Layout) {},
		"another variable": func(r preparer.Request, l *preparer.Layout) { l.Set("PROP_OTHER", r.Endpoint.Key) },
		"a file of one that wants none": func(r preparer.Request, l *preparer.Layout) {
			l.Set("PROP_KEY", r.Endpoint.Key)
			l.File(preparer.Session("key"), r.Endpoint.Key)
		},
	} {
		b := binding()
		b.extra = extra
		describe := b.describe
		b.describe = func(d *preparer.Descriptor) { describe(d); d.Env = append(d.Env, "PROP_OTHER") }
		s := newStage(t, b)
		if _, err := s.host.Prepare(t.Context(), bound(s.session("one"), "http://127.0.0.1:1")); !errors.Is(err, ErrLayoutRefused) {
			t.Errorf("%s: got %v", name, err)
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("%s: left %q", name, left)
		}
	}
}

// The URL says which header the endpoint wants its key in, and with it which variable the client has it from. An adapter that
// takes the other one, which the client would send in the other header, prepares nothing.
func TestC262_AVendorGetsItsKeyInAVariableOfItsOwn(t *testing.T) {
	t.Parallel()
	vendor := binding()
	describe := vendor.describe
	vendor.describe = func(d *preparer.Descriptor) {
		describe(d)
		d.Model.Protocol, d.Model.APIKeyVar = preparer.Anthropic, "PROP_API_KEY"
	}
	heedless := vendor
	vendor.extra = func(r preparer.Request, l *preparer.Layout) {
		variable := map[preparer.Auth]string{preparer.APIKey: "PROP_API_KEY", preparer.Bearer: "PROP_KEY"}[r.Endpoint.Auth]
		l.Set(variable, r.Endpoint.Key)
	}
	heedless.extra = func(r preparer.Request, l *preparer.Layout) { l.Set("PROP_KEY", r.Endpoint.Key) }
	s, other := newStage(t, vendor), newStage(t, heedless)
	for base, want := range map[string]string{
		"https://api.anthropic.com/v1": "PROP_API_KEY", "https://api.kimi.com/coding": "PROP_API_KEY", "https://relay.example": "PROP_KEY",
	} {
		ses := bound(s.session("one"), base)
		ses.Endpoint.Protocol = preparer.Anthropic
		env := s.prepare(ses).Environ(nil)
		for _, name := range []string{"PROP_KEY", "PROP_API_KEY"} {
			value, _ := lookup(env, name, false)
			if (value == endpointKey) != (name == want) || name != want && value != "" {
				t.Errorf("%s: %s is %q, and the key belongs into %s", base, name, value, want)
			}
		}
		ses.Cwd = other.cwd
		if _, err := other.host.Prepare(t.Context(), ses); (err == nil) != (want == "PROP_KEY") || err != nil && !errors.Is(err, ErrLayoutRefused) {
			t.Errorf("%s: an adapter that has one variable for all gets %v", base, err)
		}
	}
}

// A key stands in a file only where client and host both say so; the token of a route may where the client does.
func TestC234_AKeyInAFileNeedsBothToSaySo(t *testing.T) {
	t.Parallel()
	b := binding()
	describe := b.describe
	b.describe = func(d *preparer.Descriptor) { describe(d); d.Model.SecretFile = true }
	b.extra = func(r preparer.Request, l *preparer.Layout) {
		if r.Endpoint != nil {
			l.Document(preparer.Session("prop").Join("key.json"), preparer.JSON, preparer.Object{"key": r.Endpoint.Key})
		}
	}
	s := newStage(t, b)
	ses := bound(s.session("one"), "http://127.0.0.1:1")
	if _, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, ErrLayoutRefused) {
		t.Fatalf("without leave: got %v", err)
	}
	route := ses.Endpoint.Through(modelendpoint.Route{
		Protocol: preparer.OpenAI, BaseURL: "http://127.0.0.1:2", Token: modelendpoint.NewKey("token-of-the-route"),
	})
	allowed := *ses.Endpoint
	allowed.UnsafeKeyInFile = true
	for key, e := range map[string]*modelendpoint.Endpoint{"token-of-the-route": &route, endpointKey: &allowed} {
		ses.Endpoint = e
		p := s.prepare(ses)
		file := filepath.Join(p.Dir, "prop", "key.json")
		if got := s.read(file); !strings.Contains(got, key) {
			t.Errorf("it is not there: %s", got)
		}
		if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", fi.Mode(), err)
		}
	}
}
