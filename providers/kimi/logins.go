package kimi

import (
	"regexp"
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// logins shares the user's login and those of their MCP servers. The client replaces a login by renaming, which a link
// to the file would not survive, and holds a lock beside it while it does: so both directories are the user's own. A
// refresh token is good for one use, and there is never a second copy of it.
//
// A session on an endpoint has no login of the user's: the client needs none there, and cannot use one that it has not.
// Nor has one that the host gives another or withholds it.
func logins(l *p.Layout, r p.Request) {
	given := inLogin.In(r)
	if r.Endpoint == nil && !given.Exists && !given.Withheld {
		l.Share(root.Join("credentials"), p.At(home, "credentials"))
		if slices.Contains(inDirs.In(r).Names, "oauth") {
			l.Share(root.Join("oauth"), p.At(home, "oauth"))
		} else {
			waitingRoom(l)
		}
		l.Bring(r, inDevice, root.Join("device_id"))
		l.Bring(r, inRegion, root.Join("region"))
		return
	}
	l.ShareEach(r, p.MCPServers, root, home, "credentials/mcp")
	if r.Endpoint == nil && given.Exists {
		l.Login(p.Login{At: root.Join("credentials/" + loginName(r) + ".json"), Input: inLogin.Name, JSON: true, Fresher: p.Key("expires_at")})
		waitingRoom(l)
	}
}

// waitingRoom has all sessions wait for each other while one of them refreshes a login, where the user has no directory for
// that: the client makes one at the first refresh, and would make it in each session.
func waitingRoom(l *p.Layout) { l.Link(root.Join("oauth"), p.Cache("kimi-login-locks", ".")) }

var loginForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// loginName is what the client files its login by, which depends on whose it is.
func loginName(r p.Request) string {
	if name := strings.TrimPrefix(inConfig.In(r).Text(loginKey), "oauth/"); loginForm.MatchString(name) {
		return name
	}
	return "kimi-code"
}
