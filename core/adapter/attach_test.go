package adapter_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-plugin"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// debugged starts an adapter as a debugger does, and says where it is to be reached and how it is ended.
func debugged(t *testing.T) (address string, end func()) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("an interrupt cannot be sent there")
	}
	cmd := exec.Command(testAdapter, "--debug")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), "--unsafe-attach "); ok {
			_, address, _ = strings.Cut(after, "=")
			break
		}
	}
	go func() { io.Copy(io.Discard, out); cmd.Wait(); close(done) }()
	end = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-done
			t.Error("it did not end when it was interrupted")
		}
	}
	if address == "" {
		end()
		t.Fatal("it does not say where it is to be reached")
	}
	return address, end
}

func attachedTo(t *testing.T, address string) adapter.Source {
	t.Helper()
	at, err := adapter.ParseAttach(address)
	if err != nil {
		t.Fatal(err)
	}
	return adapter.Source{UnsafeAttach: at}
}

// What a debugger started is asked like any other, is told apart from any other, and is still there when the host is not.
func TestAttachToWhatADebuggerStarted(t *testing.T) {
	t.Parallel()
	address, end := debugged(t)
	for range 2 {
		log := &record{}
		p := pool(t, adapter.Config{Logger: log.logger(), CallTimeout: time.Nanosecond, StartTimeout: time.Nanosecond}, attachedTo(t, address))
		infos, err := p.Providers(t.Context())
		if err != nil || len(infos) != 1 || infos[0].Err != nil {
			t.Fatalf("%+v, %v", infos, err)
		}
		i := infos[0]
		if i.State != adapter.Debug || i.Identity.Digest != adapter.Attached || !i.Identity.Unsafe || i.PID != 0 {
			t.Errorf("info %+v", i)
		}
		// Nothing is remembered, since it may be another program the next time.
		for range 2 {
			if _, err := p.Prepare(t.Context(), i.Provider, request("pid")); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(log.String(), "a debugger started") {
			t.Errorf("the log does not say so: %s", log)
		}
	}
	p := pool(t, adapter.Config{}, attachedTo(t, address))
	if _, err := p.Providers(t.Context()); err != nil {
		t.Fatal(err)
	}
	end()
	infos, err := p.Providers(t.Context())
	if err != nil || !errors.Is(infos[0].Err, fault.AdapterMissing) || !strings.Contains(infos[0].Err.Error(), "nothing answers") {
		t.Errorf("after its end: %+v, %v", infos, err)
	}
	if _, err := os.Stat(strings.TrimPrefix(address, "1:unix:")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its socket is left: %v", err)
	}
}

// A caller may give a call up that a debugger has stopped.
func TestAttachedCallEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := pool(t, adapter.Config{}, attachedTo(t, "1:tcp:"+l.Addr().String()))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Providers(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestAttachToWhatCannotBe(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]fault.Code{
		"":                      fault.Invalid,
		"/tmp/x":                fault.Invalid,
		"x:unix:/tmp/x":         fault.Invalid,
		"1:unix:x":              fault.Invalid,
		"1:udp:127.0.0.1:1":     fault.Invalid,
		"1:tcp:localhost:1":     fault.Invalid,
		"1:tcp:192.0.2.1:99":    fault.Invalid,
		"1:tcp:[2001:db8::1]:1": fault.Invalid,
		"99:unix:/tmp/x":        fault.AdapterProtocol,
	} {
		if at, err := adapter.ParseAttach(text); !errors.Is(err, code) {
			t.Errorf("%q: %v, %v", text, at, err)
		}
	}
	socket := &plugin.ReattachConfig{Protocol: plugin.ProtocolGRPC, ProtocolVersion: 1, Addr: &net.UnixAddr{Net: "unix", Name: "/tmp/x"}}
	for name, s := range map[string]adapter.Source{
		"with a path":        {UnsafeAttach: socket, Path: "/bin/x"},
		"with a digest":      {UnsafeAttach: socket, SHA256: strings.Repeat("a", 64)},
		"with a value":       {UnsafeAttach: socket, InProcess: local{provider: "x"}},
		"without an address": {UnsafeAttach: &plugin.ReattachConfig{Protocol: plugin.ProtocolGRPC, ProtocolVersion: 1}},
		"of net/rpc":         {UnsafeAttach: &plugin.ReattachConfig{ProtocolVersion: 1, Addr: socket.Addr}},
	} {
		if _, err := adapter.New(t.Context(), adapter.Config{Sources: []adapter.Source{s}}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
