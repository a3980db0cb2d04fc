package core

import (
	"bytes"
	"context"
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

	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const serverKey = "canary-of-a-server-4711"

// serving is a prop that takes MCP servers.
func serving() prop {
	return prop{
		provider: "prop",
		describe: func(d *preparer.Descriptor) { d.ServerVars = "PROP_MCP_" },
		extra: func(r preparer.Request, l *preparer.Layout) {
			servers := preparer.Object{}
			for _, s := range r.Servers {
				headers := preparer.Object{}
				for _, h := range s.Headers {
					headers[h.Name] = preparer.S(h.Var)
					l.Set(h.Var, h.Value)
				}
				servers[s.Name] = preparer.Object{"url": preparer.S(s.URL), "headers": headers}
			}
			if len(servers) > 0 {
				l.Document(preparer.Session("prop").Join("servers.json"), preparer.JSON, servers)
			}
		},
	}
}

func served(s Session, key string, names ...string) Session {
	for _, name := range names {
		s.Servers = append(s.Servers, connector.Server{Name: name, URL: "http://127.0.0.1:1/" + name, Headers: []connector.Header{
			{Name: "Authorization", Value: modelendpoint.NewKey("Bearer " + key)},
		}})
	}
	return s
}

// The value of a header is in the environment of the client, and in no file, text, log, error or answer.
func TestCredentialsOfServersStandInTheEnvironmentOnly(t *testing.T) {
	t.Parallel()
	s := newStage(t, serving())
	var log bytes.Buffer
	h := s.open(func(c *Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		curious := capability.CapabilityPack{Name: "curious", Resolve: nil}
		curious.Resolve = func(_ context.Context, v capability.View) (capability.CapabilityContribution, error) {
			return capability.CapabilityContribution{Enabled: true, PolicySections: []capability.PolicySection{
				{Anchor: capability.Tools, Key: "k", Body: fmt.Sprintf("- curious: %q {{printf `%%+v` .}}", fmt.Sprintf("%+v %#v", v, v.Connectors))},
			}}, nil
		}
		c.Profile = capability.StandardProfile()
		c.Profile.Packs = append(c.Profile.Packs, curious)
	}, serving())
	ses := served(s.session("one"), serverKey, "crm", "desk")
	ses.Connectors = &connector.Context{Hints: []connector.Hint{{Key: "crm"}}}
	e, err := h.Explain(t.Context(), ses)
	if err != nil {
		t.Fatal(err)
	}
	p := mustPrepare(t, h, ses)
	for _, want := range []string{"PROP_MCP_1=Bearer " + serverKey, "PROP_MCP_2=Bearer " + serverKey} {
		if got := p.Environ([]string{"PROP_MCP_9=of another session"}); !slices.Contains(got, want) || strings.Contains(strings.Join(got, "\n"), "PROP_MCP_9") {
			t.Errorf("the client gets %q", got)
		}
	}
	if got := s.read(filepath.Join(p.Dir, "prop", "servers.json")); !strings.Contains(got, `"crm"`) || !strings.Contains(got, `"PROP_MCP_2"`) {
		t.Errorf("got %s", got)
	}
	if !strings.Contains(s.read(filepath.Join(p.Dir, "prop", "RULES.md")), "curious") {
		t.Error("the curious pack is not there, and shows nothing")
	}
	s.shownNowhere(serverKey, map[string]any{"prepared": p, "explained": e, "session": ses})
	bad := served(s.session("bad"), serverKey, "crm", "crm")
	_, err = h.Prepare(t.Context(), bad)
	if CodeOf(err) != ErrInvalid {
		t.Errorf("got %v", err)
	}
	if text := fmt.Sprintf("%v %+v %v %+v", ses, ses, err, err) + log.String(); strings.Contains(text, serverKey) {
		t.Error("a printed session, a log or an error shows it")
	}
}

// Another credential reaches the client and changes no file; another server changes the file; none takes it away.
func TestServersFollowTheRequest(t *testing.T) {
	t.Parallel()
	s := newStage(t, serving())
	first := s.prepare(served(s.session("one"), "first", "crm"))
	other := s.prepare(served(s.session("one"), "second", "crm"))
	if got := other.Environ(nil); !slices.Contains(got, "PROP_MCP_1=Bearer second") || other.Generation != first.Generation {
		t.Errorf("generation %d after %d, %q", other.Generation, first.Generation, got)
	}
	if calls := s.host.AdapterCalls("prop"); calls != 1 {
		t.Errorf("the adapter was asked %d times for one layout", calls)
	}
	more := s.prepare(served(s.session("one"), "second", "crm", "desk"))
	if got := s.read(filepath.Join(more.Dir, "prop", "servers.json")); !strings.Contains(got, `"desk"`) {
		t.Errorf("got %s", got)
	}
	none := s.prepare(s.session("one"))
	if got := strings.Join(none.Environ(nil), "\n"); strings.Contains(got, "PROP_MCP") || strings.Contains(got, "NO_PROXY") {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(filepath.Join(none.Dir, "prop", "servers.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the servers are still there: %v", err)
	}
}

func TestServersOfTheUserKeepTheirNames(t *testing.T) {
	t.Parallel()
	s := newStage(t, serving())
	for _, inherit := range []Inherit{{}, {Preset: Automation}} {
		ses := served(s.session("one"+string(inherit.Preset)), serverKey, "docs") // the user has one of this name
		ses.Inherit = inherit
		p := s.prepare(ses)
		if got := s.read(filepath.Join(p.Dir, "prop", "servers.json")); !strings.Contains(got, `"docs-tutti"`) {
			t.Errorf("got %s", got)
		}
		var codes []string
		for _, d := range p.Diagnostics {
			codes = append(codes, d.Code)
		}
		if !slices.Contains(codes, "server_renamed") {
			t.Errorf("nobody is told: %q", codes)
		}
	}
}

func TestServersAreReachedWithoutAProxy(t *testing.T) {
	t.Parallel()
	s := newStage(t, serving())
	p := s.prepare(served(s.session("one"), serverKey, "crm"))
	if got, _ := lookup(p.Environ([]string{"NO_PROXY=a"}), "NO_PROXY", false); got != "a,127.0.0.1,localhost,::1" {
		t.Errorf("got %q", got)
	}
	away := served(s.session("two"), serverKey, "crm")
	away.Servers[0].URL = "https://mcp.example/"
	if got, _ := lookup(s.prepare(away).Environ([]string{"NO_PROXY=a"}), "NO_PROXY", false); got != "a" {
		t.Errorf("got %q", got)
	}
}

func TestServersThatTheClientDoesNotTakeAreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, err := s.host.Prepare(t.Context(), served(s.session("one"), serverKey, "crm"))
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "takes no mcp servers") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string(nil), s.left()); diff != "" {
		t.Error(diff)
	}
}

func TestServersOfAClientThatTakesTokensOnly(t *testing.T) {
	t.Parallel()
	tokens := serving()
	describe := tokens.describe
	tokens.describe = func(d *preparer.Descriptor) { describe(d); d.BearerServers = true }
	s := newStage(t, tokens)
	if got := s.prepare(served(s.session("one"), serverKey, "crm")).Environ(nil); !slices.Contains(got, "PROP_MCP_1="+serverKey) {
		t.Errorf("the client gets %q", got)
	}
	other := served(s.session("two"), serverKey, "crm")
	other.Servers[0].Headers[0].Name = "X-Team"
	if _, err := s.host.Prepare(t.Context(), other); !errors.Is(err, ErrRefused) || strings.Contains(err.Error(), serverKey) {
		t.Errorf("got %v", err)
	}
}
