package serve

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
)

// debugFlag has an adapter wait for a host that attaches to it, as the last argument.
const debugFlag = "--debug"

// socketDir is the variable by which go-plugin is told where its socket shall be.
const socketDir = "PLUGIN_UNIX_SOCKET_DIR"

// debugged serves until it is interrupted, whoever attaches and goes. Its socket lies in a directory that nobody else can
// look into, since what it serves asks nobody who they are.
func debugged(p preparer.Preparer) int {
	d, err := protocol.InProcess(p).Describe(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "it cannot describe itself:", err)
		return 1
	}
	dir, err := os.MkdirTemp("", "greenroom-debug-")
	if err == nil {
		err = os.Setenv(socketDir, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "there is no place for a socket:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	at, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	log := hclog.New(&hclog.LoggerOptions{Name: "adapter", Level: hclog.Debug, Output: os.Stderr})
	go plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  protocol.Handshake(),
		VersionedPlugins: protocol.Plugins(&served{impl: p, log: log, begin: func() {}}),
		GRPCServer:       protocol.NewServer,
		Logger:           log.With(),
		Test:             &plugin.ServeTestConfig{Context: ctx, ReattachConfigCh: at, CloseCh: closed},
	})
	select {
	case c := <-at:
		fmt.Printf("The adapter for %s waits. Ask it with, for example:\n  greenroom explain %s --unsafe-attach %s=%d:%s:%s\n",
			d.Provider, d.Provider, d.Provider, c.ProtocolVersion, c.Addr.Network(), c.Addr)
		<-closed
		return 0
	case <-closed:
		return 1
	}
}
