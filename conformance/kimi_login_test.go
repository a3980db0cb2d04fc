package conformance_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// vendor gives out tokens, each refresh token good for one use.
type vendor struct {
	*httptest.Server
	mu    sync.Mutex
	n     int // of the refresh token that is good
	spent int // requests with one that is not
}

func serveTokens(t *testing.T) *vendor {
	t.Helper()
	v := &vendor{n: 1}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		defer v.mu.Unlock()
		if r.FormValue("grant_type") != "refresh_token" || r.FormValue("refresh_token") != fmt.Sprintf("refresh-%d", v.n) {
			v.spent++
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		v.n++
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(kimiToken(v.n, time.Second)); err != nil {
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(v.Close)
	return v
}

// kimiToken is the n-th login. It is due for a refresh by the time it is read again.
func kimiToken(n int, lasts time.Duration) map[string]any {
	return map[string]any{
		"access_token": fmt.Sprintf("access-%d", n), "refresh_token": fmt.Sprintf("refresh-%d", n), "token_type": "Bearer",
		"scope": "s", "expires_in": int(lasts.Seconds()), "expires_at": time.Now().Add(lasts).Unix(),
	}
}

// The user's login is one, in whatever session it is refreshed: a refresh token is good for one use, and a second copy of
// it would log somebody out. The client puts another file in the place of the old one, which must reach the user's.
func TestH01_KimiRefreshesOneLogin(t *testing.T) {
	t.Parallel()
	s, v := newStage(t, kimi), serveTokens(t)
	// The client files a login by where it is from and what it is good for.
	scope := fmt.Sprintf(`{"oauthHost":%q,"baseUrl":%q}`, v.URL, s.up.BaseURL())
	name := fmt.Sprintf("kimi-code-env-%x", sha256.Sum256([]byte(scope)))[:len("kimi-code-env-")+16]
	config := fmt.Sprintf(`default_model = "kimi-code/scripted-model"

[providers."managed:kimi-code"]
type = "kimi"
base_url = %q
oauth = { storage = "file", key = "oauth/%s", oauth_host = %q }

[models."kimi-code/scripted-model"]
provider = "managed:kimi-code"
model = "scripted-model"
max_context_size = 131072
capabilities = ["tool_use"]
`, s.up.BaseURL(), name, v.URL)
	rig.Write(t, s.inHome(".kimi-code/config.toml"), config)
	login := s.inHome(".kimi-code/credentials/" + name + ".json")
	rig.Write(t, login, encode(t, kimiToken(1, time.Second)))
	g := s.open()
	one, two := g.session("one", core.Desktop), g.session("two", core.Automation)
	first, second := g.prepare(one), g.prepare(two)
	for i, p := range []*core.Prepared{first, second, first} {
		s.up.Script(upstream.Say("done"))
		g.run(p, kimi.turn("hello")...)
		want := v.good()
		data, err := os.ReadFile(login)
		if err != nil || !strings.Contains(string(data), fmt.Sprintf(`"refresh-%d"`, want)) || want < i+2 {
			t.Errorf("after run %d the good token is refresh-%d, and the user's login is %s, %v", i, want, data, err)
		}
		turns := s.up.Turns()
		if got := turns[len(turns)-1].Header.Get("Authorization"); !strings.HasPrefix(got, "Bearer access-") {
			t.Errorf("the credential is %q", got)
		}
	}
	if info, err := os.Lstat(login); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
		t.Errorf("the user's login is %v, %v", info, err)
	}
	if v.spent != 0 {
		t.Errorf("%d requests came with a token that was spent", v.spent)
	}
	g.cleanup(one)
	g.cleanup(two)
	g.nothingLeft()
	if _, err := os.Stat(login); err != nil {
		t.Errorf("the clean-up took the login with it: %v", err)
	}
}

// good is the number of the refresh token that is good.
func (v *vendor) good() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}
