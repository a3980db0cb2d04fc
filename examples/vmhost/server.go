package vmhost

import (
	"context"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/greenroom-agents/greenroom/core"
)

// Server is the end on the agents' machine. Host, Environ and Paths are required.
type Server struct {
	Host *core.Host
	// Environ is the environment, in the form of os.Environ, that clients of sessions are started with.
	Environ []string
	Paths   Paths
	// Logger gets structured logs without the content of turns. Default: none.
	Logger *slog.Logger
}

// alive is how long the other end may be silent before it is asked whether it is still there, and how long it may then
// take: an agent must not work on for somebody who is gone.
const (
	silence = 20 * time.Second
	answer  = 10 * time.Second
)

// Serve answers clients until ctx ends. It closes the listener, and returns when every agent that was driven has ended.
func (s *Server) Serve(ctx context.Context, l net.Listener, t Trust) error {
	g := grpc.NewServer(grpc.Creds(t.server()), grpc.MaxRecvMsgSize(limit),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: silence, Timeout: answer}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: silence / 2, PermitWithoutStream: true}),
		grpc.WaitForHandlers(true))
	g.RegisterService(&grpc.ServiceDesc{ServiceName: service, HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{
		unary("Prepare", (*Server).prepare),
		unary("Show", (*Server).show),
		unary("Cleanup", (*Server).cleanup),
	}, Streams: []grpc.StreamDesc{{StreamName: "Drive", ServerStreams: true, ClientStreams: true,
		Handler: func(srv any, stream grpc.ServerStream) error { return over(srv.(*Server).drive(stream)) },
	}}}, s)
	defer context.AfterFunc(ctx, g.Stop)()
	return g.Serve(l)
}

func (s *Server) prepare(ctx context.Context, q session) (*core.Prepared, error) {
	p, err := s.prepared(ctx, q)
	if err == nil {
		told := *p
		told.Cwd = s.Paths.logical(p.Cwd)
		p = &told
	}
	return p, err
}

// prepared is the session as core has prepared it here.
func (s *Server) prepared(ctx context.Context, q session) (*core.Prepared, error) {
	here, err := q.unpack(s.Paths)
	if err != nil {
		return nil, err
	}
	return s.Host.Prepare(ctx, here)
}

func (s *Server) show(ctx context.Context, r core.Ref) (core.Info, error) {
	i, err := s.Host.Session(ctx, r)
	i.Cwd = s.Paths.logical(i.Cwd)
	return i, err
}

func (s *Server) cleanup(ctx context.Context, q goodbye) (*core.Report, error) {
	return s.Host.Cleanup(ctx, q.Ref, q.CleanupOptions)
}
