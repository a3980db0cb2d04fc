package adapter

import (
	"context"
	"errors"
	"log/slog"
	"os/exec"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
)

// process is an adapter that can be called. One in this process has an adapter only.
type process struct {
	adapter  protocol.Adapter
	client   *plugin.Client
	child    *child
	run      runDir
	protocol int
	since    time.Time
	log      *slog.Logger
	streams  [2]*lineLog
	known    *known
	noted    chan struct{} // its end has been counted
	gone     chan struct{} // nothing of it is left

	// By the lock of the member:
	uses   int
	ending bool // we are ending it
	ended  bool
}

const (
	maxTries  = 3                      // of a call whose process had to be killed because of another call
	stopWait  = 2 * time.Second        // for an adapter to end by itself
	crashWait = time.Second            // for a process to end whose connection broke
	oddWait   = 100 * time.Millisecond // for a process to end whose answer was odd
)

// launch starts the adapter and asks it what it is. The start timeout bounds all of it. With an error of the process
// comes what is left of it, for its ending.
func (m *member) launch() (*process, error) {
	fork, base, err := m.pool.ground()
	if err != nil {
		return nil, err
	}
	run, err := base.process()
	if err != nil {
		return nil, err
	}
	began := time.Now() // not the configured clock, which may stand still
	p := m.prepareProcess(fork, run)
	ctx, cancel := context.WithTimeout(m.pool.life, m.pool.config.StartTimeout)
	defer cancel()
	kill := context.AfterFunc(ctx, func() { p.child.Kill(context.Background()) })
	defer kill()
	if m.source.UnsafeAnyDigest {
		m.log.Warn("starting an adapter whose digest is not held to anything")
	}
	if err = p.connect(); err == nil {
		p.known, err = m.introduce(ctx, p, p.child.taken())
	}
	if err != nil {
		p.settle(err)
		p.child.Kill(context.Background())
		p.clear()
		return p, m.explainStart(ctx, p.child, err, time.Since(began))
	}
	m.log.Debug("adapter started", "pid", p.child.pid(), "took", time.Since(began))
	m.pool.work.Go(func() {
		<-p.child.exited
		m.lost(p)
		close(p.noted)
		p.clear()
		close(p.gone)
	})
	return p, nil
}

// prepareProcess makes everything of a process but the process.
func (m *member) prepareProcess(fork *forker, run runDir) *process {
	redact := m.pool.config.Redact
	c := &child{source: m.source, run: run, fork: fork, redact: redact, tail: &tail{redact: redact}, pause: time.Sleep,
		drained: make(chan struct{}), exited: make(chan struct{})}
	p := &process{child: c, run: run, log: m.log, since: m.pool.config.Now(),
		noted: make(chan struct{}), gone: make(chan struct{})}
	p.streams[0] = &lineLog{emit: func(line string) {
		m.log.Warn(cut(redact(line), maxLineKept), "stream", "stdout")
	}}
	p.streams[1] = &lineLog{emit: func(line string) {
		c.tail.add(line)
		m.log.Info(cut(redact(line), maxLineKept), "stream", "stderr")
	}}
	p.client = plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  protocol.Handshake(),
		VersionedPlugins: protocol.Plugins(nil),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, sockets string) (runner.Runner, error) {
			c.env, c.sockets = spec.Env, sockets
			return c, nil
		},
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: run.path},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		// Ours ends earlier, and covers more.
		StartTimeout: m.pool.config.StartTimeout + time.Minute,
		Logger:       newLog(m.log, redact),
		SyncStdout:   p.streams[0],
		SyncStderr:   p.streams[1],
	})
	return p
}

// connect starts the process and connects to what it serves.
func (p *process) connect() error {
	rpc, err := p.client.Client()
	if err != nil {
		return err
	}
	served, err := rpc.Dispense(protocol.PluginName)
	if err != nil {
		return err
	}
	adapter, ok := served.(protocol.Adapter)
	if !ok {
		return errors.New("go-plugin gave something that is no adapter")
	}
	p.adapter, p.protocol = adapter, p.client.NegotiatedVersion()
	return nil
}

// settle waits a moment for a process that may be ending, so that its own ending is seen and not ours.
func (p *process) settle(err error) {
	if p.child.pid() == 0 {
		return
	}
	wait := oddWait
	if broken(err) {
		wait = crashWait
	}
	select {
	case <-p.child.exited:
	case <-time.After(wait):
	}
}

// clear takes away what is left of a process that was killed, has ended or never started.
func (p *process) clear() {
	p.client.Kill()
	if p.child.pid() != 0 {
		<-p.child.exited
	}
	for _, s := range p.streams {
		s.Close()
	}
	if err := p.run.remove(); err != nil {
		p.log.Warn("a directory for sockets cannot be removed")
	}
}

// stop ends the process, kindly at first, and waits until nothing of it is left.
func (p *process) stop() {
	kill := time.AfterFunc(stopWait, func() { p.child.Kill(context.Background()) })
	defer kill.Stop()
	p.client.Kill()
	<-p.gone
}

// prepare asks the adapter. It asks again, another process, when the one that was asked had to be killed because of
// another call.
func (m *member) prepare(r preparer.Request) (*preparer.Layout, error) {
	for try := 1; ; try++ {
		p, err := m.use(m.pool.life)
		if err != nil {
			return nil, err
		}
		layout, err := m.call(p, r)
		m.release(p)
		switch {
		case err != errKilled:
			return layout, err
		case try == maxTries:
			return nil, fault.Wrap(err, fault.AdapterTimeout, "prepare", m.label,
				"it was killed because other calls did not end")
		}
	}
}

func (m *member) call(p *process, r preparer.Request) (*preparer.Layout, error) {
	const op = "prepare"
	m.mu.Lock()
	m.calls++
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(m.pool.life, m.pool.config.CallTimeout)
	defer cancel()
	began := time.Now()
	layout, err := p.adapter.Prepare(ctx, r)
	var refusal *preparer.Refusal
	switch {
	case err == nil, errors.As(err, &refusal):
		m.answered()
		return layout, err
	case m.pool.life.Err() != nil:
		return nil, errClosed()
	case overdue(ctx, err):
		if p.child != nil {
			m.end(p)
		}
		return nil, m.explainTimeout(op, time.Since(began), p.child)
	case p.child == nil || ofProtocol(err):
		m.answered()
		return nil, m.explainAnswer(op, err)
	}
	p.settle(err)
	if state, _ := p.child.ending(); state == "" && !broken(err) {
		m.answered()
		return nil, m.explainAnswer(op, err)
	}
	p.child.Kill(context.Background())
	<-p.noted
	m.mu.Lock()
	ending := p.ending
	m.mu.Unlock()
	switch {
	case m.pool.life.Err() != nil:
		return nil, errClosed()
	case ending:
		return nil, errKilled
	}
	return nil, m.explainCrash(op, p.child)
}
