package preparer

import "context"

// A Preparer knows one client. Both methods are pure functions: no disk, no network, no clock, no environment. They
// are called concurrently.
type Preparer interface {
	// Describe states what the client is and what this adapter may do. It is called once per start and must always
	// answer the same.
	Describe() Descriptor
	// Prepare answers what one session should look like. Return [Refuse] for a request that cannot be served and that
	// a person can mend; any other error counts as a fault of the adapter. Stop when ctx is done.
	Prepare(ctx context.Context, r Request) (*Layout, error)
}

// Request is everything an adapter is told. There is no session id, no machine path, no phase and no history in it, so
// that preparing, resuming and preparing again are one thing, and equal choices give equal requests.
type Request struct {
	Target       Target
	Instructions Document
	Skills       SkillSet
	// Endpoint is the model endpoint to bind to, or nil for the client's own credentials. A client whose descriptor
	// names no model protocol must refuse a request that has one.
	Endpoint *Endpoint
	Options  Options
	// Inputs has one item for each input of the descriptor, found or not, by name.
	Inputs map[string]Found
	// Servers are MCP servers of the host's that the session gets beside the user's, sorted by name. A client whose
	// descriptor has no ServerVars is told of none.
	Servers []Server
	// Commands is what is known of the host's own command line tool.
	Commands Commands
	// Saver asks for the saver mode of a client whose descriptor says that it has one, or nil.
	Saver *Saver
	// RTK is the program that the session's shell commands are to run through, or nil. Core puts it first on the session's
	// PATH and into the instructions; an adapter adds what makes the client use it by itself, as its descriptor says.
	RTK *RTK
}

// Target holds the facts that the host found about the machine and the client.
type Target struct {
	OS            string   // as GOOS
	Arch          string   // as GOARCH
	ClientVersion string   // semantic version, "" when no client was found
	Tools         []string // which of the descriptor's Client.Tools are on PATH, sorted
}

// Has says whether a tool that the descriptor declared was found.
func (t Target) Has(tool string) bool {
	for _, have := range t.Tools {
		if have == tool {
			return true
		}
	}
	return false
}

// Document is the handle of a text that core rendered: its whole, or its sections by key.
type Document struct {
	Name     string
	Sections []string // in the order of the document
}

// Text is the whole document as a value.
func (d Document) Text() Text { return Text{Document: d.Name} }

// Section is one part of the document as a value. Whether the part exists is checked by the host.
func (d Document) Section(key string) Text { return Text{Document: d.Name, Section: key} }

// SkillSet is the handle of the skills that the session gets. Their names and bodies never reach an adapter.
type SkillSet struct {
	Count int // 0: place none
}

// Commands says which command lines of the host's own tool may run without asking the person. An adapter turns them into
// rules of the client, where it has such, and approves nothing else.
type Commands struct {
	// Approved are beginnings of command lines, word by word, the tool's name first, sorted. A word is made of ASCII
	// letters, digits, dots, dashes and underscores and begins with a letter or digit. Whatever follows such a beginning
	// may run: the host gives none that is the beginning of a command which the session does not have.
	Approved [][]string
}

// Endpoint is a model endpoint. The key is a handle: an adapter places it, and never sees it.
type Endpoint struct {
	Name     string   // what a person calls it
	Protocol Protocol // one that the client itself speaks; see Model.Speaks
	// BaseURL has no trailing slash. It ends in a version for openai and responses, as in ".../v1", and before "/v1" for
	// anthropic.
	BaseURL string
	Models  []EndpointModel
	Default string // id of one of Models
	Key     Secret
	Auth    Auth // how the endpoint wants the key
	// KeyInFile allows the key in a file of the session, where Model.SecretFile says that the client wants it there.
	KeyInFile bool
	// Base is what a model of the endpoint is told before everything else, for clients that have such a text for their
	// vendor's own models only.
	Base Document
}

// Server is an MCP server of the host's, which the client reaches by HTTP.
type Server struct {
	// Name is made of ASCII letters, digits, dashes and underscores, begins with a letter, and is none that the user gave
	// to a server of theirs.
	Name string
	URL  string
	// Headers go with every request, sorted by name.
	Headers []Header
}

// Header is a header of a request. Its value is a credential: an adapter sets Var to Value, and names Var in the
// client's file.
type Header struct {
	Name  string
	Var   string // begins with the descriptor's ServerVars
	Value Secret // with the descriptor's BearerServers, without the scheme
}

// EndpointModel is one model of an endpoint.
type EndpointModel struct {
	ID   string
	Name string
	// ContextTokens is how many tokens it reads at once, 0 for unknown.
	ContextTokens int
	Images        bool // it can see
}

// Auth is the header that carries the key to an endpoint.
type Auth string

// The headers.
const (
	Bearer Auth = ""        // Authorization: Bearer
	APIKey Auth = "api_key" // x-api-key
)

// Options are the choices of a session.
type Options struct {
	Inherit Inherit
	// TrustWorkspace is told to a client whose descriptor has a gate with Lets.
	TrustWorkspace Trust
}

// Saver is a mode in which the client hands parts of its work to a worker on a model that costs less.
type Saver struct {
	// Policy is what the session is told of it, behind the instructions; Worker is what the worker is told.
	Policy, Worker Document
	// Model is the id of the worker's model: one of the endpoint's where there is an endpoint, and otherwise one that the
	// host asks for. "" leaves the choice to the adapter, which knows the models of the client's vendor.
	Model string
}

// RTK is a program that runs an agent's shell commands and shortens what they print. It is called with a command line to
// rewrite, or as a hook; it never decides what may run, and neither may what calls it.
type RTK struct {
	// Program is where the session's executable lies. Whatever calls it names it by this absolute path.
	Program Place
	// Reference is one line that leads a client which follows such lines to all about the program. It goes first into a file
	// of instructions that is the session's own.
	Reference Document
}

// Refusal is the error of a request that cannot be served for a reason that a person can mend.
type Refusal struct {
	Code string // stable, "provider.what", e.g. "codex.bad-model"
	Text string // lower case, no user path, no secret
	Hint string // how to mend it
}

func (r *Refusal) Error() string { return r.Text }

// Refuse makes a Refusal.
func Refuse(code, text, hint string) error { return &Refusal{Code: code, Text: text, Hint: hint} }
