package adapter

import (
	"context"
	"errors"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// maxCrashes in a row mark an adapter failed.
const maxCrashes = 3

// starting is a start that is under way.
type starting struct {
	done chan struct{}
	err  error
}

// use is the running adapter, started when there is none. It stays until release.
func (m *member) use(ctx context.Context) (*process, error) {
	if m.local != nil {
		return m.local, nil
	}
	for {
		m.mu.Lock()
		if err := m.failure(); err != nil {
			m.mu.Unlock()
			return nil, err
		}
		if p := m.now; p != nil {
			p.uses++
			if m.idle != nil {
				m.idle.Stop()
			}
			m.mu.Unlock()
			return p, nil
		}
		s := m.begin()
		m.mu.Unlock()
		if s == nil {
			return nil, errClosed()
		}
		select {
		case <-s.done:
			// One that started and ended again at once is started again; its crashes are counted.
			if s.err != nil {
				return nil, s.err
			}
		case <-ctx.Done():
			if m.pool.life.Err() != nil {
				return nil, errClosed()
			}
			return nil, unawaited("start", m.label, ctx.Err())
		}
	}
}

// begin is the start that is under way, or a new one. It needs the lock.
func (m *member) begin() *starting {
	if m.starting != nil {
		return m.starting
	}
	s := &starting{done: make(chan struct{})}
	if !m.pool.background(func() {
		p, err := m.launch()
		s.err = m.started(p, err)
		close(s.done)
	}) {
		return nil
	}
	m.starting = s
	return s
}

// started takes what a start led to, and answers its error.
func (m *member) started(p *process, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starting = nil
	switch {
	case err == nil && m.pool.life.Err() != nil:
		p.ending, err = true, errClosed()
		m.pool.work.Go(p.stop)
	case err == nil && !p.ended:
		m.now = p
		m.rest(p)
	case errors.Is(err, fault.AdapterCrashed):
		state, _ := p.child.ending()
		m.crashed(state + " while it started")
	}
	return err
}

// release ends a use. An adapter that is not used for a while is ended.
func (m *member) release(p *process) {
	if p == m.local {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p.uses--
	m.rest(p)
}

// rest begins the time after which an unused adapter is ended. It needs the lock.
func (m *member) rest(p *process) {
	if m.now != p || p.uses > 0 || m.pool.config.Idle < 0 {
		return
	}
	if m.idle != nil {
		m.idle.Stop()
	}
	m.idle = time.AfterFunc(m.pool.config.Idle, func() {
		m.pool.background(func() {
			m.mu.Lock()
			idle := m.now == p && p.uses == 0
			if idle {
				m.now, p.ending = nil, true
			}
			m.mu.Unlock()
			if idle {
				m.log.Debug("adapter is idle, ending it")
				p.stop()
			}
		})
	})
}

// lost notes that a process has ended, and counts it as a crash unless we ended it.
func (m *member) lost(p *process) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.ended = true
	if m.now == p {
		m.now = nil
	}
	if !p.ending {
		state, _ := p.child.ending()
		m.crashed(state)
	}
}

// crashed counts a crash. It needs the lock.
func (m *member) crashed(how string) {
	m.crashes++
	m.last = how
	m.log.Warn("adapter crashed", "how", how, "in a row", m.crashes)
}

// failure is the error of an adapter that crashed too often, or nil. It needs the lock.
func (m *member) failure() error {
	if m.crashes < maxCrashes {
		return nil
	}
	return fault.New(fault.AdapterFailed, "start", m.label, "it crashed three times in a row, the last time: "+m.last).
		WithHint("mend or update the adapter, then start the host anew")
}

// answered notes that the adapter lives and answers.
func (m *member) answered() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.crashes = 0
}

// end kills a process that does not answer any more.
func (m *member) end(p *process) {
	m.mu.Lock()
	if m.now == p {
		m.now = nil
	}
	p.ending = true
	m.mu.Unlock()
	p.child.Kill(context.Background())
	<-p.noted
}

// close ends what runs, with the pool.
func (m *member) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.idle != nil {
		m.idle.Stop()
	}
	if p := m.now; p != nil {
		m.now, p.ending = nil, true
		m.pool.work.Go(p.stop)
	}
}
