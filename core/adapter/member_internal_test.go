package adapter

import (
	"context"
	"errors"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// A process may end between its description and the moment it is taken. Taken all the same, it would fail every call.
func TestH48_DeadOnArrivalIsNotTaken(t *testing.T) {
	t.Parallel()
	p, err := New(context.Background(), Config{Sources: []Source{{Path: "/bin/true", UnsafeAnyDigest: true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m := p.members[0]
	dead := &process{child: &child{state: "exit status 1"}}
	m.lost(dead)
	if err := m.started(dead, nil); err != nil {
		t.Fatal(err)
	}
	if m.now != nil || m.crashes != 1 {
		t.Errorf("taken: %v, with %d crashes", m.now != nil, m.crashes)
	}
	living := &process{child: &child{}}
	if err := m.started(living, nil); err != nil || m.now != living {
		t.Errorf("the living one is not taken: %v", err)
	}
	m.lost(living)
}

// early is an adapter that says that its time is over while the host still waits.
type early struct{}

func (early) Describe(context.Context) (preparer.Descriptor, error) {
	return preparer.Descriptor{}, context.DeadlineExceeded
}

func (early) Prepare(context.Context, preparer.Request) (*preparer.Layout, error) {
	return nil, context.DeadlineExceeded
}

func TestDeadlineThatTheAdapterSawFirstIsATimeout(t *testing.T) {
	t.Parallel()
	p, err := New(context.Background(), Config{Sources: []Source{{Path: "/bin/true", UnsafeAnyDigest: true}}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m := p.members[0]
	m.local = &process{adapter: early{}}
	if _, err := m.describe(context.Background()); !errors.Is(err, fault.AdapterTimeout) {
		t.Errorf("describe: error %v, want %v", err, fault.AdapterTimeout)
	}
	if _, err := m.prepare(preparer.Request{}); !errors.Is(err, fault.AdapterTimeout) {
		t.Errorf("prepare: error %v, want %v", err, fault.AdapterTimeout)
	}
}
