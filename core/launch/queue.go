package launch

import "sync"

// Bounds of what waits for the host.
const (
	// ahead is how many events may wait. A host that reads more slowly slows the client down.
	ahead = 64
	// stretch is how many bytes of them may wait while the host waits itself for what the client says behind them.
	stretch = 16 << 20
)

// queue holds the events of a turn until the host takes them. It is safe for concurrent use, and nobody closes it: a client
// that is slow to end may still have something to say.
type queue struct {
	some chan struct{} // holds a token when there may be something to take

	mu    sync.Mutex
	list  []Event
	bytes int
	room  chan struct{}          // closed when something was taken; nil while nobody waits for that
	waits map[chan struct{}]bool // calls of the host's that wait for what comes behind; a channel is closed to say that it waits in vain
}

func newQueue() *queue { return &queue{some: make(chan struct{}, 1)} }

// weight is about how many bytes an event takes.
func (e Event) weight() int { return 512 + len(e.Raw) + len(e.Text) }

// put adds an event. It waits for room until over is closed, and then says whether there was any.
func (q *queue) put(e Event, over <-chan struct{}) bool {
	for {
		room := q.try(e)
		if room == nil {
			return true
		}
		select {
		case <-room:
		case <-over:
			return q.try(e) == nil
		}
	}
}

// try adds an event, or gives what is closed when there is room.
func (q *queue) try(e Event) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) >= ahead && (len(q.waits) == 0 || q.bytes >= stretch) {
		for vain := range q.waits {
			close(vain)
		}
		clear(q.waits)
		if q.room == nil {
			q.room = make(chan struct{})
		}
		return q.room
	}
	q.list = append(q.list, e)
	q.bytes += e.weight()
	select {
	case q.some <- struct{}{}:
	default:
	}
	return nil
}

// take gives the event that waits longest.
func (q *queue) take() (Event, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return Event{}, false
	}
	e := q.list[0]
	q.list[0] = Event{} // so that it can go
	q.list = q.list[1:]
	q.bytes -= e.weight()
	q.freed()
	if len(q.list) > 0 {
		select {
		case q.some <- struct{}{}:
		default:
		}
	}
	return e, true
}

// freed wakes those who wait for room.
func (q *queue) freed() {
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
}

// wait has more events wait, up to a limit, since the host itself waits for what comes behind them: it may be the one who
// takes them. What it gives is closed at that limit; the host then waits in vain. done ends it.
func (q *queue) wait() (vain <-chan struct{}, done func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waits == nil {
		q.waits = map[chan struct{}]bool{}
	}
	c := make(chan struct{})
	q.waits[c] = true
	q.freed()
	return c, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.waits, c)
	}
}
