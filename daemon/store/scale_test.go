package store_test

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// A workspace of 1,000 plans and 10,000 agents is listed in at most three times what the database needs to hand out the same
// rows, taken in turns: that is the aim, and the limit here leaves room for a machine that does other things. The race
// detector slows our code and not the engine's, so that the ratio is held without it only.
func TestSpeedListing(t *testing.T) {
	for name, place := range engines { // one after the other: they are measured
		t.Run(name, func(t *testing.T) { listing(t, place(t)) })
	}
}

func listing(t *testing.T, at place) {
	ctx, plans, agents, rounds := t.Context(), 1000, 10_000, 15
	if testing.Short() {
		plans, agents, rounds = 50, 100, 2
	}
	s := at.open(t, config(t))
	var one plan.Plan
	for i := range plans {
		one = must[plan.Plan](t)(s.CreatePlan(ctx, "w", spec(fmt.Sprint("plan ", i)), key(canary)))
	}
	for i := range agents {
		must[agent.Agent](t)(s.CreateAgent(ctx, "w", harness, agent.Spec{Name: fmt.Sprint("agent ", i), Harness: "h", Plan: one.ID, Instructions: "Review, and change nothing."}))
	}
	raw := func(query string) func() int {
		return func() int {
			rows := must[*sql.Rows](t)(at.db(t).QueryContext(ctx, query))
			defer rows.Close()
			columns := must[[]string](t)(rows.Columns())
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(sql.NullString)
			}
			n := 0
			for ; rows.Next(); n++ {
				if err := rows.Scan(values...); err != nil {
					t.Fatal(err)
				}
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	for what, both := range map[string]struct {
		want        int
		ours, floor func() int
	}{
		"plans": {plans, func() int { return len(must[[]plan.Plan](t)(s.Plans(ctx, "w"))) }, raw(`SELECT r.plan, r.revision, p.created_ms, r.recorded_ms,
				r.name, r.template, r.protocol, r.base_url, r.models, r.default_model, r.enabled, r.key_sealed, d.found FROM plans p
				JOIN plan_revisions r ON r.workspace = p.workspace AND r.plan = p.id AND r.revision = p.revision
				LEFT JOIN plan_detections d ON d.workspace = p.workspace AND d.plan = p.id WHERE p.workspace = 'w' ORDER BY p.created_ms, p.id`)},
		"agents": {agents, func() int { return len(must[[]agent.Agent](t)(s.Agents(ctx, "w"))) }, raw(`SELECT id, revision, source, body, created_ms, updated_ms
				FROM agents WHERE workspace = 'w' ORDER BY created_ms, id`)},
	} {
		var ours, floor []time.Duration
		for range rounds {
			began := time.Now()
			n := both.ours()
			middle := time.Now()
			m := both.floor()
			ours, floor = append(ours, middle.Sub(began)), append(floor, time.Since(middle))
			if n != both.want || m != both.want {
				t.Fatalf("%d and %d %s", n, m, what)
			}
		}
		slices.Sort(ours)
		slices.Sort(floor)
		// The fastest tenth of both: what else the machine does interrupts the longer one more often.
		ratio := float64(ours[rounds/10]) / float64(floor[rounds/10])
		t.Logf("%d %s: %.2f times the query alone, which takes %v", both.want, what, ratio, floor[rounds/10])
		if ratio > 5 && !raced && !testing.Short() {
			t.Errorf("%d %s: %.2f times the query alone", both.want, what, ratio)
		}
	}
}
