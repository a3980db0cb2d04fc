package fsroot_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// inputs makes one of each kind, as children of the directory it returns.
func inputs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	put(t, filepath.Join(dir, "dotfiles", "config"), "linked")
	put(t, filepath.Join(home, "plain"), "plain")
	put(t, filepath.Join(home, "sub", "x"), "x")
	for name, target := range map[string]string{
		"link": "../dotfiles/config", "chain": "link", "dirlink": "../dotfiles", "dangling": "nothing", "loop": "loop", "below-file": "plain/x",
	} {
		must(t, os.Symlink(target, filepath.Join(home, name)))
	}
	return home
}

func TestReadInputFollowsLinks(t *testing.T) {
	t.Parallel()
	home := inputs(t)
	for name, c := range map[string]struct {
		limit int64
		want  string
		err   error
	}{
		"plain":      {5, "plain", nil},
		"link":       {6, "linked", nil},
		"chain":      {100, "linked", nil},
		"sub/x":      {100, "x", nil},
		"dirlink":    {100, "", fault.NotRegular},
		"sub":        {100, "", fault.NotRegular},
		"dangling":   {100, "", fs.ErrNotExist},
		"none":       {100, "", fs.ErrNotExist},
		"plain/none": {100, "", fs.ErrNotExist},
		"loop":       {100, "", fault.Unreadable},
		"./plain":    {4, "", fsroot.ErrTooLarge},
	} {
		got, info, err := fsroot.ReadInput(filepath.Join(home, name), c.limit)
		if string(got) != c.want || !errors.Is(err, c.err) || (err == nil && info.Size() != int64(len(c.want))) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		wantNoPath(t, err, home)
	}
}

func TestStatAndListInput(t *testing.T) {
	t.Parallel()
	home := inputs(t)
	want := []string{
		"below-file link dangling link", "chain link file", "dangling link dangling link", "dirlink link directory",
		"link link file", "loop link link loop", "plain file", "sub directory",
	}
	show := func(in fsroot.Input) string {
		if in.Link {
			return fmt.Sprint(in.Name, " link ", in.Kind)
		}
		return fmt.Sprint(in.Name, " ", in.Kind)
	}
	must(t, os.Symlink("home", home+"-link"))
	list, err := fsroot.ListInput(home + "-link")
	must(t, err)
	var listed, stated []string
	for _, in := range list {
		listed = append(listed, show(in))
		in, err := fsroot.StatInput(filepath.Join(home, in.Name))
		must(t, err)
		stated = append(stated, show(in))
		if leads := in.Kind == fsroot.InputFile || in.Kind == fsroot.InputDir; leads != (in.Info != nil) {
			t.Errorf("%s: info is %v", in.Name, in.Info)
		}
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, stated); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"none", "plain/none"} {
		if _, err := fsroot.StatInput(filepath.Join(home, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("stat %s: %v", name, err)
		}
		if _, err := fsroot.ListInput(filepath.Join(home, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("list %s: %v", name, err)
		}
	}
	_, err = fsroot.ListInput(filepath.Join(home, "plain"))
	wantCode(t, err, fault.NotRegular, home)
}
