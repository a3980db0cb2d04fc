package serve

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
)

// exitByHand is the exit code of an adapter that no host started.
const exitByHand = 2

// Serve answers a host until it goes away, and is the last call of an adapter's main. Run by hand, without a host, it
// says what this program is and exits with code 2. Run by hand with --debug, it waits for a host to attach, and says how.
func Serve(p preparer.Preparer) {
	if os.Getenv(protocol.CookieKey) != protocol.CookieValue {
		if os.Args[len(os.Args)-1] == debugFlag {
			os.Exit(debugged(p))
		}
		introduce(os.Stderr, p)
		os.Exit(exitByHand)
	}
	// go-plugin exchanges os.Stderr once it serves, so the logger takes the real one before.
	log := hclog.New(&hclog.LoggerOptions{Name: "adapter", Level: hclog.Debug, Output: os.Stderr, JSONFormat: true})
	watchHost(log)
	noise := guardStdout(log)
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  protocol.Handshake(),
		VersionedPlugins: protocol.Plugins(&served{impl: p, log: log, begin: noise.takeOver}),
		GRPCServer:       protocol.NewServer,
		Logger:           log.Named(protocol.PluginLog),
	})
}

// introduce tells a person what they started.
func introduce(w io.Writer, p preparer.Preparer) {
	name := "an adapter"
	if d, err := protocol.InProcess(p).Describe(context.Background()); err == nil {
		name = fmt.Sprintf("the adapter for %s, version %s,", d.Provider, d.Version)
	}
	fmt.Fprintf(w, "This is %s of Greenroom. It is not run by hand: a host starts it.\n"+
		"To see what it does: greenroom adapters\nUnder a debugger: run it with %s.\n", name, debugFlag)
}

// served is the adapter with what has to happen around its calls.
type served struct {
	impl  preparer.Preparer
	log   hclog.Logger
	once  sync.Once
	begin func()
}

func (s *served) Describe() preparer.Descriptor {
	s.once.Do(s.begin)
	defer s.trace("describe")
	return s.impl.Describe()
}

func (s *served) Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	s.once.Do(s.begin)
	defer s.trace("prepare")
	return s.impl.Prepare(ctx, r)
}

// trace logs where a panic came from, and lets it go on: the host is told only that there was one.
func (s *served) trace(call string) {
	if v := recover(); v != nil {
		s.log.Error("panic", "call", call, "value", fmt.Sprint(v), "stack", string(debug.Stack()))
		panic(v)
	}
}
