package core

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
)

// now spares nothing that is not in use.
var now = CollectOptions{Grace: -1}

func collect(t *testing.T, h *Host, o CollectOptions) []string {
	t.Helper()
	c, err := h.Collect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c.Bundles
}

// whole demands that every skill of a session can be read.
func whole(t *testing.T, when string, p *Prepared) {
	t.Helper()
	if len(p.Skills) == 0 {
		t.Errorf("%s: the session has no skills", when)
	}
	for _, v := range p.Skills {
		if _, err := os.ReadFile(v.Path); err != nil {
			t.Errorf("%s: skill %s cannot be read", when, v.Name)
		}
	}
}

func TestC200_UnusedBundlesAreCollected(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	if got := collect(t, h, now); len(got) != 0 {
		t.Errorf("of nothing it collected %v", got)
	}
	first := mustPrepare(t, h, s.session("one"))
	list = sample.Without("agent.wait")
	second := mustPrepare(t, h, s.session("two"))
	if got := collect(t, h, now); len(got) != 0 {
		t.Errorf("of bundles in use it collected %v", got)
	}
	whole(t, "in use", first)
	whole(t, "in use", second)
	if _, err := h.Cleanup(t.Context(), first.Ref, CleanupOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := collect(t, h, CollectOptions{}); len(got) != 0 {
		t.Errorf("within the time of grace it collected %v", got)
	}
	if got := collect(t, h, now); len(got) != 1 {
		t.Errorf("it collected %v", got)
	}
	whole(t, "after collecting", second)
	left, err := os.ReadDir(filepath.Join(s.state, "store", "skills"))
	if err != nil || len(left) != 1 {
		t.Errorf("the store holds %v, %v", left, err)
	}
	list = sample.Catalog()
	whole(t, "made anew", mustPrepare(t, h, s.session("three")))
}

func TestC200_NothingIsCollectedWhenARecordCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := mustPrepare(t, s.host, s.session("one"))
	record := s.read(s.record())
	s.write(strings.TrimPrefix(s.record(), s.dir+"/"), strings.Replace(record, `"provider"`, `"Provider"`, 1))
	if _, err := s.host.Collect(t.Context(), now); CodeOf(err) != ErrCorrupt {
		t.Errorf("it gives %v", err)
	}
	whole(t, "damaged record", p)
}

// Whatever the order in which two processes come, a session that is prepared has its skills, at every call of either.
func TestC200_CollectingBesidePreparing(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"preparing meanwhile", "collecting meanwhile"} {
		for n, over := int64(1), false; !over; n++ {
			s := newStage(t)
			list := []command.Command{}
			// The bundle lies there, and nobody uses it.
			old := mustPrepare(t, s.host, s.session("old"))
			if _, err := s.host.Cleanup(t.Context(), old.Ref, CleanupOptions{}); err != nil {
				t.Fatal(err)
			}
			var p *Prepared
			var failed error
			other := withCommands(s, &list, nil)
			done := make(chan struct{})
			prepare := func(h *Host) { p, failed = h.Prepare(t.Context(), s.session("new")) }
			over = true
			h := withCommands(s, &list, func(c *Config) {
				c.BeforeChange = func(i int64, _, _ string) error {
					if i != n {
						return nil
					}
					over = false
					go func() {
						defer close(done)
						if who == "preparing meanwhile" {
							prepare(other)
						} else if _, err := other.Collect(t.Context(), now); err != nil {
							t.Error(err)
						}
					}()
					select { // it may have to wait for a lock that is held here
					case <-done:
					case <-time.After(30 * time.Millisecond):
					}
					return nil
				}
			})
			if who == "preparing meanwhile" {
				collect(t, h, now)
			} else {
				prepare(h)
			}
			if !over {
				<-done
			}
			if failed != nil {
				t.Errorf("%s, call %d: %v", who, n, failed)
			} else if p != nil {
				whole(t, fmt.Sprintf("%s, call %d", who, n), p)
			}
			if n > 200 {
				t.Fatal("it never ends")
			}
		}
	}
}
