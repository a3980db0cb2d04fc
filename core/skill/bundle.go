package skill

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Named is a skill under the name that it gets in a bundle.
type Named struct {
	Name  string
	Skill Skill
}

// Renamed is the skill as it lies in a bundle: under the name that it got, which its front matter says as well.
func (n Named) Renamed() (Skill, error) {
	s := n.Skill
	main, err := rename(s.Files[MainFile], n.Name)
	if err != nil {
		return Skill{}, fault.New(fault.Invalid, "name skill", "skill:"+s.ID, err.Error())
	}
	s.Name, s.Files = n.Name, maps.Clone(s.Files)
	s.Files[MainFile] = main
	return s, nil
}

// Bundle is a set of skills in the store.
type Bundle struct {
	Digest string // lower-case hexadecimal SHA-256 of the names and bytes of its files
	// Rel is the directory that holds the skills' directories, below the store.
	Rel   string
	Names map[string]string // name by id
	// Repaired says that the bundle stood there damaged and was made again.
	Repaired bool
}

// digest is SHA-256 over fields with their lengths in front, so that no two lists of fields are hashed alike and bytes
// that are no text count as they are.
type digest struct{ hash.Hash }

func newDigest(label string) digest {
	d := digest{sha256.New()}
	d.field([]byte(label))
	return d
}

func (d digest) field(data []byte) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(data)))
	d.Write(size[:])
	d.Write(data)
}

func (d digest) sum() string { return hex.EncodeToString(d.Sum(nil)) }

// inputDigest tells sets apart before anything about them is checked or written.
func inputDigest(set []Named) string {
	d := newDigest("greenroom skill set 1")
	for _, one := range set {
		d.field([]byte(one.Name))
		d.field([]byte(one.Skill.ID))
		for _, name := range one.Skill.paths() {
			d.field([]byte(name))
			d.field(one.Skill.Files[name])
		}
		d.field(nil) // no path is empty
	}
	return d.sum()
}

// content is a bundle before it is written: files by path below it.
type content struct {
	digest string
	names  map[string]string
	files  map[string][]byte
	paths  []string            // sorted
	dirs   []string            // sorted, parents first, without the bundle itself
	list   map[string][]string // names in each directory, sorted; "." is the bundle
}

// assemble checks a set and makes the files of its bundle.
func assemble(set []Named) (content, error) {
	c := content{names: make(map[string]string, len(set)), files: map[string][]byte{}, list: map[string][]string{".": nil}}
	taken := make(map[string]bool, len(set))
	for _, one := range set {
		if err := one.Skill.Check(); err != nil {
			return content{}, err
		}
		if why := badName(one.Name); why != "" || len(one.Name) > 255 {
			return content{}, nameFault(one.Skill, "the name it got "+why)
		}
		if _, twice := c.names[one.Skill.ID]; twice || taken[fold(one.Name)] {
			return content{}, nameFault(one.Skill, "its id or the name it got stands twice in one set")
		}
		taken[fold(one.Name)] = true
		c.names[one.Skill.ID] = one.Name
		renamed, err := one.Renamed()
		if err != nil {
			return content{}, err
		}
		for name, data := range renamed.Files {
			c.files[one.Name+"/"+name] = data
		}
		c.files[one.Name+"/"+MarkerFile] = []byte(one.Skill.ID + "\n")
	}
	c.index()
	d := newDigest("greenroom skill bundle 1")
	for _, name := range c.paths {
		d.field([]byte(name))
		d.field(c.files[name])
	}
	c.digest = d.sum()
	return c, nil
}

// index sorts the files and finds the directories.
func (c *content) index() {
	for name := range c.files {
		c.paths = append(c.paths, name)
		for {
			dir, base := ".", name
			if i := strings.LastIndexByte(name, '/'); i >= 0 {
				dir, base = name[:i], name[i+1:]
			}
			known := slices.Contains(c.list[dir], base)
			if !known {
				c.list[dir] = append(c.list[dir], base)
			}
			if dir == "." || known {
				break
			}
			name = dir
		}
	}
	slices.Sort(c.paths)
	for dir, names := range c.list {
		slices.Sort(names)
		if dir != "." {
			c.dirs = append(c.dirs, dir)
		}
	}
	slices.Sort(c.dirs)
}
