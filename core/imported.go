package core

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/layout"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// transcript finds the place in the session of the conversation of the user's that it goes on with. What cannot be
// brought in is said and changes nothing else: the client then begins a conversation of its own.
func (a *answered) transcript() {
	file := a.session.Transcript
	if file == "" {
		return
	}
	at := a.desc.Transcripts
	if len(at.Dirs) == 0 {
		a.note("transcript_not_taken", "the client's conversations cannot be brought into a session, so that one was not", "")
		return
	}
	real, err := filepath.EvalSymlinks(file)
	if in, statErr := fsroot.StatInput(file); err != nil || statErr != nil || in.Kind != fsroot.InputFile || !strings.HasSuffix(real, at.Suffix) {
		a.note("transcript_missing", "the conversation that the session was to go on with is not there, or is no file of the client's", "")
		return
	}
	for i, from := range at.From {
		base, err := filepath.EvalSymlinks(a.directory(from))
		if err != nil {
			continue
		}
		rel, err := filepath.Rel(base, real)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		a.imports = []layout.Import{{At: path.Join(at.Dirs[i], filepath.ToSlash(rel)), Target: real}}
		return
	}
	a.note("transcript_outside", "the conversation that the session was to go on with does not lie where the client keeps the user's", "")
}

// directory is the absolute path of a location of the user's.
func (a *answered) directory(l preparer.Location) string {
	base := a.roots.User
	if l.Base == preparer.BaseHome {
		base = a.roots.Homes[l.Home]
	}
	return filepath.Join(base, filepath.FromSlash(l.Path))
}
