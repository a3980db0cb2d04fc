package gateway

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestCorkedWritesGoOutTogether: nothing reaches the client until the connection is uncorked, then all of it in order.
func TestCorkedWritesGoOutTogether(t *testing.T) {
	t.Parallel()
	raw, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var pool sync.Pool
	l := &clientListener{Listener: raw, buffers: &pool}
	defer l.Close()
	client, err := net.Dial("tcp", raw.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer accepted.Close()
	c := accepted.(*clientConn)
	write := func(text string) {
		if n, err := io.WriteString(c, text); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	piece := strings.Repeat("x", 5000)
	for range 2 {
		c.cork()
		write("5000\r\n")
		write(piece)
		write("\r\n")
		_ = client.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if n, err := client.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Fatal("a corked write went out")
		}
		if err := c.uncork(); err != nil {
			t.Fatal(err)
		}
		_ = client.SetReadDeadline(time.Now().Add(10 * time.Second))
		got := make([]byte, len(piece)+8)
		if _, err := io.ReadFull(client, got); err != nil || string(got) != "5000\r\n"+piece+"\r\n" {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	write("after")
	if got := make([]byte, 5); func() error { _, err := io.ReadFull(client, got); return err }() != nil || string(got) != "after" {
		t.Fatalf("%q", got)
	}
	_ = c.TCPConn.Close()
	c.cork()
	write("lost")
	if c.uncork() == nil {
		t.Fatal("what could not be written is no error")
	}
}
