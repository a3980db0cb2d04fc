package detect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// offers is a client of an official subscription that lists models.
type offers struct {
	native
	models []plan.Model
}

func (o offers) Models(context.Context) ([]plan.Model, error) { return o.models, nil }

// What an endpoint lists and what a client lists is reported in one order, whatever order it comes in, each model once and
// no more than a plan can have. The first one that comes is the one to ask.
func TestP06_P09_WhatIsListedIsSortedAndBounded(t *testing.T) {
	t.Parallel()
	many := []string{"z-first"}
	for n := range plan.MaxModels {
		many = append(many, fmt.Sprintf("m-%04d", plan.MaxModels-n))
	}
	for name, c := range map[string]struct {
		ids         []string
		first, last string
		n           int
		detail      string
	}{
		"few":  {[]string{"m-c", "m-a", " ", "m-b", "m-a "}, "m-a", "m-c", 3, "3 models"},
		"many": {many, "m-0001", fmt.Sprintf("m-%04d", plan.MaxModels), plan.MaxModels, fmt.Sprintf("%d models, of which the first %d by their ids are taken", plan.MaxModels+1, plan.MaxModels)},
	} {
		for _, of := range []string{"an endpoint", "a client"} {
			t.Run(name+" of "+of, func(t *testing.T) {
				t.Parallel()
				run := func(ids []string) detect.Found {
					var to detect.Target
					if of == "a client" {
						var o offers
						for _, id := range ids {
							o.models = append(o.models, plan.Model{ID: id, Name: id})
						}
						to = target("")
						to.Template, to.Key, to.Native = plan.OfficialSubscription, plan.Key{}, o
					} else {
						type entry struct {
							ID string `json:"id"`
						}
						var list struct {
							Data []entry `json:"data"`
						}
						for _, id := range ids {
							list.Data = append(list.Data, entry{id})
						}
						body, err := json.Marshal(list)
						if err != nil {
							t.Fatal(err)
						}
						to = target(endpoint(t, gatewaytest.JSON(string(body)), fine).URL())
					}
					return check(t, to)
				}
				f := run(c.ids)
				d := f.Discovered
				if len(d) != c.n || d[0].ID != c.first || d[0].Name != c.first || d[len(d)-1].ID != c.last {
					t.Fatalf("%d models, %v", len(d), d[:min(4, len(d))])
				}
				if f.Model != strings.TrimSpace(c.ids[0]) || f.Stages[2].Status != plan.Passed || f.Stages[2].Detail != c.detail {
					t.Errorf("asked %q, %+v", f.Model, f.Stages[2])
				}
				again := make([]string, 0, len(c.ids))
				for n := range c.ids {
					again = append(again, c.ids[len(c.ids)-1-n])
				}
				if diff := cmp.Diff(d, run(again).Discovered); diff != "" {
					t.Errorf("in another order it is another list: %s", diff)
				}
			})
		}
	}
}
