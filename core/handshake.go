package core

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/handshake"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// maxRoots is how many directories of skills a client is told of at most.
const maxRoots = 32

// checkRoots refuses directories of skills that a client could not be told of.
func checkRoots(roots []SkillRoot) error {
	if len(roots) >= maxRoots {
		return fault.New(fault.Invalid, "prepare", "skill roots", "are more than a client is told of, which is 32 with the session's own")
	}
	for _, r := range roots {
		bad := func(detail string) error { return fault.New(fault.Invalid, "prepare", "skill root of "+r.Name, detail) }
		if !filepath.IsAbs(r.Path) || strings.ContainsRune(r.Path, 0) || !utf8.ValidString(r.Path) {
			return bad("is no absolute path in UTF-8")
		}
		fi, err := os.Lstat(r.Path)
		if err != nil {
			return bad("is not there, or cannot be looked at")
		}
		if !fi.IsDir() {
			return bad("is a link, or no directory")
		}
	}
	return nil
}

// takesRoots refuses directories of skills for a client that is not told of any.
func (a *answered) takesRoots() error {
	told := slices.ContainsFunc(a.layout.Launch.Actions, func(x preparer.Action) bool { return x.Kind == preparer.ExtraRoots })
	if len(a.session.SkillRoots) > 0 && !a.session.SkipSkills && !told {
		return fault.New(fault.Invalid, "prepare", "skill roots", "the client finds skills in its own places only").
			WithHint("bring the skills as ExtraSkills")
	}
	return nil
}

// steps resolves the actions of the layout for package launch.
func (w *work) steps(p *Prepared) []handshake.Step {
	var steps []handshake.Step
	for _, x := range w.a.layout.Launch.Actions {
		step := handshake.Step{Kind: x.Kind}
		switch x.Kind {
		case preparer.ExtraRoots:
			step.Roots = w.extraRoots()
		case preparer.VerifySkills:
			for i, s := range p.Skills {
				if dir := w.bundleDir(i / max(1, len(w.a.content.Skills))); dir != "" {
					step.Skills = append(step.Skills, handshake.Skill{Name: s.Name, Path: filepath.Join(dir, filepath.Base(filepath.Dir(s.Path)), "SKILL.md")})
				}
			}
		case preparer.SnapshotTree:
			h, ref, at, marker := w.h, w.a.session.Ref(), x.At.Path, x.Marker
			step.Do = func(ctx context.Context) error { return h.snapshot(ctx, ref, at, marker) }
		}
		steps = append(steps, step)
	}
	return steps
}

// extraRoots are all directories of skills that the client is told of: the session's own, then the host's, each once.
func (w *work) extraRoots() []string {
	roots := []string{}
	add := func(dir string) {
		if dir != "" && !slices.Contains(roots, dir) {
			roots = append(roots, dir)
		}
	}
	for i := range w.tree.Bundles {
		add(w.bundleDir(i))
	}
	if !w.a.session.SkipSkills {
		for _, r := range w.a.session.SkillRoots {
			add(filepath.Clean(r.Path))
		}
	}
	return roots
}

// bundleDir is where the skills of a bundle really lie: in the store, or in the session where links do not work.
func (w *work) bundleDir(i int) string {
	if w.ses == nil || i >= len(w.tree.Bundles) {
		return ""
	}
	b := w.tree.Bundles[i]
	if target, err := w.ses.Root.Readlink(b.Place); err == nil {
		return target
	}
	return b.Path
}

// unpacked takes away what would keep the client from unpacking its own skills: a link to a snapshot that is gone, or
// that no action asks for any more.
func (w *work) unpacked(prev *manifest.Manifest) error {
	if prev == nil {
		return nil
	}
	for _, s := range prev.Snapshots {
		target, err := w.ses.Root.Readlink(s.Path)
		if err != nil {
			continue // the client has put a tree of its own there, or nothing
		}
		asked := slices.ContainsFunc(w.a.layout.Launch.Actions, func(x preparer.Action) bool {
			return x.Kind == preparer.SnapshotTree && x.At.Path == s.Path
		})
		if _, err := os.Lstat(target); asked && !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := w.ses.Root.Remove(s.Path); err != nil {
			return err
		}
	}
	return nil
}
