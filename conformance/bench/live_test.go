package bench

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// What a thousand sessions may cost.
const (
	live        = 1000
	maxLive     = 15000 // inodes
	maxResident = 8     // KB a session
)

// A thousand sessions live at once, of two clients through adapter processes, made in turns with the floor's.
func TestSpeedThousandLive(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a thousand sessions")
	}
	on := memory
	if _, err := os.Stat(memoryDir); err != nil {
		on = disk
	}
	codex := place{on: on, process: true}.site(t, "codex", false)
	claude := &site{stage: codex.stage, provider: "claude"}
	claude.floor = claude.floorOf(claude.prepare(claude.session(0)), "floor-claude")
	warm := func(from, n int) {
		for i := range n {
			codex.prepare(codex.session(from + i))
			claude.prepare(claude.session(from + i))
		}
	}
	warm(1, 100) // what a host keeps at all is full then
	before, resident := count(t, codex.path("state")), memoryOf()

	const batch = 2
	each := func(f, g operation, of func(operation) func(int)) func(int) {
		return func(i int) {
			of(f)(live + i)
			of(g)(live + i)
		}
	}
	f, g := codex.fresh(), claude.fresh()
	o := operation{
		before: nothing,
		ours:   each(f, g, func(o operation) func(int) { return o.ours }),
		floor:  each(f, g, func(o operation) func(int) { return o.floor }),
		tree:   each(f, g, func(o operation) func(int) { return o.tree }),
		whole:  each(f, g, func(o operation) func(int) { return o.whole }),
	}
	within(t, "two of a thousand", o.rounds(live/batch), limits{6, 12, 6})

	inodes := count(t, codex.path("state")) - before
	t.Logf("%d inodes for %d sessions (aim %d)", inodes, live, maxLive)
	if inodes > maxLive {
		t.Errorf("%d sessions made %d inodes, allowed are %d", live, inodes, maxLive)
	}
	for _, provider := range []string{"codex", "claude"} {
		if n := codex.host.AdapterCalls(provider); n != 1 {
			t.Errorf("the adapter of %s was asked %d times for sessions of one kind", provider, n)
		}
	}
	if n, ok := children(t); ok && n != 2 {
		t.Errorf("%d processes run for two adapters", n)
	}
	grown := float64(memoryOf()-resident) / 1024 / live
	t.Logf("%.2f KB of memory for each live session (aim %d)", grown, maxResident)
	if !racing && grown > maxResident {
		t.Errorf("each live session holds %.2f KB of memory, allowed are %d", grown, maxResident)
	}
}

// memoryOf is how much memory this process holds on to, in bytes: resident where the system says so, else on the heap.
func memoryOf() int64 {
	runtime.GC()
	debug.FreeOSMemory()
	if data, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(data)); len(fields) > 1 {
			if pages, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				return pages * int64(os.Getpagesize())
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// children counts the processes that this one started and that still run, where the system says so.
func children(t testing.TB) (n int, ok bool) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(list) == 0 {
		return 0, false
	}
	for _, path := range list {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		// The name stands in brackets and may hold anything.
		_, rest, _ := strings.Cut(string(data), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && fields[0] != "Z" {
			n++
		}
	}
	return n, true
}
