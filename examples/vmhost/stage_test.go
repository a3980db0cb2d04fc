package vmhost_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/examples/vmhost"
)

func TestMain(m *testing.M) {
	launchtest.Main()
	machineMain()
	os.Exit(m.Run())
}

// authority signs certificates for one test.
type authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "test"}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err == nil {
		c, err = x509.ParseCertificate(der)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &authority{t, c, key}
}

// issue makes one end that trusts whoever this authority has signed for.
func (a *authority) issue(name string) vmhost.Trust {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return vmhost.Trust{Own: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, Authority: pool}
}

// machine is a machine with agents in this process: its server, and a client of it.
type machine struct {
	*testing.T
	dir    string
	host   *core.Host
	addr   string
	ca     *authority
	client *vmhost.Client
	// cut ends the server and everything that it drives.
	cut func()
}

func newMachine(t *testing.T, flags ...string) *machine {
	t.Helper()
	return newMachineAs(t, newAuthority(t), vmhost.Name, flags...)
}

func newMachineAs(t *testing.T, ca *authority, name string, flags ...string) *machine {
	t.Helper()
	return newMachineWith(t, ca, name, launchtest.Adapter{Flags: flags})
}

func newMachineWith(t *testing.T, ca *authority, name string, a launchtest.Adapter) *machine {
	t.Helper()
	m := &machine{T: t, dir: t.TempDir(), ca: ca}
	for _, d := range []string{"home", "work/app"} {
		if err := os.MkdirAll(m.at(d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"HOME=" + m.at("home"), "PATH=" + launchtest.Install(t) + ":" + os.Getenv("PATH")}
	var err error
	m.host, err = core.New(t.Context(), core.Config{StateDir: m.at("state"), Home: m.at("home"), Environ: environ,
		Commands: command.Fixed(), Adapters: []adapter.Source{{InProcess: a}}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.addr = l.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		s := &vmhost.Server{Host: m.host, Environ: environ, Paths: vmhost.Paths{"/projects": m.at("work")}}
		ended <- s.Serve(ctx, l, m.ca.issue(name))
	}()
	m.cut = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		m.cut()
		if err := m.host.Close(); err != nil {
			t.Error(err)
		}
	})
	m.client = m.dial(m.ca.issue("somebody"))
	return m
}

func (m *machine) at(rel string) string { return filepath.Join(m.dir, filepath.FromSlash(rel)) }

func (m *machine) dial(trust vmhost.Trust) *vmhost.Client {
	m.Helper()
	c, err := vmhost.Dial(m.addr, trust)
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = c.Close() })
	return c
}

var one = core.Session{Workspace: "w", ID: "one", Provider: launchtest.Provider, Cwd: "/projects/app"}
