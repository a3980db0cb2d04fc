package conformance_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
	login := kimiAccount(s, v)
	g := s.open()
	one, two := g.session("one", core.Desktop), g.session("two", core.Automation)
	first, second := g.prepare(one), g.prepare(two)
	// Before the first refresh the user has no directory of locks. Then sessions share one of ours, and never have their own.
	locks := func(p *core.Prepared) string {
		t.Helper()
		dir, err := filepath.EvalSymlinks(filepath.Join(p.Dir, "kimi/oauth"))
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	if a, b := locks(first), locks(second); a != b || !strings.HasPrefix(a, g.state) {
		t.Errorf("two sessions lock in %s and in %s", a, b)
	}
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
	if entries, err := os.ReadDir(locks(first)); err != nil || len(entries) == 0 {
		t.Errorf("no refresh was locked there: %v, %v", entries, err)
	}
	if err := os.Mkdir(s.inHome(".kimi-code/oauth"), 0o700); err != nil { // the user's client was faster
		t.Fatal(err)
	}
	if dir := locks(g.prepare(one)); dir != s.inHome(".kimi-code/oauth") {
		t.Errorf("the session locks in %s, and not where the user's client does", dir)
	}
	g.cleanup(one)
	g.cleanup(two)
	g.nothingLeft()
	if _, err := os.Stat(login); err != nil {
		t.Errorf("the clean-up took the login with it: %v", err)
	}
}

// kimiAccount gives the user a login of a vendor, with a configuration that the client made for it. It gives its file.
func kimiAccount(s *stage, v *vendor) (login string) {
	s.Helper()
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
	rig.Write(s, s.inHome(".kimi-code/config.toml"), config)
	login = s.inHome(".kimi-code/credentials/" + name + ".json")
	rig.Write(s, login, encode(s, kimiToken(1, time.Second)))
	return login
}

// A host can give a session a login of its own, or none. The user's is neither read nor changed then, and what a session
// refreshes is the host's.
func TestC249_C251_KimiOnALoginOfTheHost(t *testing.T) {
	t.Parallel()
	s, v := newStage(t, kimi), serveTokens(t)
	login := kimiAccount(s, v)
	rig.Write(t, login, `{"access_token":"access-of-the-user","refresh_token":"refresh-of-the-user","expires_at":1,"expires_in":1}`)
	theirs := filepath.Join(s.dir, "host-login.json")
	rig.Write(t, theirs, encode(t, kimiToken(1, time.Second)))
	g := s.open()
	home := s.take(s.home)
	session := g.session("given", core.Desktop)
	session.Logins = map[string]core.Login{"login": {Path: theirs}}
	p := g.prepare(session)
	s.up.Script(upstream.Say("done"))
	g.run(p, kimi.turn("hello")...)
	if turns := s.turns(1); !strings.HasPrefix(turns[0].Header.Get("Authorization"), "Bearer access-") ||
		strings.Contains(turns[0].Header.Get("Authorization"), "user") {
		t.Errorf("the credential is %q", turns[0].Header.Get("Authorization"))
	}
	g.cleanup(session)
	data, err := os.ReadFile(theirs)
	if err != nil || v.good() < 2 || !strings.Contains(string(data), fmt.Sprintf(`"refresh-%d"`, v.good())) || v.spent != 0 {
		t.Errorf("the good token is refresh-%d, and the host's login is %s, %v", v.good(), data, err)
	}

	none := g.session("withheld", core.Desktop)
	none.Logins = map[string]core.Login{"login": {}}
	p = g.prepare(none)
	cmd, err := p.Command(t.Context(), g.environ, kimi.turn("hello")...)
	if err != nil {
		t.Fatal(err)
	}
	if result := rig.Run(cmd, patience); kimi.failed(result) == nil {
		t.Error("a session without a login runs on one")
	}
	s.turns(1)
	g.cleanup(none)
	g.nothingLeft()
	s.unchanged("the home", home, s.take(s.home))
}

// good is the number of the refresh token that is good.
func (v *vendor) good() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}
