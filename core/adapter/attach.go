package adapter

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// ParseAttach reads where an adapter that a debugger started is to be reached, as the adapter prints it:
// "1:unix:/path", the version of the contract, the network and the address.
func ParseAttach(text string) (*plugin.ReattachConfig, error) {
	parts := strings.SplitN(text, ":", 3)
	bad := func(detail string) (*plugin.ReattachConfig, error) {
		return nil, fault.New(fault.Invalid, "configure", "adapter to attach to", detail).
			WithHint("give what the adapter prints when it is started with --debug, such as 1:unix:/path")
	}
	if len(parts) < 3 {
		return bad("is not of the form VERSION:NETWORK:ADDRESS")
	}
	version, err := strconv.Atoi(parts[0])
	if err != nil {
		return bad("does not begin with the version of the contract")
	}
	at := &plugin.ReattachConfig{Protocol: plugin.ProtocolGRPC, ProtocolVersion: version, Test: true}
	if parts[1] == "unix" {
		at.Addr = &net.UnixAddr{Net: "unix", Name: parts[2]}
	} else if to, err := netip.ParseAddrPort(parts[2]); err == nil && parts[1] == "tcp" {
		at.Addr = net.TCPAddrFromAddrPort(to)
	} else {
		return bad("names neither a unix socket nor the address of a tcp port")
	}
	return at, attachable(at)
}

// attachable says why a process cannot be attached to, without trying.
func attachable(at *plugin.ReattachConfig) error {
	bad := func(detail string) error {
		return fault.New(fault.Invalid, "configure", "adapter to attach to", detail)
	}
	switch {
	case at.Protocol != plugin.ProtocolGRPC || at.Addr == nil:
		return bad("does not say where it serves gRPC")
	case at.ProtocolVersion != protocol.Version:
		return fault.New(fault.AdapterProtocol, "configure", "adapter to attach to",
			"it speaks version "+strconv.Itoa(at.ProtocolVersion)+" of the contract, and this host version "+strconv.Itoa(protocol.Version)).
			WithHint("build it with the sdk of this release")
	}
	switch addr := at.Addr.(type) {
	case *net.UnixAddr:
		if !filepath.IsAbs(addr.Name) {
			return bad("the path of its socket is not absolute")
		}
	case *net.TCPAddr:
		// What it serves is neither encrypted nor asked who it is.
		if !addr.IP.IsLoopback() {
			return bad("it is not on this machine")
		}
	default:
		return bad("is reached by a network that is not known: " + addr.Network())
	}
	return nil
}

// attached is an adapter in a process that is not ours: it was started under a debugger, and stays when we go. The
// connection is made anew whenever the process was.
type attached struct {
	*protocol.Client
	conn *grpc.ClientConn
}

func attach(at *plugin.ReattachConfig) *attached {
	dial := grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, at.Addr.Network(), at.Addr.String())
	})
	// The target is a word that nothing looks up, so that this cannot fail.
	conn, _ := grpc.NewClient("passthrough:///adapter", dial, grpc.WithTransportCredentials(insecure.NewCredentials()))
	return &attached{protocol.NewClient(conn), conn}
}

// ask is a call that nothing remembers. The caller may give it up; the adapter is asked to, too.
func (m *member) ask(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	layout, err := m.local.adapter.Prepare(ctx, r)
	var refusal *preparer.Refusal
	switch {
	case err == nil, errors.As(err, &refusal):
		return layout, err
	case ctx.Err() != nil:
		return nil, unawaited("prepare", m.label, ctx.Err())
	}
	return nil, m.explainAnswer("prepare", err)
}

// leave gives the connection to a process up, which stays.
func (m *member) leave() {
	if m.source.UnsafeAttach != nil {
		_ = m.local.adapter.(*attached).conn.Close()
	}
}

// Describe implements protocol.Adapter.
func (a *attached) Describe(ctx context.Context) (preparer.Descriptor, error) {
	d, err := a.Client.Describe(ctx)
	return d, gone(err)
}

// Prepare implements protocol.Adapter.
func (a *attached) Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	l, err := a.Client.Prepare(ctx, r)
	return l, gone(err)
}

// gone says that nothing answers where a debugger had an adapter.
func gone(err error) error {
	if broken(err) {
		return fault.Wrap(err, fault.AdapterMissing, "attach", "adapter to attach to", "nothing answers there").
			WithHint("start it under the debugger again, and give the address that it prints then")
	}
	return err
}
