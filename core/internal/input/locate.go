package input

import (
	"os"
	"path"
	"path/filepath"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// located is where a location leads to.
type located struct{ path, label string }

// spot is a location in one directory.
type spot struct {
	base      preparer.LocationBase
	home, dir string
	rel       string
}

// maxSpots bounds how many spots a Memo remembers.
const maxSpots = 1024

// locate lists where a location may lead to, nearest first. The list must not be changed.
func (s *Snapshot) locate(roots Roots, l preparer.Location) []located {
	at := spot{base: l.Base, home: l.Home, rel: l.Path}
	switch l.Base {
	case preparer.BaseHome:
		if at.dir = roots.Homes[l.Home]; at.dir == "" {
			return nil
		}
	case preparer.BaseUser:
		at.dir = roots.User
	default:
		if l.ToGitRoot {
			return s.upwards(roots, at)
		}
		at.dir = roots.Workspace
	}
	return s.memo.spot(at)
}

// upwards is the location in the workspace and in the directories above it, up to the one that holds .git. That is found
// once for a Snapshot.
func (s *Snapshot) upwards(roots Roots, at spot) []located {
	if s.above == nil {
		s.above = upToGitRoot(roots.Workspace)
	}
	list := make([]located, 0, len(s.above))
	for _, at.dir = range s.above {
		list = append(list, s.memo.spot(at)...)
	}
	return list
}

// upToGitRoot is dir and its parents up to the one that holds .git; dir alone when there is none.
func upToGitRoot(dir string) []string {
	var dirs []string
	for d := dir; ; d = filepath.Dir(d) {
		dirs = append(dirs, d)
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return dirs
		}
		if d == filepath.Dir(d) {
			return dirs[:1]
		}
	}
}

// spot is where a spot is, as a list of one.
func (m *Memo) spot(at spot) []located {
	if m == nil {
		return at.located()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list, ok := m.spots[at]
	if !ok {
		if m.spots == nil || len(m.spots) >= maxSpots {
			m.spots = make(map[spot][]located, 64)
		}
		list = at.located()
		m.spots[at] = list
	}
	return list
}

func (at spot) located() []located {
	label := "workspace:" + at.rel
	switch at.base {
	case preparer.BaseHome:
		label = path.Join("home:"+at.home, at.rel)
	case preparer.BaseUser:
		label = "~/" + at.rel
	}
	return []located{{filepath.Join(at.dir, filepath.FromSlash(at.rel)), label}}
}
