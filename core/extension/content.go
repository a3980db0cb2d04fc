package extension

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// Names of files of every package.
const (
	ManifestFile  = "tutti.agent.json"
	SignatureFile = "SIGNATURE.dsse.json"
)

// Limits of a package.
const (
	MaxFiles = 256
	MaxFile  = 5 << 20  // bytes
	MaxTotal = 20 << 20 // bytes
)

// Content is the files of a package that nobody has verified, as they were read.
type Content struct {
	files    map[string][]byte
	envelope []byte    // nil: it holds no signature
	release  *released // nil: it was found by itself
	once     sync.Once
	read     reading
	overlays sync.Map // by overlayKey, since an overlay does not change either
}

// reading is what was found out about content, which does not change.
type reading struct {
	manifest Manifest
	found    []Finding
	digests  trust.Digests
}

// reading reads the content, once.
func (c *Content) reading() *reading {
	c.once.Do(func() {
		c.read.manifest, c.read.found = c.validate()
		c.read.digests = trust.Digests{}
		for name, data := range c.files {
			c.read.digests[name] = digest(data)
		}
	})
	return &c.read
}

// NewContent makes content of files by their clean relative path. The signature is the envelope, nil for none. The
// names, kinds and sizes of files are checked here; what is in them is, when the content becomes a package.
func NewContent(files map[string][]byte, signature []byte) (*Content, error) {
	b := newBuilder()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := b.add(name, files[name]); err != nil {
			return nil, err
		}
	}
	if signature != nil {
		if err := b.add(SignatureFile, signature); err != nil {
			return nil, err
		}
	}
	return b.content()
}

// Names lists the files, without the signature, sorted.
func (c *Content) Names() []string { return slices.Sorted(maps.Keys(c.files)) }

// ReadFile is what is in a file.
func (c *Content) ReadFile(name string) ([]byte, error) { return readFile(c.files, name) }

// Signature is the envelope, nil when there is none.
func (c *Content) Signature() []byte { return bytes.Clone(c.envelope) }

// WithSignature is the content with another signature.
func (c *Content) WithSignature(envelope []byte) (*Content, error) {
	return NewContent(c.files, envelope)
}

// Manifest is what the content says of itself, or the first rule that it breaks.
func (c *Content) Manifest() (Manifest, error) { return c.manifest() }

// Digests are those of all files, as they are signed.
func (c *Content) Digests() trust.Digests { return maps.Clone(c.reading().digests) }

func readFile(files map[string][]byte, name string) ([]byte, error) {
	data, ok := files[name]
	if !ok {
		return nil, fault.New(fault.PackageRules, "read", "package: "+clip(name), "there is no such file in the package")
	}
	return bytes.Clone(data), nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// builder puts content together, file by file, and holds it to the rules that can be seen without reading one.
type builder struct {
	files    map[string][]byte
	envelope []byte
	folded   map[string]string // names of files and directories as a file system sees them that knows no case
	total    int64
}

func newBuilder() *builder {
	return &builder{files: map[string][]byte{}, folded: map[string]string{}}
}

// allow says whether a file of that name and size may come next, before it is read.
func (b *builder) allow(name string, size int64) error {
	if bad := badName(name); bad != "" {
		return refuseFile(name, bad).WithHint("take it away, or give it another name; all files in the directory belong to the package")
	}
	limit := int64(MaxFile)
	if name == SignatureFile {
		limit = trust.MaxEnvelope
	}
	if size > limit {
		return refuseFile(name, fmt.Sprintf("has more than %d bytes", limit))
	}
	if len(b.files) >= MaxFiles {
		return refuse("package", fmt.Sprintf("holds more than %d files", MaxFiles))
	}
	if b.total+size > MaxTotal {
		return refuse("package", fmt.Sprintf("holds more than %d bytes", MaxTotal))
	}
	return nil
}

func (b *builder) add(name string, data []byte) error {
	if err := b.allow(name, int64(len(data))); err != nil {
		return err
	}
	if err := b.claim(name); err != nil {
		return err
	}
	if name == SignatureFile {
		b.envelope = bytes.Clone(data)
		return nil
	}
	b.files[name] = bytes.Clone(data)
	b.total += int64(len(data))
	return nil
}

// claim keeps a name and those of its directories from meaning two things.
func (b *builder) claim(name string) error {
	if other, ok := b.folded[strings.ToLower(name)]; ok {
		return refuseFile(name, "is the same as "+clip(other)+" where case does not count, or stands twice")
	}
	b.folded[strings.ToLower(name)] = name
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		key := strings.ToLower(dir)
		if other, ok := b.folded[key]; ok && other != dir+"/" {
			return refuseFile(name, "lies in a directory that is the same as "+clip(other)+" where case does not count")
		}
		b.folded[key] = dir + "/"
	}
	return nil
}

func (b *builder) content() (*Content, error) {
	if _, ok := b.files[ManifestFile]; !ok {
		return nil, fault.New(fault.PackageRules, "read", "package: "+ManifestFile, "is missing").
			WithHint("make a package with `greenroom extension init`")
	}
	return &Content{files: b.files, envelope: b.envelope}, nil
}

// documentation may lie at the top of a package without being named.
var documentation = []string{"AGENTS.md", "README.md", "LICENSE", "NOTICE"}

var (
	dataKinds   = []string{".json", ".md", ".svg", ".png", ".jpg", ".jpeg", ".webp"}
	imageKinds  = []string{".svg", ".png", ".jpg", ".jpeg", ".webp"}
	sourceKinds = []string{".py", ".js", ".mjs", ".cjs", ".ts", ".lua", ".json", ".yaml", ".yml", ".toml", ".md", ".txt"}
)

// badName says why no file of a package may have a name, or "".
func badName(name string) string {
	if bad := badPath(name); bad != "" {
		return bad
	}
	if slices.Contains(documentation, name) || slices.Contains(dataKinds, kind(name)) || slices.Contains(sourceKinds, kind(name)) {
		return ""
	}
	return "is no kind of file that a package may hold: " + strings.Join(dataKinds, " ")
}

func kind(name string) string { return strings.ToLower(path.Ext(name)) }

// badPath says what is wrong with a relative path, or "". A path has to be possible and mean the same on every system,
// so that the letters are those that no file system changes or confuses.
func badPath(p string) string {
	switch {
	case p == "":
		return "has no name"
	case len(p) > 200:
		return "has a path of more than 200 bytes"
	case !utf8.ValidString(p) || strings.ContainsFunc(p, func(r rune) bool { return !portable(r) }):
		return "has a path with something else than ASCII letters, digits, dots, underscores, hyphens and slashes"
	case strings.HasPrefix(p, "/") || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return "has a path that is not relative and clean"
	}
	for segment := range strings.SplitSeq(p, "/") {
		switch {
		case strings.HasPrefix(segment, "."):
			return "has a name that begins with a dot"
		case strings.HasSuffix(segment, "."):
			return "has a name that ends with a dot, which Windows drops"
		case device(segment):
			return "has a name that is a device on Windows"
		}
	}
	return ""
}

func portable(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/", r)
}

// device says whether Windows takes a name, with any ending, for a device.
func device(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (stem[:3] == "COM" || stem[:3] == "LPT") && stem[3] >= '0' && stem[3] <= '9'
}

// clip is a name of somebody else's as messages show it.
func clip(s string) string {
	if len(s) > 120 {
		s = s[:120] + "..."
	}
	return strings.Trim(fmt.Sprintf("%+q", s), `"`)
}

func refuse(subject, detail string) *fault.Error {
	return fault.New(fault.PackageRules, "read", subject, detail)
}

func refuseFile(name, detail string) *fault.Error { return refuse("package: "+clip(name), detail) }
