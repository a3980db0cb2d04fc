package store_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/secret"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// legacyFile is the store of an earlier installation, made by its own statements and sealed as it sealed.
func legacyFile(t *testing.T, from string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(from))
	block := must[cipher.Block](t)(aes.NewCipher(sum[:]))
	aead := must[cipher.AEAD](t)(cipher.NewGCM(block))
	nonce := bytes.Repeat([]byte{7}, aead.NonceSize())
	text := base64.StdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(canary), nil))
	file := filepath.Join(t.TempDir(), "legacy.db")
	db := must[*sql.DB](t)(sql.Open("sqlite", file))
	defer db.Close()
	for _, statement := range []string{
		`CREATE TABLE managed_model_provider_credentials (workspace_id TEXT NOT NULL, provider_id TEXT NOT NULL, enabled INTEGER NOT NULL,
			api_key_ciphertext TEXT NOT NULL, base_url TEXT NOT NULL, models_json TEXT NOT NULL, updated_at_unix_ms INTEGER NOT NULL,
			PRIMARY KEY (workspace_id, provider_id))`,
		`CREATE TABLE agent_target_model_bindings (workspace_id TEXT NOT NULL, agent_target_id TEXT NOT NULL, model_plan_id TEXT, default_model TEXT,
			updated_at_unix_ms INTEGER NOT NULL, PRIMARY KEY (workspace_id, agent_target_id))`,
		`INSERT INTO managed_model_provider_credentials VALUES ('w', 'anthropic', 1, '` + text + `', 'https://relay.example', '[{"id":"m-a"},"m-b"]', 5),
			('w', 'acme', 0, '', '', '[]', 6), ('w', 'broken', 1, '', 'no url at all', '[]', 7)`,
		`INSERT INTO agent_target_model_bindings VALUES ('w', 'one', 'mp-migrated-anthropic', 'm-b', 8), ('w', 'two', 'mp-gone', '', 9)`,
	} {
		must[sql.Result](t)(db.ExecContext(t.Context(), statement))
	}
	return file
}

func TestP16_AnEarlierInstallationComesOverOnceAndStaysAsItIs(t *testing.T) {
	onEachEngine(t, func(t *testing.T, at place) {
		ctx := t.Context()
		const from = "tutti-managed-credentials:machine:/home/someone/.config"
		file := legacyFile(t, from)
		before := must[[]byte](t)(os.ReadFile(file))
		c := config(t)
		c.Ring = always(must[*secret.Ring](t)(must[*secret.Ring](t)(c.Ring()).WithLegacy(secret.Legacy{Host: "machine", ConfigDir: "/home/someone/.config"})))
		s := at.open(t, c)
		done := must[store.Imported](t)(s.ImportLegacy(ctx, file))
		if want := (store.Imported{Plans: 2, Agents: 1, Skipped: 2}); done != want {
			t.Errorf("%+v", done)
		}
		plans, agents := must[[]plan.Plan](t)(s.Plans(ctx, "w")), must[[]agent.Agent](t)(s.Agents(ctx, "w"))
		if len(plans) != 2 || plans[0].ID != "mp-migrated-anthropic" || plans[0].Name != "Anthropic" || !plans[0].Enabled || len(plans[0].Models) != 2 ||
			plans[1].Name != "OpenAI acme" || plans[1].Enabled || plans[1].HasKey {
			t.Errorf("%+v", plans)
		}
		if len(agents) != 1 || agents[0].Source != agent.LegacyBinding || agents[0].Plan != plans[0].ID || agents[0].Model != "m-b" || agents[0].Name != "one · Anthropic" ||
			len(agents[0].ID) != len("workspace-agent:legacy:")+24 {
			t.Errorf("%+v", agents)
		}
		if done = must[store.Imported](t)(s.ImportLegacy(ctx, file)); done.Plans+done.Agents != 0 {
			t.Errorf("a second time: %+v", done)
		}
		if diff := cmp.Diff(plans, must[[]plan.Plan](t)(s.Plans(ctx, "w"))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(agents, must[[]agent.Agent](t)(s.Agents(ctx, "w"))); diff != "" {
			t.Error(diff)
		}
		if _, k, err := s.PlanWithKey(ctx, "w", plans[0].ID); err != nil || k.Reveal() != canary {
			t.Errorf("the key does not open: %v", err)
		}
		// Sealed anew, it opens without the legacy keys.
		if done, lost, err := s.Reseal(ctx); done != 1 || lost != 0 || err != nil {
			t.Errorf("%d, %d, %v", done, lost, err)
		}
		if _, k, err := at.open(t, config(t)).PlanWithKey(ctx, "w", plans[0].ID); err != nil || k.Reveal() != canary {
			t.Errorf("the key does not open: %v", err)
		}
		if after := must[[]byte](t)(os.ReadFile(file)); !bytes.Equal(before, after) {
			t.Error("the file of the earlier installation was changed")
		}
		if _, err := s.ImportLegacy(ctx, filepath.Join(t.TempDir(), "none.db")); err == nil {
			t.Error("a file that is not there is imported")
		}
	})
}
