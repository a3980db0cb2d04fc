package protocol

import (
	"context"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// The handshake between a host and an adapter process.
const (
	// Version is the version of this contract. It changes with the package of preparer.proto, never within it.
	Version = 1
	// PluginName is what a host asks go-plugin for.
	PluginName = "preparer"
	// PluginLog ends the name of the logger by which an adapter passes on what go-plugin says of its own work.
	PluginLog = "go-plugin"
	// CookieKey and CookieValue tell an adapter that a host started it. They are no secret.
	CookieKey   = "GREENROOM_ADAPTER"
	CookieValue = "b7b7d6b21f0c0f3b9d7a4c55e1a90c34"
	// LifelineEnv names the inherited file descriptor, of which the host holds the other end, whose end of file tells
	// an adapter that its host is gone.
	LifelineEnv = "GREENROOM_LIFELINE"
)

// Handshake is the handshake for go-plugin. The version is that of the plugin set; see [Plugins].
func Handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: Version, MagicCookieKey: CookieKey, MagicCookieValue: CookieValue}
}

// Plugins are the plugin sets by version, for a host's client and an adapter's server alike. A host passes nil.
func Plugins(p preparer.Preparer) map[int]plugin.PluginSet {
	return map[int]plugin.PluginSet{Version: {PluginName: &GRPCPlugin{Impl: p}}}
}

// GRPCPlugin is the go-plugin side of the contract. On a host Impl is nil, and what is dispensed is a *[Client].
type GRPCPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	Impl preparer.Preparer
}

var _ plugin.GRPCPlugin = (*GRPCPlugin)(nil)

// GRPCServer implements plugin.GRPCPlugin.
func (p *GRPCPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	pb.RegisterPreparerServer(s, &server{impl: p.Impl})
	return nil
}

// GRPCClient implements plugin.GRPCPlugin.
func (p *GRPCPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return NewClient(c), nil
}
