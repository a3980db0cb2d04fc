package modelendpoint_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestC262_C265_H30_H34_BaseURLsLeadWhereTheyShould(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/base-urls.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		ID, Protocol, Base, Error string
		Chat                      string `json:"chat_url"`
		Models                    string `json:"models_candidates_first"`
		Messages                  string `json:"messages_url"`
		Client                    string `json:"claude_env_base"`
		Header                    string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			got, err := modelendpoint.Normalise(preparer.Protocol(c.Protocol), c.Base)
			var reason modelendpoint.URLError
			if c.Error != "" {
				if !errors.As(err, &reason) || string(reason) != c.Error {
					t.Errorf("got %q, %v, want %s", got, err, c.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			header := map[preparer.Auth]string{preparer.APIKey: "x-api-key", preparer.Bearer: "authorization"}
			for _, form := range []string{c.Base, got} {
				if have := header[modelendpoint.AuthFor(preparer.Protocol(c.Protocol), form)]; c.Header != "" && have != c.Header {
					t.Errorf("%q is asked with %q, want %q", form, have, c.Header)
				}
			}
			if c.Header != "" {
				e := valid()
				e.Protocol, e.BaseURL = preparer.Protocol(c.Protocol), c.Base
				clean, err := e.Clean()
				if err != nil {
					t.Fatal(err)
				}
				if told := clean.Told(); header[told.Auth] != c.Header || told.BaseURL != got {
					t.Errorf("an adapter is told %q and auth %q, want %q and %q", told.BaseURL, told.Auth, got, c.Header)
				}
			}
			if again, err := modelendpoint.Normalise(preparer.Protocol(c.Protocol), got); again != got || err != nil {
				t.Errorf("%q comes to %q, %v the second time", got, again, err)
			}
			for want, have := range map[string]string{
				c.Chat: got + "/chat/completions", c.Models: got + "/models", c.Messages: got + "/v1/messages", c.Client: got,
			} {
				if want != "" && lowerHost(t, have) != lowerHost(t, want) {
					t.Errorf("got %q, want %q", have, want)
				}
			}
		})
	}
}

// lowerHost gives a URL with its host in lower case, which a client does when it asks.
func lowerHost(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = strings.ToLower(u.Host)
	return u.String()
}

func TestC265_OddBaseURLs(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://relay.example":               "https://relay.example/v1",
		"https://relay.example/":              "https://relay.example/v1",
		"https://relay.example/v1beta/":       "https://relay.example/v1beta",
		"https://relay.example/v1?key=a#b":    "https://relay.example/v1",
		"https://relay.example/openai":        "https://relay.example/openai/v1",
		"https://relay.example/a%2Fb/v1":      "https://relay.example/a%2Fb/v1",
		"  http://[::1]:8080  ":               "http://[::1]:8080/v1",
		"":                                    "missing",
		"  ":                                  "missing",
		"relay.example:8080/v1":               "scheme_missing",
		"//relay.example/v1":                  "scheme_missing",
		"https://":                            "malformed",
		"https:///v1":                         "malformed",
		"https://relay.example/\x00":          "malformed",
		"https://sk-pasted-key@relay.example": "userinfo_not_allowed",
	} {
		got, err := modelendpoint.Normalise(preparer.OpenAI, given)
		var reason modelendpoint.URLError
		if errors.As(err, &reason) {
			got = string(reason)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
		if err != nil && (err.Error() == "" || strings.Contains(err.Error(), "relay")) {
			t.Errorf("%q: %v", given, err)
		}
	}
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"http://127.0.0.1:1/v1": true, "http://127.8.0.1": true, "http://[::1]:1": true, "http://LOCALHOST:1/v1": true,
		"http://[::ffff:127.0.0.1]/": true, "https://localhost.relay.example": false, "http://10.0.0.1": false, "%": false, "": false,
	} {
		if got := modelendpoint.Loopback(base); got != want {
			t.Errorf("%q: %v", base, got)
		}
	}
}
