package index_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension/index"
	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
	"github.com/greenroom-agents/greenroom/core/trust"
)

func listOf(t testing.TB, document []byte) *index.Versions {
	t.Helper()
	v, err := index.ParseVersions(document)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVersionsAreSortedAndMayLackWhatWasWithdrawn(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	list := p.list(entry{version: "1.9.0"}, entry{version: "1.10.0-rc.1"}, entry{version: "0.1.0", status: "withdrawn", release: []byte(`"x"`)}, entry{version: "1.10.0"})
	v := listOf(t, replaced(list, `"release":"x",`, ""))
	var got []string
	for _, e := range v.Entries {
		got = append(got, e.Version)
	}
	if diff := cmp.Diff([]string{"1.10.0", "1.10.0-rc.1", "1.9.0", "0.1.0"}, got); diff != "" {
		t.Error(diff)
	}
	if last := v.Entries[3]; last.Release != nil || !last.Withdrawn {
		t.Errorf("%+v", last)
	}
}

func TestVersionsAreReadStrictly(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	list := p.list(entry{version: "1.0.0"}, entry{version: "1.1.0"})
	same := p.list(entry{version: "1.0.0"}, entry{version: "1.0.0"})
	for name, c := range map[string]struct {
		document []byte
		says     string
	}{
		"schema":            {replaced(list, "versions.v1", "versions.v2"), "schemaVersion: is"},
		"key":               {replaced(list, `{"agentKey":"acme","schemaVersion":"tutti.agent.versions`, `{"agentKey":"Acme","schemaVersion":"tutti.agent.versions`), "agentKey: is"},
		"another agent's":   {replaced(list, `{"agentKey":"acme","schemaVersion":"tutti.agent.versions`, `{"agentKey":"zeta","schemaVersion":"tutti.agent.versions`), "versions[0].release: is that of acme 1.0.0"},
		"under another":     {replaced(list, `"status":"active","version":"1.0.0"`, `"status":"active","version":"3.0.0"`), "stands under acme 3.0.0"},
		"host":              {replaced(list, `"minTuttiVersion":"0.0.0"`, `"minTuttiVersion":"1.0"`), "versions[0].minTuttiVersion"},
		"no host":           {replaced(list, `"minTuttiVersion":"0.0.0",`, ``), "versions[0].minTuttiVersion"},
		"status":            {replaced(list, `"status":"active"`, `"status":"paused"`), "versions[0].status"},
		"capability":        {replaced(list, `"requiredHostCapabilities":[]`, `"requiredHostCapabilities":["a b"]`), "versions[0].requiredHostCapabilities"},
		"a field more":      {replaced(list, `"status":"active"`, `"status":"active","yanked":true`), "versions[0].yanked: is a field"},
		"in a release":      {replaced(list, `"gitSha":`, `"more":1,"gitSha":`), "versions[0].release: more: is a field"},
		"twice in one":      {replaced(list, `"gitSha":`, `"gitSha":"a","gitSha":`), "gitSha: stands twice"},
		"twice":             {same, "as new as another"},
		"twice, but built":  {p.list(entry{version: "1.0.0+a"}, entry{version: "1.0.0+b"}), "as new as another"},
		"release is null":   {p.list(entry{version: "1.0.0", release: []byte("null")}), "is null"},
		"release is absent": {replaced(p.list(entry{version: "1.0.0", release: []byte(`"x"`)}), `"release":"x",`, ""), "versions[0].release: is missing"},
		"two documents":     {append(bytes.Clone(list), "{}"...), "more follows"},
		"large":             {append(bytes.Clone(list), bytes.Repeat([]byte(" "), index.MaxVersions)...), "has more than"},
		"many":              {[]byte(`{"schemaVersion":"tutti.agent.versions.v1","agentKey":"acme","versions":[` + strings.Repeat("{},", 5000) + "{}]}"), "may list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := index.ParseVersions(c.document)
			refused(t, err, core.ErrPackage, c.says)
		})
	}
}

func TestSelectTakesTheNewestThatFits(t *testing.T) {
	t.Parallel()
	p, other := newPublisher(t), newPublisher(t)
	v1 := func(f map[string]any) { f["manifest"].(map[string]any)["schemaVersion"] = "tutti.agent.manifest.v1" }
	entries := []entry{
		{version: "0.9.0"}, {version: "1.0.0"}, {version: "1.1.0", host: "0.5.0"}, {version: "1.2.0", host: "2.0.0"},
		{version: "1.3.0", capabilities: []string{"browser-use"}}, {version: "1.4.0", status: "withdrawn"}, {version: "1.5.0", change: v1},
		{version: "2.0.0-rc.1"}, {version: "2.0.0-rc.2", host: "2.0.0"},
	}
	v := listOf(t, p.list(entries...))
	revoked := func(versions ...string) func(*trust.Policy) {
		return func(p *trust.Policy) {
			for _, version := range versions {
				p.RevokedReleases = append(p.RevokedReleases, trust.Revoked{Kind: trust.Extension, ID: "acme", Version: version})
			}
		}
	}
	for name, c := range map[string]struct {
		wanted index.Wanted
		policy func(*trust.Policy)
		want   string
		left   int
		code   core.Code
		says   []string
	}{
		"newest":              {wanted: index.Wanted{Host: "1.0.0"}, want: "1.1.0", left: 6},
		"old host":            {wanted: index.Wanted{Host: "0.4.9"}, want: "1.0.0", left: 7},
		"host before release": {wanted: index.Wanted{Host: "0.5.0-rc.1"}, want: "1.0.0", left: 7},
		"no host":             {wanted: index.Wanted{}, want: "1.0.0", left: 7},
		"new host":            {wanted: index.Wanted{Host: "2.0.0"}, want: "1.2.0", left: 5},
		"able host":           {wanted: index.Wanted{Host: "1.0.0", Capabilities: []string{"browser-use"}}, want: "1.3.0", left: 4},
		"pre-releases":        {wanted: index.Wanted{Host: "1.0.0", PreReleases: true}, want: "2.0.0-rc.1", left: 1},
		"newest pre-release":  {wanted: index.Wanted{Host: "2.0.0", PreReleases: true}, want: "2.0.0-rc.2"},
		"exact":               {wanted: index.Wanted{Version: "0.9.0"}, want: "0.9.0"},
		"exact pre-release":   {wanted: index.Wanted{Version: "2.0.0-rc.1"}, want: "2.0.0-rc.1"},
		"exact, withdrawn":    {wanted: index.Wanted{Version: "1.4.0"}, code: core.ErrRevoked, says: []string{`"1.4.0"`, "withdrew"}},
		"exact, for another":  {wanted: index.Wanted{Version: "1.2.0", Host: "1.0.0"}, code: core.ErrIncompatible, says: []string{"for version 2.0.0 of the host", `this is "1.0.0"`}},
		"exact, manifest v1":  {wanted: index.Wanted{Version: "1.5.0"}, code: core.ErrIncompatible, says: []string{"manifest.v1", "manifest.v2"}},
		"exact, unable":       {wanted: index.Wanted{Version: "1.3.0"}, code: core.ErrIncompatible, says: []string{"browser-use"}},
		"exact, not there":    {wanted: index.Wanted{Version: "7.0.0"}, code: core.ErrNotInstalled, says: []string{`"7.0.0"`}},
		"as a range":          {wanted: index.Wanted{Version: "1.x"}, code: core.ErrNotInstalled},
		"revoked":             {wanted: index.Wanted{}, policy: revoked("1.0.0"), want: "0.9.0", left: 8},
		"all revoked":         {wanted: index.Wanted{Version: "1.0.0"}, policy: revoked("1.0.0"), code: core.ErrRevoked, says: []string{"was revoked"}},
		"key revoked":         {policy: func(q *trust.Policy) { q.RevokedKeys = []string{p.signer.Public().ID} }, code: core.ErrNotInstalled, says: []string{"2.0.0-rc.2: it is a pre-release", "and 4 more"}},
		"below a floor": {policy: func(p *trust.Policy) {
			p.Floors = []trust.Floor{{Kind: trust.Extension, ID: "acme", Sequence: 1 << 40}}
		}, code: core.ErrNotInstalled},
		"not believed": {policy: func(p *trust.Policy) { p.Keys = nil }, code: core.ErrUntrusted, says: []string{"expected is nobody"}},
		"of another": {policy: func(q *trust.Policy) {
			q.Keys[0].ID, q.Keys[0].PEM = other.signer.Public().ID, other.signer.Public().PEM()
		}, code: core.ErrTampered},
		"have the same":        {wanted: index.Wanted{Have: "1.0.0"}, want: "1.0.0", left: 7},
		"have an older":        {wanted: index.Wanted{Have: "0.9.0"}, want: "1.0.0", left: 7},
		"have a newer":         {wanted: index.Wanted{Have: "1.6.0", Host: "1.0.0"}, code: core.ErrDowngrade, says: []string{"there is 1.6.0, and the newest that fits is 1.1.0", "1.4.0: its publisher withdrew it"}},
		"want an older":        {wanted: index.Wanted{Have: "1.0.0", Version: "0.9.0"}, code: core.ErrDowngrade, says: []string{"there is 1.0.0, and wanted is 0.9.0"}},
		"want an older indeed": {wanted: index.Wanted{Have: "1.0.0", Version: "0.9.0", AllowDowngrade: true}, want: "0.9.0"},
		"have a pre-release":   {wanted: index.Wanted{Have: "1.0.0-rc.1"}, want: "1.0.0", left: 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := p.policy
			if c.policy != nil {
				policy = p.believing(c.policy)
			}
			r, left, err := v.Select(policy, terms, c.wanted)
			if c.code != "" {
				refused(t, err, c.code, c.says...)
				if r != nil {
					t.Errorf("and gives %s", r.Version)
				}
				return
			}
			if err != nil || r.Version != c.want || len(left) != c.left {
				t.Errorf("%+v, left out %+v, %v", r, left, err)
			}
			if slices.ContainsFunc(left, func(l index.Left) bool { return l.Reason == "" || l.Code == "" || l.Version == "" }) {
				t.Errorf("left out for no reason: %+v", left)
			}
		})
	}
}

// Whoever breaks the newest release of a list leads nobody to an older one.
func TestSelectStopsAtWhatNobodySigned(t *testing.T) {
	t.Parallel()
	p, evil := newPublisher(t), newPublisher(t)
	newest := p.sign(fields("2.0.0"))
	for name, broken := range map[string][]byte{
		"changed":     replaced(newest, `"Acme"`, `"Acne"`),
		"another key": evil.sign(fields("2.0.0")),
		"other name":  replaced(newest, `"acme-v1"`, `"acme-v0"`),
	} {
		v := listOf(t, p.list(entry{version: "1.0.0"}, entry{version: "2.0.0", release: broken}))
		if r, _, err := v.Select(p.policy, terms, index.Wanted{}); err == nil || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	expired := p.believing(func(q *trust.Policy) { q.Keys[0].ValidUntil = now.Add(-time.Minute) })
	_, _, err := listOf(t, p.list(entry{version: "1.0.0"})).Select(expired, terms, index.Wanted{})
	refused(t, err, core.ErrUntrusted, "was valid until")
}

// FuzzParseVersions: what is taken is one JSON document without a name that stands twice, of which encoding/json reads the
// same; its releases are those that stand in it; and none of them is believed but the one that was signed, whatever was
// done to its bytes.
func FuzzParseVersions(f *testing.F) {
	p := publisherOf(f, make([]byte, 32)) // each process of a fuzz test has to make the same seeds
	good := p.list(entry{version: "1.0.0"}, entry{version: "1.1.0", status: "withdrawn"})
	f.Add(good)
	f.Add(replaced(good, `"gitSha":`, `"gitSha":"a","gitSha":`))
	f.Add(replaced(good, `"Acme"`, `"<&>\ud83d\ude00"`))
	f.Add(replaced(good, `"name":`, `"n":9007199254740993,"name":`))
	f.Add(bytes.ToUpper(good))
	f.Add(good[:len(good)/2])
	signed := map[string]bool{}
	for _, e := range listOf(f, good).Entries {
		v, err := e.Release.Verify(p.policy, terms)
		if err != nil {
			f.Fatal(err)
		}
		signed[v.Digest] = true
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := index.ParseVersions(data)
		if err != nil {
			if !errors.Is(err, core.ErrPackage) || v != nil || len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Fatalf("%v, %v", v, err)
			}
			return
		}
		var loose struct {
			AgentKey string
			Versions []struct {
				Version, Status string
				Release         struct{ Version, ArtifactSHA256 string }
			}
		}
		if err := json.Unmarshal(data, &loose); err != nil || strictjson.Check(data) != nil || loose.AgentKey != v.Key || len(loose.Versions) != len(v.Entries) {
			t.Fatalf("encoding/json reads %+v, %v", loose, err)
		}
		for _, e := range v.Entries {
			same := 0
			for _, l := range loose.Versions {
				if l.Version == e.Version && (l.Status == "withdrawn") == e.Withdrawn && (e.Release == nil || l.Release.Version == e.Version && l.Release.ArtifactSHA256 == e.Release.SHA256) {
					same++
				}
			}
			if same != 1 {
				t.Fatalf("%d entries are %s", same, e.Version)
			}
			if e.Release == nil {
				continue
			}
			if got, err := e.Release.Verify(p.policy, terms); err == nil && !signed[got.Digest] {
				t.Fatalf("something else than what was signed was believed: %s", e.Release.Document())
			}
		}
	})
}
