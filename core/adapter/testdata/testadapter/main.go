// Command testadapter is an adapter that misbehaves as it is told: at its start by its arguments, in a call by the
// client version of the request.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/greenroom-agents/greenroom/sdk/serve"
	"github.com/hashicorp/go-plugin"
)

func main() {
	provider := flag.String("provider", "alpha", "")
	version := flag.String("version", "1.0.0", "")
	start := flag.String("start", "", "")
	text := flag.String("text", "", "")
	flag.Bool("debug", false, "read by serve")
	flag.Parse()
	p := adapter{provider: *provider, version: *version, text: *text}
	switch *start {
	case "noise":
		fmt.Fprintln(os.Stderr, "about to print "+*text)
		fmt.Println("hello " + *text)
	case "sleep":
		time.Sleep(time.Minute)
	case "exit":
		fmt.Fprintln(os.Stderr, "no good: "+*text)
		os.Exit(3)
	case "leave":
		os.Exit(0)
	case "future":
		plain(p, 99)
		return
	case "plain":
		plain(p, protocol.Version)
		return
	case "elsewhere":
		fmt.Println("1|1|unix|/tmp/elsewhere|grpc|" + strings.Repeat("A", 60))
		time.Sleep(time.Minute)
	case "long":
		fmt.Print(strings.Repeat("x", 200<<10))
		time.Sleep(time.Minute)
	}
	serve.Serve(p)
}

// plain serves without what package serve adds.
func plain(p preparer.Preparer, version int) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  protocol.Handshake(),
		VersionedPlugins: map[int]plugin.PluginSet{version: protocol.Plugins(p)[protocol.Version]},
		GRPCServer:       protocol.NewServer,
	})
}

type adapter struct{ provider, version, text string }

func (a adapter) Describe() preparer.Descriptor {
	switch a.text {
	case "describe-panic":
		panic("cannot say")
	case "describe-hang":
		select {}
	}
	return preparer.Descriptor{Provider: a.provider, Version: a.version}
}

func (a adapter) Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	var l preparer.Layout
	what, arg, _ := strings.Cut(r.Target.ClientVersion, ":")
	note := func(code, text string) { l.Note(preparer.Warn(code, text, "")) }
	switch what {
	case "pid":
		note("pid", fmt.Sprint(os.Getpid()))
	case "environ":
		for _, v := range os.Environ() {
			note("env", v)
		}
	case "inside":
		inside(note)
	case "refuse":
		return nil, preparer.Refuse("test.no", "not like this", "do it like that")
	case "error":
		return nil, errors.New(arg)
	case "panic":
		panic(arg)
	case "crash":
		fmt.Fprintln(os.Stderr, "about to crash "+arg)
		time.Sleep(50 * time.Millisecond) // its standard error goes over the connection that dies with it
		go panic("crash " + arg)
		select {}
	case "exit":
		os.Exit(7)
	case "hang":
		select {}
	case "slow":
		d, err := time.ParseDuration(arg)
		if err != nil {
			return nil, err
		}
		time.Sleep(d)
		note("pid", fmt.Sprint(os.Getpid()))
	case "die": // together with whatever waits for it
		note("pid", fmt.Sprint(os.Getpid()))
		go func() {
			time.Sleep(50 * time.Millisecond)
			os.Exit(1)
		}()
	case "print":
		fmt.Println("printed " + arg)
		fmt.Fprintln(os.Stderr, "complained "+arg)
		time.Sleep(50 * time.Millisecond)
	case "big":
		l.Set("BIG", preparer.S(strings.Repeat("x", 9<<20)))
	case "nothing":
		return nil, nil
	case "unknown":
		l.Note(preparer.Diagnostic{Severity: "grave"})
	case "child":
		cmd := exec.Command("/bin/sleep", "300")
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		note("pid", fmt.Sprint(cmd.Process.Pid))
	}
	return &l, nil
}

// inside notes what an adapter sees of the machine.
func inside(note func(code, text string)) {
	rest, err := io.ReadAll(os.Stdin)
	note("stdin", fmt.Sprintf("%d bytes, %v", len(rest), err))
	wd, err := os.Getwd()
	if err != nil {
		wd = err.Error()
	}
	note("wd", wd)
	note("home", os.Getenv("HOME"))
	note("tmp", os.Getenv("TMPDIR"))
	note("sockets", os.Getenv("PLUGIN_UNIX_SOCKET_DIR"))
	for _, dir := range []string{wd, os.Getenv("HOME"), os.Getenv("TMPDIR"), os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), filepath.Dir(wd)} {
		info, err := os.Stat(dir)
		if err != nil {
			note("stat", err.Error())
			continue
		}
		entries, err := os.ReadDir(dir)
		note("dir", fmt.Sprintf("%s %s %d %v", filepath.Base(dir), info.Mode().Perm(), len(entries), err))
	}
	open, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range open {
		if target, err := os.Readlink(fd); err == nil {
			note("fd", filepath.Base(fd)+" "+target)
		}
	}
}
