package core

import (
	"context"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// grace is how long an operation whose time is up may take to put things in order before it counts as stuck.
const grace = 2 * time.Second

// operation is work on a session that may hang in the file system. Its fields are guarded by Host.mu.
type operation struct {
	locked  bool // it holds the session's lock
	over    bool
	givenUp bool
}

// watched runs work on a session, or with a blank name on the state, under the deadline of ctx and under Config.Timeout,
// and stops waiting for it when a file system call does not return: the session is then poisoned until it does. Nobody
// reads what such work comes to. op and subject name the work in errors.
func watched[T any](ctx context.Context, h *Host, name, op, subject string, work func(context.Context, *operation) (T, error)) (T, error) {
	var none T
	end, err := h.begin()
	if err != nil {
		return none, inTime(ctx, err)
	}
	if h.isStuck(name) {
		end()
		return none, poisoned(op)
	}
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout)
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	o := &operation{}
	go func() {
		defer cancel()
		v, err := work(ctx, o)
		if h.ended(name, o) {
			end()
		}
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, inTime(ctx, r.err)
	case <-ctx.Done():
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, inTime(ctx, r.err)
	case <-timer.C:
	}
	if h.giveUp(name, o) {
		end()
	}
	return none, fault.Wrap(ctx.Err(), fault.Deadline, op, subject, "a file system call did not return in time").WithHint(hangsHint)
}

const hangsHint = "look at the file systems that the user's home and the state directory lie on"

func poisoned(op string) error {
	return fault.New(fault.Poisoned, op, "session", "an earlier operation on it hangs in the file system").WithHint(hangsHint)
}

// giveUp stops waiting for an operation. Its session is poisoned while it holds the lock. Close does not wait for it
// either. It is false for one that ended at the last moment.
func (h *Host) giveUp(name string, o *operation) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o.over {
		return false
	}
	o.givenUp = true
	h.adrift++
	if o.locked {
		h.stuck[name] = o
	}
	return true
}

// ended says that an operation came to an end, and whether it was still waited for.
func (h *Host) ended(name string, o *operation) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	o.over = true
	if h.stuck[name] == o {
		delete(h.stuck, name)
	}
	if o.givenUp {
		h.adrift--
	}
	return !o.givenUp
}

func (h *Host) setLocked(o *operation, locked bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o.locked = locked
}

func (h *Host) isStuck(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stuck[name] != nil
}
