package gateway

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// pulse is a body that remembers when it last gave a byte. Comments count: an upstream that sends them is alive.
type pulse struct {
	src   io.Reader
	last  atomic.Int64 // nanoseconds since start
	bytes atomic.Int64
	start time.Time
}

func newPulse(src io.Reader, start time.Time) *pulse {
	p := &pulse{src: src, start: start}
	p.stamp()
	return p
}

func (p *pulse) stamp() { p.last.Store(int64(time.Since(p.start))) }

// still is the time since the last byte, or since the reader was last busy with something else.
func (p *pulse) still() time.Duration { return time.Since(p.start) - time.Duration(p.last.Load()) }

func (p *pulse) Read(b []byte) (int, error) {
	p.stamp()
	n, err := p.src.Read(b)
	if n > 0 {
		p.bytes.Add(int64(n))
		p.stamp()
	}
	return n, err
}

// watch calls a function now and then, on a timer and not on a goroutine of its own. The function says in what time
// it wants to be called again; 0 is never.
type watch struct {
	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

func startWatch(first time.Duration, look func() time.Duration) *watch {
	w := &watch{}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(first, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.over {
			return
		}
		if next := look(); next > 0 {
			w.timer.Reset(max(next, time.Millisecond))
		}
	})
	return w
}

// soon calls the function in at most this time, if it is not called before.
func (w *watch) soon(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.timer.Reset(d)
	}
}

// stop returns when the function does not run and will not run again.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
}
