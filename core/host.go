package core

import (
	"io"
	"log/slog"
	"time"

	"github.com/greenroom-agents/greenroom/core/adapter"
)

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
	// Logger gets structured logs, without secrets. Default: none.
	Logger *slog.Logger
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Rand is the source of random names. Default: crypto/rand.
	Rand io.Reader
	// Timeout bounds every Prepare whose context has no earlier deadline. Default: 60 s.
	Timeout time.Duration
}

// Identity is how the host is called in what an agent reads.
type Identity struct {
	Product string // default "Tutti"
	CLI     string // the host's command line tool, default "tutti"
	// EnvPrefix begins the names of the variables that tell the agent its session, such as TUTTI_WORKSPACE_ID. Default
	// "TUTTI".
	EnvPrefix string
}
