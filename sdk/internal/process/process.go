package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
)

// Config says what to start.
type Config struct {
	Path string
	Args []string
	Env  []string // the whole environment, besides what the handshake needs
	Dir  string   // working directory, "" for the host's own
	// NoLifeline leaves the lifeline out, for a test of what an adapter does then.
	NoLifeline bool
	// Log receives the log of the adapter and its standard error. Default: nowhere.
	Log io.Writer
}

// Process is a running adapter.
type Process struct {
	*protocol.Client
	Pid    int
	client *plugin.Client
	line   *os.File
	dir    string
}

// Start starts an adapter and shakes hands.
func Start(c Config) (_ *Process, err error) {
	// A short path: the names of sockets are limited to about a hundred bytes.
	dir, err := os.MkdirTemp("", "gr-")
	if err != nil {
		return nil, err
	}
	p := &Process{dir: dir}
	defer func() {
		if err != nil {
			p.Stop()
		}
	}()
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = append(append([]string{}, c.Env...), "PLUGIN_UNIX_SOCKET_DIR="+dir, "TMPDIR="+dir)
	if !c.NoLifeline && runtime.GOOS != "windows" {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer read.Close()
		p.line = write
		cmd.ExtraFiles = []*os.File{read}
		cmd.Env = append(cmd.Env, protocol.LifelineEnv+"=3")
	}
	if c.Log == nil {
		c.Log = io.Discard
	}
	p.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  protocol.Handshake(),
		VersionedPlugins: protocol.Plugins(nil),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Cmd:              cmd,
		SkipHostEnv:      true,
		AutoMTLS:         true,
		StartTimeout:     10 * time.Second,
		Logger:           hclog.New(&hclog.LoggerOptions{Level: hclog.Trace, Output: c.Log}),
		SyncStdout:       c.Log,
		SyncStderr:       c.Log,
	})
	conn, err := p.client.Client()
	if err != nil {
		return nil, err
	}
	p.Pid = cmd.Process.Pid
	raw, err := conn.Dispense(protocol.PluginName)
	if err != nil {
		return nil, err
	}
	client, ok := raw.(*protocol.Client)
	if !ok {
		return nil, fmt.Errorf("dispensed a %T", raw)
	}
	p.Client = client
	return p, nil
}

// Stop ends the adapter and takes its socket directory away.
func (p *Process) Stop() {
	if p.client != nil {
		p.client.Kill()
	}
	if p.line != nil {
		p.line.Close()
	}
	os.RemoveAll(p.dir)
}

// Exited says whether the adapter has ended.
func (p *Process) Exited() bool { return p.client.Exited() }
