package adapter

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

func TestH50_EnvironmentIsAChoice(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows needs more names")
	}
	run := runDir{filepath.FromSlash("/r/1")}
	spec := []string{"SECRET=x", "PATH=/bin", protocol.CookieKey + "=c", "PLUGIN_CLIENT_CERT=a=b", "XPLUGIN_=x", "=", ""}
	want := []string{protocol.CookieKey + "=c", "PLUGIN_CLIENT_CERT=a=b", "LANG=C.UTF-8", "HOME=/r/1/h", "TMPDIR=/r/1/t"}
	if diff := cmp.Diff(want, environment(spec, run)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}
