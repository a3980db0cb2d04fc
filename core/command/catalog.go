package command

import "context"

// Catalog is what a host supplies. It is asked once for each preparation, and may be called concurrently.
type Catalog interface {
	// Commands lists what the tool can do. An outage is an error. What it returns is copied.
	Commands(ctx context.Context, q Query) ([]Command, error)
}

// CatalogFunc is a function that is a catalog.
type CatalogFunc func(ctx context.Context, q Query) ([]Command, error)

// Commands implements Catalog.
func (f CatalogFunc) Commands(ctx context.Context, q Query) ([]Command, error) { return f(ctx, q) }

// Fixed is a catalog of commands that never change.
func Fixed(list ...Command) Catalog {
	return CatalogFunc(func(context.Context, Query) ([]Command, error) { return list, nil })
}

// Query says what a catalog is asked for. There is no session in it: a projection narrows the answer, not the catalog.
type Query struct {
	Workspace string
	// Integration asks for commands that only integrations use as well.
	Integration bool
}

// Command is one command of the host's tool.
type Command struct {
	ID          string   // stable, e.g. "issue.get"
	Path        []string // the words after the tool's name, e.g. "issue", "get"
	Summary     string   // one line; text of an app is treated as text from outside
	Description string
	Visibility  Visibility
	// InputSchema is a JSON Schema object: properties, and required, a list of their names.
	InputSchema map[string]any
	JSON        bool // it takes --json
	Wait        bool // it can wait for an end, and takes --timeout-ms
	// AppID and AppName say which app of the workspace brings the command; "" for the host's own.
	AppID, AppName string
}

// Visibility says who is told of a command.
type Visibility string

// The visibilities. Any other value hides a command.
const (
	Public      Visibility = "" // or "public"
	Integration Visibility = "integration"
)

func (v Visibility) visible() bool { return v == Public || v == "public" }
