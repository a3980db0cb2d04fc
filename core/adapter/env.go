package adapter

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// environment is the whole environment of an adapter: what the handshake needs out of spec, and private directories.
// Nothing is taken from the host, so that no secret in the host's environment can reach an adapter.
func environment(spec []string, run runDir) []string {
	var env []string
	for _, item := range spec {
		name, _, _ := strings.Cut(item, "=")
		if name == protocol.CookieKey || strings.HasPrefix(name, "PLUGIN_") {
			env = append(env, item)
		}
	}
	env = append(env, "LANG=C.UTF-8", "HOME="+run.home(), "TMPDIR="+run.temp())
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+run.home(), "TEMP="+run.temp(), "TMP="+run.temp(),
			"APPDATA="+filepath.Join(run.home(), "a"), "LOCALAPPDATA="+filepath.Join(run.home(), "l"))
	}
	return env
}
