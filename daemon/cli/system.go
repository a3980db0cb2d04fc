package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/rtk"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

// System is everything that an invocation may use of the machine. All fields but Args are required.
type System struct {
	Args    []string // without the name of the program
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ []string // in the form of os.Environ
	Home    string   // absolute path of the user's home, "" when it is not known
	// Hostname is the name of the machine, "" when it is not known. It is used for what an earlier installation sealed with it.
	Hostname string
	Cwd      string // absolute path of the working directory
	// Executable is the absolute path of this program, links resolved. Adapters are looked for beside it.
	Executable string
	TempDir    string // absolute path of the directory for scratch folders
	GOOS       string
	Now        func() time.Time
	Rand       io.Reader
}

// The exit statuses. They are part of the public contract, and said in the help.
const (
	exitOK      = 0
	exitOther   = 1
	exitUsage   = 2
	exitRefused = 3
	exitUnread  = 128 + 13 // SIGPIPE
)

// ErrUnread is the cause of a context that was cancelled because nobody reads the output any more. The invocation takes
// away what it began, and ends with the status that a shell gives to such an end.
var ErrUnread = errors.New("nobody reads the output any more")

// Run does one invocation and returns the exit status of the program.
func Run(ctx context.Context, s System) int {
	a := &app{System: s}
	a.style = paint.Coloured(a.colours(s.Stdout))
	a.notes = paint.Coloured(a.colours(s.Stderr))
	root := a.root()
	root.SetArgs(s.Args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = a.helpless
	}
	if errors.Is(context.Cause(ctx), ErrUnread) {
		return exitUnread
	}
	if err != nil && ctx.Err() != nil && !errors.As(err, new(exitStatus)) {
		// Whatever the work made of it, this is what happened.
		err = &failure{Code: codeInterrupt, Message: "interrupted", status: exitOther}
	}
	return a.exit(err)
}

// app is one invocation.
type app struct {
	System
	style paint.Style // for stdout
	notes paint.Style // for stderr
	// helpless is that help was asked for with something that there is none for: the library ends such an invocation well.
	helpless error

	// Flags of every command.
	json            bool
	state           string
	adapters        []string
	unsafeAnyDigest bool
	unsafeAttach    string

	// Of the session that is asked for.
	rtk       rtk.Artefact
	asksTrust bool // whether the person is to be asked about its directory
	// refused says which refusal of the key the endpoint's last answer was; nil where no gateway sees that.
	refused func() uint64
	// claim records of a turn, by its id, that it is done; nil where the session is bound to nothing that records it.
	claim func(ctx context.Context, turn string) error
}

// env is the value of a variable; of one that occurs twice the last.
func (a *app) env(name string) string {
	value := ""
	for _, kv := range a.Environ {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

func (a *app) colours(w io.Writer) bool {
	return a.env("NO_COLOR") == "" && a.env("TERM") != "dumb" && terminal(w)
}

// terminal says whether a stream is a terminal: a character device that is not the null device.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
