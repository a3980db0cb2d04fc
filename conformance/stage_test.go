package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
)

// patience is how long one run of a client may take before it counts as hung.
const patience = 90 * time.Second

// Words that occur nowhere else, by which content is found again in what a client sends.
const (
	userInstructions    = "user-instructions-51c2"
	userSkill           = "user-skill-51c2"
	sharedSkill         = "shared-skill-51c2"
	userMemory          = "user-memory-51c2"
	projectInstructions = "project-instructions-51c2"
	projectSkill        = "project-skill-51c2"
	userSecret          = "user-key-51c2"
)

// stage is one case: a user with a home and a project, and a model provider that plays a script.
type stage struct {
	*testing.T
	client  client
	root    string // of the repository
	bin     string // of the clients
	dir     string // scratch
	home    string // of the user
	cwd     string // the user's project, a git repository
	tools   string // first on the user's PATH
	marks   string // where what the user set up leaves a mark when it runs
	up      *upstream.Server
	thief   *upstream.Server
	proxy   *upstream.Proxy
	environ []string // of the user
}

// newStage sets the stage for a client, with the user's set-up in place.
func newStage(t *testing.T, c client, steps ...upstream.Step) *stage {
	t.Helper()
	s := &stage{T: t, client: c, root: rig.Root(t, 1)}
	s.bin = rig.Need(t, s.root)
	s.dir = rig.Scratch(t, s.root)
	s.home, s.cwd = filepath.Join(s.dir, "home"), filepath.Join(s.dir, "project")
	s.tools, s.marks = filepath.Join(s.dir, "tools"), filepath.Join(s.dir, "marks")
	for _, dir := range []string{s.home, s.cwd, s.tools, s.marks} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.up, s.thief = s.serve(c.protocol, steps...), s.serve(upstream.Thief)
	proxy, err := upstream.StartProxy()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close() })
	s.proxy = proxy

	s.environ = append([]string{
		"HOME=" + s.home, "USER=someone", "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/sh",
		"PATH=" + strings.Join([]string{s.tools, s.bin, nodeDir(t), "/usr/local/bin", "/usr/bin", "/bin"}, ":"),
		"HTTPS_PROXY=" + proxy.URL(), "HTTP_PROXY=" + proxy.URL(), "NO_PROXY=127.0.0.1,localhost",
	}, c.credentials(s)...)
	s.git("init", "-q")
	c.seed(s)
	return s
}

func (s *stage) serve(p upstream.Protocol, steps ...upstream.Step) *upstream.Server {
	s.Helper()
	server, err := upstream.Start(p, steps...)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { server.Close() })
	return server
}

func nodeDir(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		rig.Without(t, err)
	}
	return filepath.Dir(node)
}

func (s *stage) git(args ...string) {
	s.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.cwd, s.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
}

// inHome is a path in the user's home.
func (s *stage) inHome(path string) string { return filepath.Join(s.home, filepath.FromSlash(path)) }

// inProject is a path in the user's project.
func (s *stage) inProject(path string) string { return filepath.Join(s.cwd, filepath.FromSlash(path)) }

// fixture is the content of a file of testdata/configs.
func (s *stage) fixture(name string) string {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.root, "conformance", "testdata", "configs", name))
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}

// marker writes a program into the user's tools that leaves a mark when it runs, and gives its path.
func (s *stage) marker(name string) string {
	s.Helper()
	path := filepath.Join(s.tools, name)
	rig.WriteProgram(s, path, "#!/bin/sh\n: > '"+filepath.Join(s.marks, name)+"'\nexit 0\n")
	return path
}

// marked says whether such a program ran since the last call, and forgets it.
func (s *stage) marked(name string) bool {
	s.Helper()
	err := os.Remove(filepath.Join(s.marks, name))
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	return err == nil
}

// plain is the client as the user runs it, without Greenroom.
func (s *stage) plain(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, s.client.name), args...)
	cmd.Dir, cmd.Env = s.cwd, s.environ
	return cmd
}

// play runs a client and demands that it succeeds. It gives what the client printed.
func (s *stage) play(cmd *exec.Cmd) rig.Result {
	s.Helper()
	result := rig.Run(cmd, patience)
	if err := s.client.failed(result); err != nil {
		s.Fatalf("%s: %v\nstderr: %s\nstdout: %s", s.client.name, err, tail(result.Stderr), tail(result.Stdout))
	}
	return result
}

func tail(text string) string {
	const most = 4000
	if len(text) > most {
		return "..." + text[len(text)-most:]
	}
	return text
}

// turns are the requests to the model so far; there must be as many as wanted.
func (s *stage) turns(want int) []upstream.Request {
	s.Helper()
	turns := s.up.Turns()
	if len(turns) != want {
		s.Fatalf("the model was asked %d times, want %d", len(turns), want)
	}
	return turns
}

// text is the conversation of a request with its system prompt.
func (s *stage) text(r upstream.Request) string {
	s.Helper()
	text, err := r.Text()
	if err != nil {
		s.Fatal(err)
	}
	return text
}

// counts compares how often words occur in a text.
func (s *stage) counts(text string, want map[string]int) {
	s.Helper()
	for word, n := range want {
		if got := strings.Count(text, word); got != n {
			s.Errorf("%q occurs %d times, want %d", word, got, n)
		}
	}
}
