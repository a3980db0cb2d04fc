package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/providers/claude"
	"github.com/greenroom-agents/greenroom/providers/codex"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

// adapters are the real ones.
var adapters = map[string]preparer.Preparer{"codex": codex.Adapter{}, "claude": claude.Adapter{}}

// asAdapter as the first argument makes this binary the adapter of the second one.
const asAdapter = "serve-adapter"

func TestMain(m *testing.M) {
	launchtest.Main()
	if len(os.Args) == 3 && os.Args[1] == asAdapter {
		serve.Serve(adapters[os.Args[2]])
		return
	}
	os.Exit(m.Run())
}

// local are the adapters in this process.
func local() []adapter.Source {
	return []adapter.Source{{Provider: "codex", InProcess: adapters["codex"]}, {Provider: "claude", InProcess: adapters["claude"]}}
}

// processes are the adapters as processes, pinned like installed ones.
func processes() ([]adapter.Source, error) {
	path, digest, err := self()
	if err != nil {
		return nil, err
	}
	var list []adapter.Source
	for _, provider := range []string{"codex", "claude"} {
		list = append(list, adapter.Source{Provider: provider, Path: path, Args: []string{asAdapter, provider}, SHA256: digest})
	}
	return list, nil
}

var selfOnce = sync.OnceValues(func() ([2]string, error) {
	path, err := os.Executable()
	if err != nil {
		return [2]string{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return [2]string{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return [2]string{}, fmt.Errorf("take the digest of the test binary: %w", err)
	}
	return [2]string{path, hex.EncodeToString(h.Sum(nil))}, nil
})

func self() (path, digest string, err error) {
	s, err := selfOnce()
	return s[0], s[1], err
}
