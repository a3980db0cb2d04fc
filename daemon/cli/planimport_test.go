package cli_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/api/client"
)

// legacyFile is the store of an earlier installation, with one key that was sealed with a text, and a binding of the client.
func legacyFile(t *testing.T, with, baseURL string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(with))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	nonce := bytes.Repeat([]byte{9}, aead.NonceSize())
	key := base64.StdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(planKey), nil))
	file := filepath.Join(t.TempDir(), "old.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`CREATE TABLE managed_model_provider_credentials (workspace_id TEXT, provider_id TEXT, enabled INTEGER, api_key_ciphertext TEXT,
			base_url TEXT, models_json TEXT, updated_at_unix_ms INTEGER, PRIMARY KEY (workspace_id, provider_id))`,
		`CREATE TABLE agent_target_model_bindings (workspace_id TEXT, agent_target_id TEXT, model_plan_id TEXT, default_model TEXT,
			updated_at_unix_ms INTEGER, PRIMARY KEY (workspace_id, agent_target_id))`,
		`INSERT INTO managed_model_provider_credentials VALUES ('personal', 'openai', 1, '` + key + `', '` + baseURL + `', '["m-a"]', 5)`,
		`INSERT INTO agent_target_model_bindings VALUES ('personal', '` + fakeProvider + `', 'mp-migrated-openai', 'm-a', 6)`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// What an earlier installation had comes over with its key, under the derivation of each, and a second time nothing happens.
func TestP16_PlansImport(t *testing.T) {
	t.Parallel()
	up := modelEndpoint(t)
	for name, tc := range map[string]struct {
		with func(w *world) string
		args []string
	}{
		"names of this machine": {func(w *world) string { return "tutti-managed-credentials:box:" + filepath.Join(w.home, ".config") }, nil},
		"names of another one":  {func(*world) string { return "tutti-managed-credentials:old:/old/config" }, []string{"--host", "old", "--config-dir", "/old/config"}},
		"a secret":              {func(*world) string { return "a secret of long ago" }, []string{"--secret-env", "OLD"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.hostname = "box"
			w.environ = append(w.environ, "OLD=a secret of long ago")
			file := legacyFile(t, tc.with(w), up.URL())
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"plans", "import", file, "--json"}, tc.args...)
			for _, want := range []map[string]int{{"plans": 1, "agents": 1, "skipped": 0, "unreadable": 0}, {"plans": 0, "agents": 0, "skipped": 0, "unreadable": 0}} {
				got := decode[map[string]int](t, w.must(args...))
				if d := cmp.Diff(want, got); d != "" {
					t.Error(d)
				}
			}
			// It is sealed as a key of now is: nothing of the earlier installation is needed to use it.
			if got := w.run("plans", "check", "OpenAI"); got.status != 0 {
				t.Errorf("%+v", got)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed: %v", err)
			}
			at, end := w.daemon()
			c := client.New(client.Config{BaseURL: at.BaseURL, Token: at.Token})
			defer c.Close()
			bindings, err := c.Bindings(t.Context(), "personal")
			if err != nil || len(bindings) != 1 || bindings[0].Target != fakeProvider || bindings[0].Plan != "mp-migrated-openai" || bindings[0].Model != "m-a" || bindings[0].Agent == "" {
				t.Errorf("%+v, %v", bindings, err)
			}
			end()
		})
	}
}

func TestWhatCannotBeImportedSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := legacyFile(t, "a secret that nobody has", "https://relay.example")
	if got := w.run("plans", "import", file); got.status != 0 || !strings.Contains(got.out, "1 plans and 1 agents came over") || !strings.Contains(got.out, "1 stored keys cannot be opened") {
		t.Errorf("%+v", got)
	}
	other := filepath.Join(w.home, "notes.txt")
	w.write(other, "no database", 0o600)
	for want, args := range map[string][]string{
		"there is no such file":                           {"plans", "import", filepath.Join(w.home, "none.db")},
		"the file is no store of an earlier installation": {"plans", "import", other},
		"the variable NOT_SET is not set":                 {"plans", "import", file, "--secret-env", "NOT_SET"},
	} {
		if got := w.run(args...); got.status == 0 || !strings.Contains(got.errors, want) || strings.Contains(got.errors, w.home) {
			t.Errorf("%+v", got)
		}
	}
}
