package adapter

import (
	"container/list"
	"context"
	"sync"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// question is what a layout answers: equal questions have equal answers, since adapters are pure.
type question struct {
	member  int    // which source of the pool
	adapter string // digest of the adapter that answered
	request string // digest of the request
}

// memory keeps the layouts that were used last, and has equal questions asked once.
type memory struct {
	mu      sync.Mutex
	max     int
	order   *list.List // of *answer, the last used one in front
	answers map[question]*list.Element
	asked   map[question]*asking
}

type answer struct {
	to     question
	layout *preparer.Layout
}

// asking is a question that is being answered.
type asking struct {
	done   chan struct{}
	layout *preparer.Layout
	err    error
}

func newMemory(max int) *memory {
	return &memory{max: max, order: list.New(), answers: map[question]*list.Element{}, asked: map[question]*asking{}}
}

// ask answers from memory, or waits for whoever asks the same, or has the adapter asked in the background. The call
// does not end with the context of the one who began it: others may wait for it, its answer is remembered, and it is
// bounded by itself.
func (m *memory) ask(ctx context.Context, q question, call func(answered func(*preparer.Layout, error))) (
	*preparer.Layout, error,
) {
	m.mu.Lock()
	if e, ok := m.answers[q]; ok {
		m.order.MoveToFront(e)
		layout := e.Value.(*answer).layout
		m.mu.Unlock()
		return layout, nil
	}
	a, ok := m.asked[q]
	if !ok {
		a = &asking{done: make(chan struct{})}
		m.asked[q] = a
	}
	m.mu.Unlock()
	if !ok {
		call(func(layout *preparer.Layout, err error) { m.answer(q, a, layout, err) })
	}
	select {
	case <-a.done:
		return a.layout, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *memory) answer(q question, a *asking, layout *preparer.Layout, err error) {
	a.layout, a.err = layout, err
	m.mu.Lock()
	delete(m.asked, q)
	if err == nil && m.max > 0 {
		m.answers[q] = m.order.PushFront(&answer{q, layout})
		if m.order.Len() > m.max {
			last := m.order.Back()
			m.order.Remove(last)
			delete(m.answers, last.Value.(*answer).to)
		}
	}
	m.mu.Unlock()
	close(a.done)
}
