package detect_test

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// An endpoint that has no list where it is looked for first is asked where else it can be.
func TestP06_ListsAreLookedForInTwoPlaces(t *testing.T) {
	t.Parallel()
	not := gatewaytest.Status(405, `{"error":"no"}`)
	const passed, skipped = "passed", "skipped"
	for name, c := range map[string]struct {
		first, second gatewaytest.Answer
		models        []string
		want          []string
	}{
		"the second has it after 404": {none, listed, nil, []string{passed, passed, passed, passed}},
		"the second has it after 405": {not, listed, nil, []string{passed, passed, passed, passed}},
		"405 twice, own models":       {not, not, []string{"m-x"}, []string{passed, passed, skipped, passed}},
		"405 twice, no models":        {not, not, nil, []string{passed, skipped, "failed model_catalog_unavailable add_models_manually", "failed no_model_selected select_model"}},
		"the second refuses the key":  {none, gatewaytest.Status(401, `{"error":"who"}`), []string{"m-x"}, []string{passed, "failed unauthorized check_api_key", skipped, skipped}},
	} {
		for _, protocol := range []preparer.Protocol{preparer.OpenAI, preparer.Anthropic} {
			up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
				switch {
				case r.Path == "/v1/models":
					return c.first
				case r.Path == "/models":
					return c.second
				case strings.HasSuffix(r.Path, "/messages"):
					return gatewaytest.JSON(`{"type":"message","content":[{"type":"text","text":"ok"}]}`)
				}
				return fine
			})
			t.Cleanup(up.Close)
			to := target(up.URL(), c.models...)
			to.Protocol = protocol
			if diff := cmp.Diff(c.want, short(check(t, to))); diff != "" {
				t.Errorf("%s, %s: %s", name, protocol, diff)
			}
		}
	}
}

// A credential goes into the header that sessions send it in. That it would pass in another one is no green light.
func TestH35_ACredentialInTheOtherHeaderDoesNotPass(t *testing.T) {
	t.Parallel()
	for _, protocol := range []preparer.Protocol{preparer.OpenAI, preparer.Anthropic} {
		up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
			switch {
			case r.Header.Get("X-Api-Key") != canary:
				return gatewaytest.Status(401, `{"error":{"message":"no key"}}`)
			case r.Method == http.MethodGet:
				return listed
			}
			return fine
		})
		t.Cleanup(up.Close)
		to := target(up.URL(), "m-x")
		to.Protocol = protocol
		want := []string{"passed", "failed unauthorized check_api_key", "skipped", "skipped"}
		if diff := cmp.Diff(want, short(check(t, to))); diff != "" {
			t.Errorf("%s: %s", protocol, diff)
		}
	}
}

// remote is a check of an endpoint on another machine, with what finds the way to it.
func remote(t *testing.T, to detect.Target, proxy func(*http.Request) (*url.URL, error)) detect.Found {
	t.Helper()
	d := detect.New(detect.Config{Now: time.Now, Random: rand.Reader, Proxy: proxy})
	t.Cleanup(d.Close)
	f, err := d.Check(t.Context(), to, detect.Progress{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestP06_AnEndpointElsewhereWithoutAKeyIsSentNone(t *testing.T) {
	t.Parallel()
	up := endpoint(t, listed, fine)
	way, err := url.Parse(up.URL())
	if err != nil {
		t.Fatal(err)
	}
	to := target("http://relay.example/v1", "m-x")
	to.Key = plan.Key{}
	f := remote(t, to, func(*http.Request) (*url.URL, error) { return way, nil })
	if diff := cmp.Diff([]string{"passed", "failed unauthorized check_api_key", "skipped", "skipped"}, short(f)); diff != "" {
		t.Errorf("%s\n%+v", diff, f.Stages)
	}
	// That somebody answers is asked without a credential, and nothing else is.
	for _, r := range up.Requests() {
		if r.Method != http.MethodGet || r.Header.Get("Authorization")+r.Header.Get("X-Api-Key") != "" {
			t.Errorf("%s %s %v", r.Method, r.Path, r.Header)
		}
	}
	if up.Hits() != 1 {
		t.Errorf("%d requests", up.Hits())
	}
}

func TestP06_AHostThatNobodyKnows(t *testing.T) {
	t.Parallel()
	f := remote(t, target("http://relay.example/v1", "m-x"), func(*http.Request) (*url.URL, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "relay.example", IsNotFound: true}}
	})
	if diff := cmp.Diff([]string{"failed dns_error check_network_or_base_url", "skipped", "skipped", "skipped"}, short(f)); diff != "" {
		t.Errorf("%s\n%+v", diff, f.Stages)
	}
}
