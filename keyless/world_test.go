package keyless_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"
	"time"

	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	protocommon "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	protodsse "github.com/sigstore/protobuf-specs/gen/pb-go/dsse"
	protorekor "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/keyless"
)

// Who signs in these tests.
const (
	issuer  = "https://issuer.example"
	subject = "release@acme.example"
)

// sigstore is an issuer, a log and a clock, made anew for each test.
type sigstore struct {
	t testing.TB
	*ca.VirtualSigstore
}

func newSigstore(t testing.TB) sigstore {
	t.Helper()
	v, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	return sigstore{t, v}
}

// root is the trusted root as a file holds it.
func (s sigstore) root() []byte {
	s.t.Helper()
	logs := s.RekorLogs()
	for id, log := range logs {
		raw, err := hex.DecodeString(id)
		if err != nil {
			s.t.Fatal(err)
		}
		log.ID = raw // the kit gives the text of it
	}
	r, err := root.NewTrustedRoot(root.TrustedRootMediaType01, s.FulcioCertificateAuthorities(), nil, s.TimestampingAuthorities(), logs)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := r.MarshalJSON()
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// bundle signs a payload, and has the log enter it at a time. change may spoil what comes of it.
func (s sigstore) bundle(payload []byte, at time.Time, change func(*protobundle.Bundle)) []byte {
	s.t.Helper()
	entity, err := s.AttestAtTime(subject, issuer, payload, at, true)
	if err != nil {
		s.t.Fatal(err)
	}
	signed, err := entity.SignatureContent()
	if err != nil {
		s.t.Fatal(err)
	}
	envelope := signed.(*bundle.Envelope).RawEnvelope()
	content, err := entity.VerificationContent()
	if err != nil {
		s.t.Fatal(err)
	}
	entries, err := entity.TlogEntries()
	if err != nil {
		s.t.Fatal(err)
	}
	stamps, err := entity.Timestamps()
	if err != nil {
		s.t.Fatal(err)
	}
	signature, err := base64.StdEncoding.DecodeString(envelope.Signatures[0].Sig)
	if err != nil {
		s.t.Fatal(err)
	}
	b := &protobundle.Bundle{
		MediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
		VerificationMaterial: &protobundle.VerificationMaterial{
			Content:                   &protobundle.VerificationMaterial_Certificate{Certificate: &protocommon.X509Certificate{RawBytes: content.Certificate().Raw}},
			TlogEntries:               []*protorekor.TransparencyLogEntry{s.entry(entries[0])},
			TimestampVerificationData: &protobundle.TimestampVerificationData{Rfc3161Timestamps: []*protocommon.RFC3161SignedTimestamp{{SignedTimestamp: stamps[0]}}},
		},
		Content: &protobundle.Bundle_DsseEnvelope{DsseEnvelope: &protodsse.Envelope{
			Payload: payload, PayloadType: envelope.PayloadType, Signatures: []*protodsse.Signature{{Sig: signature}},
		}},
	}
	if change != nil {
		change(b)
	}
	text, err := protojson.Marshal(b)
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// entry is an entry of the log with its promise, which the kit keeps to itself.
func (s sigstore) entry(e *tlog.Entry) *protorekor.TransparencyLogEntry {
	s.t.Helper()
	pb := e.TransparencyLogEntry()
	promise, err := s.RekorSignPayload(tlog.RekorPayload{
		Body: base64.StdEncoding.EncodeToString(pb.CanonicalizedBody), IntegratedTime: pb.IntegratedTime, LogIndex: pb.LogIndex,
		LogID: hex.EncodeToString(pb.LogId.KeyId),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	pb.KindVersion = &protorekor.KindVersion{Kind: "dsse", Version: "0.0.1"}
	pb.InclusionPromise = &protorekor.InclusionPromise{SignedEntryTimestamp: promise}
	return pb
}

func (s sigstore) verifier() *keyless.Verifier {
	s.t.Helper()
	v, err := keyless.New(s.root())
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// files is a whole package of an extension.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	manifest := map[string]any{
		"schemaVersion": extension.ManifestSchema, "agentKey": "acme", "version": "1.0.0", "name": "Acme",
		"icon": map[string]string{"type": "asset", "src": "icon.svg"},
		"runtime": map[string]any{
			"kind": "standard-acp", "install": map[string]any{"runner": "uv", "args": []string{"acme==1.0.0"}},
			"launch": map[string]any{"executable": "${installRoot}/bin/acme", "args": []string{"acp"}},
		},
		"profiles":         map[string]string{"discovery": "discovery.json"},
		"localizationInfo": map[string]string{"defaultLocale": "en", "defaultFile": "en.json"},
	}
	data, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"tutti.agent.json": data, "en.json": []byte(`{"name":"Acme"}`), "discovery.json": []byte(`{"schemaVersion":"tutti.agent.discovery.v1"}`),
		"icon.svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`),
	}
}

// statement is what is signed of the package, issued at a time.
func statement(t *testing.T, at time.Time) []byte {
	t.Helper()
	c, err := extension.NewContent(files(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := trust.Statement(trust.Extension, trust.Release{ID: "acme", Version: "1.0.0", Sequence: 1, IssuedAt: at}, c.Digests())
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// policy believes the publisher of these tests.
func policy(t *testing.T, change func(*trust.Identity)) *trust.Policy {
	t.Helper()
	p := &trust.Policy{Version: 1, Identities: []trust.Identity{{
		Name: "Acme", Issuer: issuer, Subject: subject, Kinds: []trust.Kind{trust.Extension}, Releases: []string{"acme"},
	}}}
	if change != nil {
		change(&p.Identities[0])
	}
	if err := p.Complete(); err != nil {
		t.Fatal(err)
	}
	return p
}
