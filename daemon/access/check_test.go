package access_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// opened is what holds one plan.
func opened(t *testing.T, c access.Config, spec plan.Spec) (*access.Access, plan.Plan) {
	t.Helper()
	c.Dir, c.Now, c.Random = t.TempDir(), time.Now, rand.Reader
	a, err := access.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	key := modelendpoint.NewKey("sk-one")
	if spec.Template == plan.OfficialSubscription {
		key = plan.Key{} // it uses the login of the vendor's client
	}
	p, err := a.CreatePlan(t.Context(), "w", spec, key)
	if err != nil {
		t.Fatal(err)
	}
	return a, p
}

// A client that cannot even be made is found of the plan, and kept as all that is found.
func TestP09_AClientThatCannotBeMadeIsFoundAndKept(t *testing.T) {
	t.Parallel()
	a, p := opened(t, access.Config{
		Native: func(context.Context, preparer.Protocol) (detect.Native, func(), error) {
			return nil, nil, errors.New("no session can be prepared here")
		},
	}, plan.Spec{Name: "P", Protocol: preparer.OpenAI, Template: plan.OfficialSubscription, Enabled: true})
	f, kept, err := a.Check(t.Context(), "w", p.ID, access.CheckRequest{})
	if err != nil || !kept || len(f.Stages) != 4 {
		t.Fatalf("%+v, %v, %v", f, kept, err)
	}
	first := f.Stages[0]
	if first.Status != plan.Failed || first.Reason != plan.NoRuntime || first.Remedy != plan.InstallProvider || first.Detail != "no session can be prepared here" {
		t.Errorf("%+v", first)
	}
	for _, s := range f.Stages[1:] {
		if s.Status != plan.Skipped {
			t.Errorf("%+v", s)
		}
	}
	if now, err := a.Plan(t.Context(), "w", p.ID); err != nil || now.View().Status != plan.DetectionFailed || now.Revision != p.Revision {
		t.Errorf("%+v, %v", now, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, kept, err := a.Check(ctx, "w", p.ID, access.CheckRequest{}); !errors.Is(err, context.Canceled) || kept {
		t.Errorf("nobody waits for it: %v, %v", kept, err)
	}
}

// A plan is checked by one at a time: the second check begins when the first has ended.
func TestP06_ASecondCheckOfAPlanWaits(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan bool, 100), make(chan struct{})
	up := gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		if r.Method == http.MethodGet {
			return gatewaytest.JSON(`{"data":[{"id":"m-a"}]}`)
		}
		asked <- true
		<-answer
		return gatewaytest.JSON(gatewaytest.Completion("ok"))
	})
	t.Cleanup(up.Close)
	a, p := opened(t, access.Config{}, plan.Spec{Name: "P", Protocol: preparer.OpenAI, BaseURL: up.URL(), Enabled: true, Models: []plan.Model{{ID: "m-a"}}})
	done, began := make(chan error, 2), make(chan plan.Stage, 100)
	run := func(p2 detect.Progress) {
		_, _, err := a.Check(t.Context(), "w", p.ID, access.CheckRequest{Progress: p2})
		done <- err
	}
	go run(detect.Progress{})
	<-asked // the first is in its last stage
	go run(detect.Progress{Began: func(s plan.Stage) { began <- s }})
	select {
	case s := <-began:
		t.Errorf("%s of the second began beside the first", s)
	case <-time.After(100 * time.Millisecond):
	}
	close(answer)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if len(began) < 3 {
		t.Errorf("only %d stages of the second began", len(began))
	}
}
