package vmhost

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"

	"google.golang.org/grpc/credentials"

	"github.com/greenroom-agents/greenroom/core"
)

// Name is what the certificate of a server has to be made out for.
const Name = "vmhost"

// Trust is who one end is, and who the other one has to be: whoever holds a certificate of an authority that signs for
// nothing else.
type Trust struct {
	Own       tls.Certificate
	Authority *x509.CertPool
}

// LoadTrust reads PEM files.
func LoadTrust(certificate, key, authority string) (Trust, error) {
	own, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return Trust{}, err
	}
	data, err := os.ReadFile(authority)
	if err != nil {
		return Trust{}, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return Trust{}, &core.Error{Code: core.ErrInvalid, Op: "read certificates", Detail: "there is none of an authority"}
	}
	return Trust{own, pool}, nil
}

func (t Trust) server() credentials.TransportCredentials {
	return credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{t.Own}, ClientCAs: t.Authority, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13,
	})
}

// guard is TLS that remembers why it was not had: gRPC says only that there is no connection.
type guard struct {
	credentials.TransportCredentials
	refused *atomic.Bool
}

func (t Trust) client() guard {
	return guard{credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{t.Own}, RootCAs: t.Authority, ServerName: Name, MinVersion: tls.VersionTLS13,
	}), &atomic.Bool{}}
}

// Clone implements credentials.TransportCredentials.
func (g guard) Clone() credentials.TransportCredentials {
	return guard{g.TransportCredentials.Clone(), g.refused}
}

// ClientHandshake implements credentials.TransportCredentials. In TLS 1.3 the client is done before the server has looked at
// its certificate. So it is waited for what the server says first: that it does not take it, or the beginning of HTTP/2,
// which comes unasked.
func (g guard) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := g.TransportCredentials.ClientHandshake(ctx, authority, raw)
	first := make([]byte, 1)
	if err == nil {
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		if _, err = io.ReadFull(conn, first); !stop() && err == nil {
			err = ctx.Err()
		}
	}
	g.refused.Store(refuses(err))
	if err != nil {
		return nil, nil, err
	}
	return &begun{conn, first}, info, nil
}

// begun is a connection of which something was read.
type begun struct {
	net.Conn
	first []byte
}

func (b *begun) Read(p []byte) (int, error) {
	if len(b.first) > 0 {
		n := copy(p, b.first)
		b.first = b.first[n:]
		return n, nil
	}
	return b.Conn.Read(p)
}

// refuses says whether one end does not take the certificate of the other.
func refuses(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	said, ok := errors.AsType[*net.OpError](err)
	return ok && said.Op == "remote error" // which is how crypto/tls tells an alert of the other end
}
