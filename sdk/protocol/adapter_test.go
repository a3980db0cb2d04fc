package protocol_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
)

// fake is an adapter that answers with what its functions say.
type fake struct {
	describe func() preparer.Descriptor
	prepare  func(context.Context, preparer.Request) (*preparer.Layout, error)
}

func (f fake) Describe() preparer.Descriptor { return f.describe() }

func (f fake) Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	return f.prepare(ctx, r)
}

// both runs a test against an adapter in this process and the same one behind gRPC.
func both(t *testing.T, p preparer.Preparer, test func(*testing.T, protocol.Adapter)) {
	t.Helper()
	t.Run("in process", func(t *testing.T) { test(t, protocol.InProcess(p)) })
	t.Run("grpc", func(t *testing.T) {
		listener := bufconn.Listen(1 << 20)
		s := protocol.NewServer(nil)
		if err := (&protocol.GRPCPlugin{Impl: p}).GRPCServer(nil, s); err != nil {
			t.Fatal(err)
		}
		go s.Serve(listener)
		t.Cleanup(s.Stop)
		conn, err := grpc.NewClient("passthrough:bufconn", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		c, err := (&protocol.GRPCPlugin{}).GRPCClient(t.Context(), nil, conn)
		if err != nil {
			t.Fatal(err)
		}
		test(t, c.(protocol.Adapter))
	})
}

func TestAdapterAnswers(t *testing.T) {
	t.Parallel()
	held := &preparer.Layout{}
	held.File(preparer.Session("a"), preparer.S("x"))
	p := fake{
		describe: func() preparer.Descriptor { return preparer.Descriptor{Provider: "p", Version: "1.0.0"} },
		prepare: func(_ context.Context, r preparer.Request) (*preparer.Layout, error) {
			if r.Target.OS == "plan9" {
				return nil, preparer.Refuse("p.os", "no such client", "use another system")
			}
			r.Inputs["mine"] = preparer.Found{Exists: true}
			return held, nil
		},
	}
	both(t, p, func(t *testing.T, a protocol.Adapter) {
		d, err := a.Describe(t.Context())
		if err != nil || d.Provider != "p" {
			t.Fatalf("%v, %v", d, err)
		}
		r := preparer.Request{Inputs: map[string]preparer.Found{"a": {}}}
		l, err := a.Prepare(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(held, l); d != "" {
			t.Fatal(d)
		}
		if l == held || len(r.Inputs) != 1 {
			t.Fatal("host and adapter share memory")
		}
		_, err = a.Prepare(t.Context(), preparer.Request{Target: preparer.Target{OS: "plan9"}})
		var refusal *preparer.Refusal
		if !errors.As(err, &refusal) || *refusal != (preparer.Refusal{Code: "p.os", Text: "no such client", Hint: "use another system"}) {
			t.Fatalf("got %v", err)
		}
	})
}

func TestAdapterErrorsKeepTheirType(t *testing.T) {
	t.Parallel()
	is := func(want error) func(error) bool {
		return func(err error) bool { return err != nil && cmp.Equal(err, want) }
	}
	cases := map[string]struct {
		answer func() (*preparer.Layout, error)
		want   func(error) bool
	}{
		"error": {func() (*preparer.Layout, error) { return nil, errors.New("broken") }, is(&protocol.FaultError{Text: "broken"})},
		"panic": {func() (*preparer.Layout, error) { panic("boo") }, is(&protocol.PanicError{Text: "boo"})},
		"nothing": {func() (*preparer.Layout, error) { return nil, nil },
			is(&protocol.InvalidError{What: "the layout is missing"})},
		"unknown choice": {func() (*preparer.Layout, error) {
			return &preparer.Layout{Env: []preparer.EnvOp{{Op: "x"}}}, nil
		}, is(&protocol.UnknownError{What: `change of the environment "x"`})},
		"9 MiB": {func() (*preparer.Layout, error) {
			l := preparer.NewLayout()
			l.File(preparer.Session("a"), preparer.S(strings.Repeat("x", 9<<20)))
			return l, nil
		}, is(&protocol.LimitError{What: "bytes of greenroom.preparer.v1.Layout", Limit: protocol.MaxMessage})},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := fake{prepare: func(context.Context, preparer.Request) (*preparer.Layout, error) { return c.answer() }}
			both(t, p, func(t *testing.T, a protocol.Adapter) {
				if _, err := a.Prepare(t.Context(), preparer.Request{}); !c.want(err) {
					t.Fatalf("got %T %v", err, err)
				}
			})
		})
	}
}

func TestDescribePanicIsAnError(t *testing.T) {
	t.Parallel()
	both(t, fake{describe: func() preparer.Descriptor { panic("boo") }}, func(t *testing.T, a protocol.Adapter) {
		_, err := a.Describe(t.Context())
		var want *protocol.PanicError
		if !errors.As(err, &want) {
			t.Fatalf("got %v", err)
		}
	})
}

func TestPrepareEndsWithItsContext(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	p := fake{prepare: func(context.Context, preparer.Request) (*preparer.Layout, error) {
		<-never
		return preparer.NewLayout(), nil
	}}
	both(t, p, func(t *testing.T, a protocol.Adapter) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := a.Prepare(ctx, preparer.Request{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
	})
}

// TestLargestMessagesPass: what the converters let through, the connection carries.
func TestLargestMessagesPass(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", protocol.MaxMessage-200)
	p := fake{prepare: func(_ context.Context, r preparer.Request) (*preparer.Layout, error) {
		l := preparer.NewLayout()
		l.File(preparer.Session("a"), preparer.S(string(r.Inputs["a"].Content)))
		return l, nil
	}}
	both(t, p, func(t *testing.T, a protocol.Adapter) {
		l, err := a.Prepare(t.Context(), preparer.Request{Inputs: map[string]preparer.Found{"a": {Content: []byte(big)}}})
		if err != nil {
			t.Fatal(err)
		}
		if body := l.Entries[0].(preparer.File).Body[0]; body != preparer.S(big) {
			t.Fatal("the body changed")
		}
	})
}
