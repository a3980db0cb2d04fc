package skill

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Names of files in a skill's directory.
const (
	// MainFile is the file that every skill has.
	MainFile = "SKILL.md"
	// MarkerFile is put beside it in the store. It holds the skill's id, and is a hint for people and later versions:
	// what may be removed is what a manifest says.
	MarkerFile = ".tutti-managed-skill"
)

// Limits of one skill.
const (
	maxFiles = 1 << 10
	maxBytes = 8 << 20
)

// Skill is a skill of ours: a name and the files of its directory by clean relative slash path. SKILL.md is required
// and begins with front matter in YAML that holds a name and a description.
type Skill struct {
	ID    string // stable, e.g. "greenroom/handoff"; it decides the order in which names are given
	Name  string // the name it would like to have
	Files map[string][]byte
}

// Check says what is wrong with a skill, or nil.
func (s Skill) Check() error {
	if !plainID(s.ID) {
		return fault.New(fault.Invalid, "check skill", "skill", "the id is empty, too long or holds characters that control text")
	}
	if why := badName(s.Name); why != "" {
		return s.fault("its name " + why)
	}
	if len(s.Files) > maxFiles {
		return s.fault("it has too many files")
	}
	seen := make(map[string]string, len(s.Files))
	size := 0
	for _, name := range s.paths() {
		if why := badPath(name); why != "" {
			return s.fault("the path of a file " + why)
		}
		if fold(name) == fold(MarkerFile) {
			return s.fault("a file is named like the marker " + MarkerFile)
		}
		if clash := claim(seen, name); clash != "" {
			return s.fault("the paths of two files differ only in case, or one is a directory of the other")
		}
		size += len(s.Files[name])
	}
	if size > maxBytes {
		return s.fault("its files are larger than 8 MiB")
	}
	main, ok := s.Files[MainFile]
	if !ok {
		return s.fault("it has no " + MainFile)
	}
	if _, err := parseHead(main); err != nil {
		return s.fault(err.Error())
	}
	return nil
}

func (s Skill) fault(detail string) error {
	return fault.New(fault.Invalid, "check skill", "skill:"+s.ID, detail)
}

// paths lists the files in order.
func (s Skill) paths() []string {
	list := make([]string, 0, len(s.Files))
	for name := range s.Files {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// claim records a path and the directories above it, each folded, and answers the path that it clashes with. Two
// spellings of one directory clash as well, since they would be one directory on some file systems and two on others.
func claim(seen map[string]string, name string) string {
	for at := name; at != "."; at = path.Dir(at) {
		spelling := at + "/"
		if at == name {
			spelling = at
		}
		if had, ok := seen[fold(at)]; ok && (had != spelling || at == name) {
			return had
		}
		seen[fold(at)] = spelling
	}
	return ""
}

// badPath says why a path cannot be one of a skill's file on every system, or "".
func badPath(name string) string {
	switch {
	case name == "" || name == "." || !fs.ValidPath(name):
		return "is empty, absolute, not clean or leaves the skill"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		return "holds control characters or is not UTF-8"
	case len(name) > 512:
		return "is longer than 512 bytes"
	}
	for segment := range strings.SplitSeq(name, "/") {
		if why := badSegment(segment); why != "" {
			return why
		}
	}
	return ""
}

func plainID(id string) bool {
	return id != "" && len(id) <= 256 && utf8.ValidString(id) &&
		!strings.ContainsFunc(id, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) })
}
