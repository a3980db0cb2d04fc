package demo

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// proof looks for everything that a session could have left behind.
func (d *Play) proof(ctx context.Context, r *Result, home snapshot, own []string) error {
	d.banner("What is left")
	nowHome, err := fingerprint(d.Stage.Home, d.Stage.State)
	if err != nil {
		return err
	}
	foreign, theirs := apart(home.changes(nowHome), own)
	traces, err := d.traces(ctx, r)
	if err != nil {
		return err
	}
	v := d.View
	v.Line("  %s  %s before, %s after", v.Style.Dim("digest of the home"), home.digest(), nowHome.digest())
	for _, path := range theirs {
		v.Line("  %s  ~/%s", v.Style.Dim("kept by a client  "), paint.Clean(path))
	}
	for _, path := range append(foreign, traces...) {
		v.Line("  %s  %s", v.Style.Bad("left behind       "), paint.Clean(path))
	}
	r.Checks = append(r.Checks,
		Check{"the home, with the project in it, is as it was" + but(theirs), len(foreign) == 0},
		Check{"the state directory knows no session, and nothing in it names one", len(traces) == 0},
	)
	d.checks(r.Checks)
	return nil
}

// apart tells the paths that clients change themselves from all others, and names those by what they lie below.
func apart(paths, own []string) (foreign, theirs []string) {
	for _, path := range paths {
		at := slices.IndexFunc(own, func(o string) bool { return within(path, o) || within(o, path) })
		if at < 0 {
			foreign = append(foreign, path)
		} else if name := own[at]; !slices.Contains(theirs, name) {
			theirs = append(theirs, name)
		}
	}
	return foreign, theirs
}

func but(theirs []string) string {
	if len(theirs) == 0 {
		return ""
	}
	return " but for what clients themselves keep there"
}

// traces lists what the state directory still holds of the sessions.
func (d *Play) traces(ctx context.Context, r *Result) ([]string, error) {
	var found []string
	for i, err := range d.Host.Sessions(ctx) {
		if err != nil {
			return nil, err
		}
		found = append(found, "session "+i.Ref.ID)
	}
	err := filepath.WalkDir(d.Stage.State, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(d.Stage.State, path)
		if err != nil {
			return err
		}
		var data []byte
		if e.Type().IsRegular() {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		for _, a := range r.Acts {
			if path == a.Prepared.Dir || bytes.Contains(data, []byte(a.Prepared.Ref.ID)) || strings.Contains(rel, a.Prepared.Ref.ID) {
				found = append(found, filepath.ToSlash(rel))
				break
			}
		}
		return nil
	})
	return found, err
}

// ownState lists, below the home, what the clients themselves may change.
func ownState(infos []core.AdapterInfo) []string {
	var all []string
	for _, info := range infos {
		if info.Descriptor == nil {
			continue
		}
		homes := map[string]string{}
		for _, h := range info.Descriptor.Homes {
			homes[h.ID] = h.Default
		}
		for _, at := range info.Descriptor.OwnState {
			switch at.Base {
			case preparer.BaseUser:
				all = append(all, at.Path)
			case preparer.BaseHome:
				all = append(all, strings.TrimSuffix(homes[at.Home]+"/"+at.Path, "/"))
			}
		}
	}
	return all
}

// within says whether a slash path is another, or lies below it.
func within(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
