package detect

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// network asks the endpoint anything, without the credential. Any answer will do.
func (c *check) network(ctx context.Context) bool {
	end := c.begin(plan.Network)
	ctx, cancel := limit(ctx, c.c.Network)
	defer cancel()
	urls := c.catalogs()
	if len(urls) == 0 {
		end(plan.Result{Status: plan.Failed, Reason: plan.ConnectionFailed, Remedy: plan.CheckAddress, Detail: "the base URL cannot be used"})
		return false
	}
	resp, err := c.send(ctx, urls[0], false, nil)
	if err != nil {
		end(broken(ctx, err))
		return false
	}
	resp.Body.Close()
	r := plan.Result{Status: plan.Passed}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		r.Detail = "something answers, with a web page"
	}
	end(r)
	return true
}

// catalogs are where the list of models can be, the likelier first.
func (c *check) catalogs() []string {
	if c.base == "" {
		return nil
	}
	if c.t.Protocol == preparer.Anthropic {
		return []string{c.base + "/v1/models", c.base + "/models"}
	}
	urls := []string{c.base + "/models"}
	// Where the version was added here, some serve the list without one.
	if bare, added := strings.CutSuffix(c.base, "/v1"); added && !strings.HasSuffix(strings.TrimRight(c.t.BaseURL, "/"), "/v1") {
		urls = append(urls, bare+"/models")
	}
	return urls
}

// catalog runs auth and model_discovery, which are one question, and says whether the inference may be tried.
func (c *check) catalog(ctx context.Context) bool {
	endAuth := c.begin(plan.Auth)
	if c.key.IsZero() {
		endAuth(plan.Result{Status: plan.Failed, Reason: plan.Unauthorized, Remedy: plan.CheckKey, Detail: "the plan has no key"})
		c.skip("", plan.Discovery)
		return false
	}
	limited, cancel := limit(ctx, c.c.Catalog)
	defer cancel()
	for _, to := range c.catalogs() {
		a, err := c.ask(limited, to, true, nil)
		if err != nil {
			endAuth(plan.Result{Status: plan.Skipped})
			c.begin(plan.Discovery)(broken(limited, err))
			return true
		}
		switch s := a.status; {
		case s == http.StatusUnauthorized || s == http.StatusForbidden:
			endAuth(refused(a))
			c.skip("", plan.Discovery)
			return false
		case s == http.StatusNotFound || s == http.StatusMethodNotAllowed:
			continue
		case s >= 200 && s < 300:
			endAuth(plan.Result{Status: plan.Passed})
			c.discover(a)
			return true
		}
		endAuth(plan.Result{Status: plan.Skipped})
		r := refused(a)
		if r.Reason == plan.InferenceFailed {
			r.Reason = plan.NoCatalog
		}
		r.Remedy = plan.AddModels
		c.begin(plan.Discovery)(r)
		return true
	}
	endAuth(plan.Result{Status: plan.Skipped})
	c.begin(plan.Discovery)(c.without("the endpoint has no list of models"))
	return true
}

// without is how discovery went when nothing was discovered: with models of one's own it is not needed.
func (c *check) without(why string) plan.Result {
	if len(c.t.Models) > 0 {
		return plan.Result{Status: plan.Skipped, Detail: why + "; those of the plan are used"}
	}
	return plan.Result{Status: plan.Failed, Reason: plan.NoCatalog, Remedy: plan.AddModels, Detail: why}
}

func (c *check) discover(a answer) {
	end := c.begin(plan.Discovery)
	models, err := readCatalog(a)
	if err != nil {
		end(plan.Result{Status: plan.Failed, Reason: plan.CatalogUnreadable, Remedy: plan.AddModels, Detail: err.Error()})
	} else if !c.list(end, models) {
		end(c.without("the endpoint lists no models"))
	}
}

var errCatalog = errors.New("the list of models is not in a form that is known")

// readCatalog reads a list of models, in the shapes that endpoints give it: as data or as models, with an id or a slug.
func readCatalog(a answer) ([]plan.Model, error) {
	type entry struct {
		ID          string `json:"id"`
		Slug        string `json:"slug"`
		Name        string `json:"name"`
		DisplayName string `json:"display_name"`
		Context     int    `json:"context_length"`
	}
	var list struct {
		Data   *[]entry `json:"data"`
		Models *[]entry `json:"models"`
	}
	if !a.whole {
		return nil, errors.New("the list of models is longer than 1 MiB, or ends in the middle")
	}
	if json.Unmarshal(a.body, &list) != nil || list.Data == nil && list.Models == nil {
		return nil, errCatalog
	}
	var models []plan.Model
	add := func(id string, e entry) {
		m := plan.Model{ID: id}
		for _, name := range []string{e.DisplayName, e.Name} {
			if m.Name = strings.TrimSpace(name); m.Name != "" {
				break
			}
		}
		if e.Context > 0 && e.Context <= 1<<30 {
			m.ContextTokens = e.Context
		}
		models = append(models, m)
	}
	if list.Data != nil {
		for _, e := range *list.Data {
			add(firstOf(e.ID, e.Slug), e)
		}
	} else {
		for _, e := range *list.Models {
			add(firstOf(e.ID, e.Slug, e.Name), e)
		}
	}
	return models, nil
}

func firstOf(all ...string) string {
	for _, s := range all {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// list reports models that an endpoint or a client lists. It may list them in another order each time, some twice and some
// without an id, and more than a plan can have: reported is each once, by its id, as many as a plan can have, and how many
// there are. The one that it lists first is the one to ask, since an order that means anything begins with it. It is false
// for no model.
func (c *check) list(end func(plan.Result), models []plan.Model) bool {
	var all []plan.Model
	known := map[string]bool{}
	for _, m := range models {
		if m.ID = strings.TrimSpace(m.ID); m.ID == "" || known[m.ID] {
			continue
		}
		known[m.ID] = true
		m.Name = cmp.Or(strings.TrimSpace(m.Name), m.ID)
		all = append(all, m)
	}
	if len(all) == 0 {
		return false
	}
	c.first = all[0].ID
	slices.SortFunc(all, func(x, y plan.Model) int { return cmp.Compare(x.ID, y.ID) })
	detail := fmt.Sprintf("%d models", len(all))
	if len(all) > plan.MaxModels {
		detail += fmt.Sprintf(", of which the first %d by their ids are taken", plan.MaxModels)
		all = all[:plan.MaxModels]
	}
	c.found.Discovered = all
	end(plan.Result{Status: plan.Passed, Detail: detail})
	return true
}
