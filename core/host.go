package core

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/client"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/input"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/rtk"
	"github.com/greenroom-agents/greenroom/core/skill"
)

var envPrefix = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)

// Config is what a host supplies. StateDir, Home and Adapters are required.
type Config struct {
	// StateDir is the absolute path of Greenroom's own directory, made 0700 when absent. Several hosts may share it.
	StateDir string
	// Home is the absolute path of the user's home directory.
	Home string
	// Environ is the environment, in the form of os.Environ, that client homes and executables are found by. Core never
	// reads the environment of its process.
	Environ []string
	// Adapters are the provider adapters, one for each provider.
	Adapters []adapter.Source
	// Identity is what the agent is told about the host. The zero value is Tutti.
	Identity Identity
	// Path lists absolute directories that come first on the PATH of every session, such as the one of the host's own
	// command line tool.
	Path []string
	// Managed names, for a provider, an executable that the host installed. It wins over PATH, and loses to the
	// override variable of the client. One that does not exist is ignored.
	Managed map[string]string
	// Content is what agents are told. Default: canon.Default.
	Content *canon.Set
	// Profile is the kind of host: its capability packs, resolved once in each preparation. The zero value is
	// capability.StandardProfile. Fields of its Identity that are set win over Identity.
	Profile capability.DeploymentProfile
	// Commands lists what the host's own command line tool can do. It is asked once in each preparation, and its failure
	// fails that. It is required where a pack of the profile needs commands, as packs of the standard one do: a host
	// without a tool of its own gives command.Fixed().
	Commands command.Catalog
	// SkillSources supply skills of the host's own, after those of packs and before those of a session.
	SkillSources []capability.SkillSource
	// RTK says where the program of RTK saver mode is. Without it a session that asks for the mode is an error. Only sessions
	// that ask for it get the program.
	RTK rtk.Source
	// Logger gets structured logs, without secrets. Default: none.
	Logger *slog.Logger
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// BeforeChange, for tests, is called before each single call that changes the disk, counted from 1, with the name of
	// the call and the path below the directory that it is made in. The call fails with the error that it returns. A
	// test that ends the process there shows what a crash leaves.
	BeforeChange func(n int64, call, path string) error
	// MachineRoot is a directory that stands for the root of the machine's file system where a client's descriptor names
	// settings of the machine. Default: the root itself.
	MachineRoot string
	// Timeout bounds every operation whose context has no earlier deadline; of Recover, what it does about one session.
	// Default: 60 s.
	Timeout time.Duration

	linker fsroot.Linker // of tests, in the place of the system's
}

// Identity is how the host is called in what an agent reads.
type Identity = capability.Identity

// Host prepares sessions and takes them away. It is safe for concurrent use.
type Host struct {
	cfg      Config
	store    *manifest.Store
	pool     *adapter.Pool
	versions client.Versions
	memo     input.Memo
	commands command.Memo
	contents capability.Memo
	checked  sync.Map // digest and provider of a descriptor: passed its check

	mu       sync.Mutex
	kinds    map[string]*kind          // see kindOf
	guests   map[string]*adapter.Guest // of extensions, by digest
	bundles  *skill.Store
	tree     *fsroot.Tree // of bundles
	programs *rtk.Store
	shelf    *fsroot.Tree          // of programs
	stuck    map[string]*operation // by session: what hangs and holds the session's lock
	adrift   int                   // operations that hang and are not waited for any more
	closed   bool
	working  sync.WaitGroup
	seam     *fsroot.Seam

	ensuring sync.Mutex
	ensured  os.FileInfo // of the state directory that is there, nil before; guarded by ensuring
}

// New makes a host. It starts no adapter and writes nothing: adapters are started, and the state directory is made,
// when they are first needed.
func New(ctx context.Context, c Config) (*Host, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	var seam *fsroot.Seam
	if c.BeforeChange != nil || c.linker != nil {
		seam = &fsroot.Seam{Before: c.BeforeChange, Linker: c.linker}
	}
	store, err := manifest.Open(c.StateDir, seam)
	if err != nil {
		return nil, err
	}
	// The directory for sockets comes from the environment that the host was given, not from that of its process.
	temp, _ := lookup(c.Environ, "TMPDIR", runtime.GOOS == "windows")
	pool, err := adapter.New(ctx, adapter.Config{Sources: c.Adapters, Logger: c.Logger, Now: c.Now, RunDir: temp})
	if err != nil {
		return nil, err
	}
	return &Host{cfg: c, kinds: map[string]*kind{}, guests: map[string]*adapter.Guest{}, store: store, pool: pool, stuck: map[string]*operation{}, seam: seam}, nil
}

func (c *Config) complete() error {
	bad := func(what, detail string) error { return fault.New(fault.Invalid, "configure host", what, detail) }
	if !filepath.IsAbs(c.Home) || !utf8.ValidString(c.Home) {
		return bad("Home", "must be an absolute path in UTF-8")
	}
	c.Home = filepath.Clean(c.Home)
	for _, dir := range c.Path {
		if !filepath.IsAbs(dir) || strings.ContainsRune(dir, filepath.ListSeparator) {
			return bad("Path", "must hold absolute directories without list separators")
		}
	}
	c.Identity = c.Profile.Identity.Or(c.Identity).Or(capability.DefaultIdentity())
	if !envPrefix.MatchString(c.Identity.EnvPrefix) {
		return bad("Identity.EnvPrefix", "must be capital letters, digits and underscores, and begin with a letter")
	}
	if err := c.catalogued(); err != nil {
		return err
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout == 0 {
		c.Timeout = 60 * time.Second
	}
	if c.Content == nil {
		var err error
		if c.Content, err = canon.Default(); err != nil {
			return err
		}
	}
	return nil
}

// catalogued refuses a profile whose packs tell of commands that nobody lists. A catalog that was forgotten would look
// like a tool that can do nothing.
func (c *Config) catalogued() error {
	for _, p := range c.Profile.Complete().Packs {
		if p.NeedsCommands && c.Commands == nil {
			return fault.New(fault.CatalogFailed, "configure host", "Commands", fmt.Sprintf("there is no catalog, and pack %.80q of the profile needs one", p.Name)).
				WithHint("a host without a tool of its own gives an empty catalog, command.Fixed()")
		}
	}
	return nil
}

// Close ends the adapters, after the operations that are under way, but for those that hang in the file system.
// Sessions stay as they are.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	h.mu.Unlock()
	h.working.Wait()
	err := h.pool.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tree != nil && h.adrift == 0 {
		h.tree.Close()
	}
	if h.shelf != nil && h.adrift == 0 {
		h.shelf.Close()
	}
	return err
}

// begin counts an operation in.
func (h *Host) begin() (end func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, fault.New(fault.Closed, "use host", "", "the host was closed")
	}
	h.working.Add(1)
	return h.working.Done, nil
}

// beginWriting is begin for an operation that needs the state directory.
func (h *Host) beginWriting() (end func(), err error) {
	if end, err = h.begin(); err != nil {
		return nil, err
	}
	if err = h.ensure(); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// ensure makes the state directory, once, and again when somebody removed it. It has a lock of its own, since a file system that hangs must not keep the
// rest of the host.
func (h *Host) ensure() error {
	h.ensuring.Lock()
	defer h.ensuring.Unlock()
	at := filepath.Join(h.store.Path(), "store")
	if in, err := fsroot.StatInput(at); h.ensured != nil && err == nil && os.SameFile(in.Info, h.ensured) {
		return nil
	}
	if err := h.store.Ensure(); err != nil {
		return err
	}
	in, err := fsroot.StatInput(at)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ensured, h.bundles, h.tree, h.programs, h.shelf = in.Info, nil, nil, nil, nil // not closed: somebody may be at work in it
	return nil
}

// skillStore is the store of skill bundles, opened once.
func (h *Host) skillStore() (*skill.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bundles == nil {
		tree, err := fsroot.Open(filepath.Join(h.store.Path(), "store"), h.seam)
		if err != nil {
			return nil, err
		}
		h.tree, h.bundles = tree, skill.Open(tree)
	}
	return h.bundles, nil
}
