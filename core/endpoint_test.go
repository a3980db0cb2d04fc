package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
				Protocol: preparer.OpenAI, Addressing: preparer.RawModels, Endpoint: preparer.ResponsesToChatGateway, KeyVar: "PROP_KEY",
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
	files := 0
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), endpointKey) {
			t.Errorf("it is in %s", path)
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
	for name, v := range map[string]any{"prepared": p, "explained": e, "session": ses} {
		data, err := json.Marshal(v)
		if err != nil || strings.Contains(string(data), endpointKey) {
			t.Errorf("%s shows it, or cannot be shown: %v", name, err)
		}
	}
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
	for want, a := range map[string]prop{"takes no model endpoint": {provider: "prop"}, "speaks anthropic": anthropic} {
		s := newStage(t, a)
		_, err := s.host.Prepare(t.Context(), bound(s.session("one"), "http://127.0.0.1:1"))
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
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
