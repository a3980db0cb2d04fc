package index_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension/index"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// verified reads a document and holds it to a policy.
func verified(document []byte, p *trust.Policy, t trust.Terms) error {
	r, err := index.ParseRelease(document)
	if err != nil {
		return err
	}
	_, err = r.Verify(p, t)
	return err
}

func TestReleaseIsReadAndBelieved(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	document := p.sign(fields("1.2.0"))
	r, err := index.ParseRelease(document)
	if err != nil {
		t.Fatal(err)
	}
	if r.Key != "acme" || r.Version != "1.2.0" || r.Size != int64(len(artifact)) || r.Signer != "acme-v1" || r.Commit != "0a1b2c3d" || !bytes.Equal(r.Document(), document) {
		t.Errorf("got %+v", r)
	}
	v, err := r.Verify(p.policy, terms)
	if err != nil {
		t.Fatal(err)
	}
	if v.Release.ID != "acme" || v.Release.Sequence != uint64(now.Add(-time.Hour).Unix()) || v.Signers[0].Name != "acme-v1" || len(v.Digest) != 64 {
		t.Errorf("got %+v", v)
	}
	if err := r.Holds(artifact); err != nil {
		t.Error(err)
	}
	refused(t, r.Holds(append(artifact, 0)), core.ErrTampered, "bytes, signed are")
	refused(t, r.Holds(bytes.ToUpper(artifact)), core.ErrTampered, "its SHA-256 is", "signed is "+r.SHA256)
}

// C349: white space, the order of fields and escapes do not count, and nothing else may differ.
func TestC349_SignaturesAreOverTheCanonicalForm(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	f := fields("1.2.0")
	f["manifest"].(map[string]any)["description"] = "<b>A & B</b> \u2028"
	f["manifest"].(map[string]any)["big"] = json.Number("9007199254740992")
	document := p.sign(f)
	if err := verified(document, p.policy, terms); err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, document, "", "\t"); err != nil {
		t.Fatal(err)
	}
	reordered := replaced(document, `{"agentKey":"acme",`, `{`)
	reordered = append(reordered[:len(reordered)-1], `,"agentKey":"acme"}`...)
	for name, same := range map[string][]byte{
		"indented":       indented.Bytes(),
		"another order":  reordered,
		"no escapes":     replaced(document, `\u003cb\u003eA \u0026 B\u003c/b\u003e`, "<b>A & B</b>"),
		"another escape": replaced(document, "acme-v1", `\u0061cme-v1`),
		"another number": replaced(document, "9007199254740992", "9007199254740992.0"),
	} {
		if bytes.Equal(same, document) {
			t.Errorf("%s: nothing differs", name)
		}
		if err := verified(same, p.policy, terms); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		document []byte
		code     core.Code
		says     string
	}{
		"rounded to the same":  {replaced(document, "9007199254740992", "9007199254740993"), core.ErrPackage, "manifest.big: is a number"},
		"another number":       {replaced(document, "9007199254740992", "9007199254740994"), core.ErrTampered, "acme-v1"},
		"a field twice":        {replaced(document, `"gitSha":`, `"gitSha":"evil","gitSha":`), core.ErrPackage, "gitSha: stands twice"},
		"a field twice, below": {replaced(document, `"name":`, `"name":"Evil","n\u0061me":`), core.ErrPackage, "manifest.name: stands twice"},
		"half a pair":          {replaced(document, `"Acme"`, `"\ud800"`), core.ErrPackage, "surrogate"},
		"another letter":       {replaced(document, `"Acme"`, `"Acne"`), core.ErrTampered, "acme-v1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, verified(c.document, p.policy, terms), c.code, c.says)
		})
	}
}

// C349: a release that Python wrote and OpenSSL signed is believed as it came, and with nothing but its layout changed.
func TestC349_AReleaseThatOtherProgramsSigned(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("testdata/release.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/key.pub")
	if err != nil {
		t.Fatal(err)
	}
	key, err := trust.ParsePublicKey(text)
	if err != nil {
		t.Fatal(err)
	}
	p := &trust.Policy{Keys: []trust.Key{{Name: "acme-v1", ID: key.ID, PEM: string(text), Kinds: []trust.Kind{trust.Extension}, Releases: []string{"acme"}}}}
	if err := p.Complete(); err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		t.Fatal(err)
	}
	for _, same := range [][]byte{document, compact.Bytes(), replaced(document, "1e+21", "1000000000000000000000"), replaced(document, "-1e-07", "-0.0000001"), replaced(document, `"A": null`, `"\u0041": null`)} {
		if err := verified(same, p, terms); err != nil {
			t.Error(err)
		}
	}
	for _, other := range [][]byte{replaced(document, "1e+21", "1e+22"), replaced(document, "<A&B>", `\\u003cA&B>`), replaced(document, `"b": true`, `"b": false`), replaced(document, `"A": null`, `"A": 0`)} {
		refused(t, verified(other, p, terms), core.ErrTampered)
	}
}

// C345: fields of the manifest that are not known here are signed with the rest; of the release itself none may be unknown.
func TestC345_OptionalFieldsOfTheManifestStaySigned(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	f := fields("1.2.0")
	f["manifest"].(map[string]any)["futureField"] = map[string]any{"deep": []any{1, nil, "x"}}
	document := p.sign(f)
	if err := verified(document, p.policy, terms); err != nil {
		t.Fatal(err)
	}
	for name, changed := range map[string][]byte{
		"changed":    replaced(document, `[1,null,"x"]`, `[2,null,"x"]`),
		"taken away": replaced(document, `"futureField":{"deep":[1,null,"x"]},`, ""),
		"added":      replaced(document, `"futureField":`, `"another":0,"futureField":`),
		"reordered":  replaced(document, `[1,null,"x"]`, `[null,1,"x"]`),
	} {
		err := verified(changed, p.policy, terms)
		if !strings.Contains(err.Error(), "not one of this content") {
			t.Errorf("%s: %v", name, err)
		}
		refused(t, err, core.ErrTampered)
	}
	refused(t, verified(replaced(document, `"gitSha":`, `"another":0,"gitSha":`), p.policy, terms), core.ErrPackage, "release: another: is a field that is not known")
}

func TestReleasesAreReadStrictly(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	for name, c := range map[string]struct {
		change func(map[string]any)
		says   string
	}{
		"schema":            {func(f map[string]any) { f["schemaVersion"] = "tutti.agent.release.v2" }, "schemaVersion: is"},
		"key":               {func(f map[string]any) { f["agentKey"] = "../acme" }, "agentKey: is"},
		"version":           {func(f map[string]any) { f["version"] = "v1.2.0" }, "version: is"},
		"other manifest":    {func(f map[string]any) { f["manifest"].(map[string]any)["version"] = "1.3.0" }, `manifest: is that of "acme" "1.3.0"`},
		"of another agent":  {func(f map[string]any) { f["manifest"].(map[string]any)["agentKey"] = "evil" }, "manifest: is that of"},
		"no manifest":       {func(f map[string]any) { delete(f, "manifest") }, "manifest: is not"},
		"manifest is a sum": {func(f map[string]any) { f["manifest"] = 1 }, "manifest: is not"},
		"http":              {func(f map[string]any) { f["artifactUrl"] = "http://releases.example/a.zip" }, "artifactUrl: is no address"},
		"file":              {func(f map[string]any) { f["artifactUrl"] = "file:///a.zip" }, "artifactUrl: is no address"},
		"password":          {func(f map[string]any) { f["artifactUrl"] = "https://u:p@releases.example/a.zip" }, "artifactUrl: is no address"},
		"no host":           {func(f map[string]any) { f["artifactUrl"] = "https:///a.zip" }, "artifactUrl: is no address"},
		"short digest":      {func(f map[string]any) { f["artifactSha256"] = "abcd" }, "artifactSha256"},
		"no size":           {func(f map[string]any) { f["artifactSizeBytes"] = 0 }, "artifactSizeBytes: is 0"},
		"large":             {func(f map[string]any) { f["artifactSizeBytes"] = index.MaxArtifact + 1 }, "artifactSizeBytes: is"},
		"size with a point": {func(f map[string]any) { f["artifactSizeBytes"] = 1.5 }, "artifactSizeBytes: is a number"},
		"no time":           {func(f map[string]any) { delete(f, "publishedAt") }, "publishedAt: is missing"},
		"no RFC 3339":       {func(f map[string]any) { f["publishedAt"] = "yesterday" }, "cannot be read"},
		"long ago":          {func(f map[string]any) { f["publishedAt"] = "1960-01-01T00:00:00Z" }, "publishedAt"},
		"commit":            {func(f map[string]any) { f["gitSha"] = "a b" }, "gitSha"},
		"null":              {func(f map[string]any) { f["gitSha"] = nil }, "gitSha: is null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fields("1.2.0")
			c.change(f)
			_, err := index.ParseRelease(p.sign(f))
			refused(t, err, core.ErrPackage, c.says)
		})
	}
	document := p.sign(fields("1.2.0"))
	for says, changed := range map[string][]byte{
		"signature.algorithm":           replaced(document, `"ed25519"`, `"none"`),
		"signature.keyId":               replaced(document, `"acme-v1"`, `""`),
		"signature.value":               replaced(document, `"value":"`, `"value":"A`),
		"signature.more":                replaced(document, `"keyId":`, `"more":1,"keyId":`),
		"agentkey: is a field that":     replaced(document, `"agentKey"`, `"agentkey"`),
		"not valid JSON":                document[:len(document)/2],
		"more follows the document":     append(bytes.Clone(document), '{'),
		"has more than":                 append(bytes.Clone(document), bytes.Repeat([]byte(" "), index.MaxRelease)...),
		"signature.value: is not an Ed": replaced(document, `"value":"`, `"value":"==`),
	} {
		_, err := index.ParseRelease(changed)
		refused(t, err, core.ErrPackage, says)
	}
}

func TestReleasesAreHeldToThePolicy(t *testing.T) {
	t.Parallel()
	p, other := newPublisher(t), newPublisher(t)
	document := p.sign(fields("1.2.0"))
	second, err := trust.GenerateSigner(trust.ECDSAP256)
	if err != nil {
		t.Fatal(err)
	}
	listed := func(name string, s *trust.Signer) trust.Key {
		return trust.Key{Name: name, ID: s.Public().ID, PEM: s.Public().PEM(), Kinds: []trust.Kind{trust.Extension}, Releases: []string{"acme"}}
	}
	for name, c := range map[string]struct {
		change func(*trust.Policy)
		code   core.Code
		says   string
	}{
		"as it is":           {func(*trust.Policy) {}, "", ""},
		"nobody":             {func(p *trust.Policy) { p.Keys = nil }, core.ErrUntrusted, `called "acme-v1", expected is nobody`},
		"other name":         {func(p *trust.Policy) { p.Keys[0].Name = "acme-v2" }, core.ErrUntrusted, `called "acme-v1", expected is "acme-v2"`},
		"a part of the name": {func(p *trust.Policy) { p.Keys[0].Name = "acme" }, core.ErrUntrusted, "expected is"},
		"another key":        {func(p *trust.Policy) { p.Keys[0] = listed("acme-v1", other.signer) }, core.ErrTampered, other.signer.Public().ID},
		"two of that name":   {func(p *trust.Policy) { p.Keys = append(p.Keys, listed("acme-v1", other.signer)) }, "", ""},
		"another algorithm":  {func(p *trust.Policy) { p.Keys[0] = listed("acme-v1", second) }, core.ErrUntrusted, "expected is"},
		"other releases":     {func(p *trust.Policy) { p.Keys[0].Releases = []string{"zeta"} }, core.ErrUntrusted, `may not sign "acme"`},
		"adapters only":      {func(p *trust.Policy) { p.Keys[0].Kinds = []trust.Kind{trust.Adapter} }, core.ErrUntrusted, "may not sign a release of an extension"},
		"two have to":        {func(p *trust.Policy) { p.Threshold = 2 }, core.ErrUntrusted, "signed by 1 keys that count, expected are 2"},
		"revoked key":        {func(q *trust.Policy) { q.RevokedKeys = []string{p.signer.Public().ID} }, core.ErrRevoked, "a key that was revoked"},
		"revoked release": {func(p *trust.Policy) {
			p.RevokedReleases = []trust.Revoked{{Kind: trust.Extension, ID: "acme", Version: "1.2.0"}}
		}, core.ErrRevoked, "was revoked"},
		"key not yet": {func(p *trust.Policy) { p.Keys[0].ValidFrom = now }, core.ErrUntrusted, "is valid from"},
		"key ended":   {func(p *trust.Policy) { p.Keys[0].ValidUntil = now.Add(-time.Minute) }, core.ErrUntrusted, "was valid until"},
		"below a floor": {func(p *trust.Policy) {
			p.Floors = []trust.Floor{{Kind: trust.Extension, ID: "acme", Sequence: uint64(now.Unix())}}
		}, core.ErrDowngrade, "the policy takes"},
		"floor of an adapter": {func(p *trust.Policy) {
			p.Floors = []trust.Floor{{Kind: trust.Adapter, ID: "acme", Sequence: uint64(now.Unix())}}
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := verified(document, p.believing(c.change), terms)
			if c.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			refused(t, err, c.code, c.says)
		})
	}
	later := fields("1.2.0")
	later["publishedAt"] = now.Add(time.Hour).Format(time.RFC3339)
	refused(t, verified(p.sign(later), p.policy, terms), core.ErrUntrusted, "says that it was issued at")
	elsewhere := terms
	elsewhere.ID = "zeta"
	refused(t, verified(document, p.policy, elsewhere), core.ErrUntrusted, `signed as "acme", expected is "zeta"`)
	refused(t, verified(document, p.policy, trust.Terms{}), core.ErrInvalid)
	refused(t, verified(document, &trust.Policy{Keys: []trust.Key{listed("acme-v1", p.signer)}}, terms), core.ErrInternal)
}
