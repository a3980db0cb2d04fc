package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Fingerprint tells two revisions apart by what a running client would notice: protocol, endpoint, credential, models and
// default model. A new name, a check or switching a plan off and on leave it as it is. It gives nothing of the credential
// away: what it is made of is hashed with a digest of the key, in a domain of its own.
func (p Plan) Fingerprint(key Key) string {
	digest := sha256.Sum256([]byte("greenroom plan key\x00" + p.ID + "\x00" + key.Reveal()))
	type model struct {
		ID            string
		ContextTokens int
		Images        bool
	}
	models := make([]model, 0, len(p.Models))
	for _, m := range p.Models {
		models = append(models, model{m.ID, m.ContextTokens, m.Images})
	}
	data, err := json.Marshal(struct {
		Plan, Protocol, Base, Default, Key string
		Models                             []model
	}{p.ID, string(p.Protocol), p.Base(), p.Effective(), hex.EncodeToString(digest[:]), models})
	if err != nil {
		return "" // of strings and numbers there is none
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
