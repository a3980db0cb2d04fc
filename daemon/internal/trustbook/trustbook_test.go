package trustbook_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/internal/trustbook"
)

func TestAYesIsRememberedAndTakenBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := trustbook.Book{Dir: filepath.Join(dir, "data", "workspaces"), Now: func() time.Time { return time.Unix(1, 0) }}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for _, d := range []string{one, two} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if b.Trusts(one) {
		t.Error("trusted before anybody said so")
	}
	if err := b.Forget(one); err != nil {
		t.Errorf("forget what there is not: %v", err)
	}
	if err := b.Remember(one); err != nil {
		t.Fatal(err)
	}
	if !b.Trusts(one) || b.Trusts(two) || b.Trusts(dir) || b.Trusts(filepath.Join(dir, "gone")) {
		t.Error("another workspace is trusted than the one that was named")
	}
	if info, err := os.Stat(b.Dir); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the directory: %v %v", info, err)
	}
	if err := b.Forget(one); err != nil || b.Trusts(one) {
		t.Errorf("a yes that was taken back counts: %v", err)
	}
}

// A link that was led elsewhere since, and a file that says of another workspace, are no yes.
func TestAnAnswerIsForItsWorkspaceOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := trustbook.Book{Dir: filepath.Join(dir, "book"), Now: time.Now}
	mine, theirs, link := filepath.Join(dir, "mine"), filepath.Join(dir, "theirs"), filepath.Join(dir, "link")
	for _, d := range []string{mine, theirs} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(mine, link); err != nil {
		t.Skip("this system makes no links: ", err)
	}
	if err := b.Remember(link); err != nil {
		t.Fatal(err)
	}
	if !b.Trusts(link) || !b.Trusts(mine) {
		t.Error("a workspace behind a link is not the one behind it")
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(theirs, link); err != nil {
		t.Fatal(err)
	}
	if b.Trusts(link) {
		t.Error("a link that leads elsewhere now is trusted")
	}
	files, err := os.ReadDir(b.Dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	for _, text := range []string{"", "{", `{"workspace": "/other"}`, "null"} {
		if err := os.WriteFile(filepath.Join(b.Dir, files[0].Name()), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if b.Trusts(mine) {
			t.Errorf("%q is a yes", text)
		}
	}
}
