//go:build unix

package gateway

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

const (
	patience = 90 * time.Second
	planKey  = "sk-plan-canary-7d1f0a9b3c"
)

// bin holds the tool and the adapter, built once.
var bin string

func TestMain(m *testing.M) {
	if os.Getenv(mcpMark) != "" {
		serveMCP()
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "greenroom-gateway-")
	if err == nil {
		defer os.RemoveAll(dir)
		bin = dir
		err = build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func build(dir string) error {
	for _, b := range []struct{ module, pkg string }{
		{"daemon", "./cmd/greenroom"}, {"providers/codex", "./cmd/greenroom-codex"}, {"providers/claude", "./cmd/greenroom-claude"},
		{"providers/kimi", "./cmd/greenroom-kimi"}, {"providers/opencode", "./cmd/greenroom-opencode"},
	} {
		cmd := exec.Command("go", "build", "-buildvcs=false", "-o", dir+string(filepath.Separator), b.pkg)
		cmd.Dir = filepath.Join("..", "..", filepath.FromSlash(b.module))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", b.pkg, err, out)
		}
	}
	if out, err := exec.Command(filepath.Join(dir, "greenroom"), "adapters", "pin", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("pin: %w\n%s", err, out)
	}
	return nil
}

// stage is a person with a home, a project and a model plan.
type stage struct {
	*testing.T
	home, project, state string
	client               string
	up                   *gatewaytest.Upstream
	proxy                *upstream.Proxy
	environ              []string
	facts                []string // flags that say what the model is
}

func newStage(t *testing.T, up *gatewaytest.Upstream) *stage {
	t.Helper()
	t.Cleanup(up.Close)
	root := rig.Root(t, 2)
	clients := rig.Need(t, root)
	node, err := exec.LookPath("node")
	if err != nil {
		rig.Without(t, err)
	}
	dir := rig.Scratch(t, root)
	s := &stage{T: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), state: filepath.Join(dir, "state"), client: filepath.Join(clients, "codex"), up: up}
	rig.Write(t, filepath.Join(s.project, "README.md"), "# Project\n")
	rig.Write(t, filepath.Join(s.home, ".codex", "config.toml"), "")
	// Whoever asks anybody but this machine is seen, and gets no answer.
	if s.proxy, err = upstream.StartProxy(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.proxy.Close() })
	s.environ = []string{
		"HOME=" + s.home, "USER=someone", "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/sh", "PLAN_KEY=" + planKey,
		"PATH=" + strings.Join([]string{bin, clients, filepath.Dir(node), "/usr/local/bin", "/usr/bin", "/bin"}, ":"),
		"HTTPS_PROXY=" + s.proxy.URL(), "HTTP_PROXY=" + s.proxy.URL(),
	}
	return s
}

// arguments run the client in a session on the plan; args stand behind exec.
func (s *stage) arguments(args ...string) []string {
	return slices.Concat([]string{
		"--state", s.state, "run", "codex", "--session", "one", "--keep", "all", "--upstream", s.up.URL(), "--key-env", "PLAN_KEY",
		"--model", "plan-large",
	}, s.facts, []string{"--", "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"}, args)
}

// codex runs the client in a session on the plan.
func (s *stage) codex(args ...string) rig.Result {
	s.Helper()
	return s.start(filepath.Join(bin, "greenroom"), s.arguments(args...)...)
}

func (s *stage) start(program string, args ...string) rig.Result {
	s.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = s.project, s.environ
	return rig.Run(cmd, patience)
}

// must runs the client and wants it to succeed.
func (s *stage) must(args ...string) rig.Result {
	s.Helper()
	r := s.codex(args...)
	if r.Err != nil {
		s.Fatalf("%v\n%s\n%s", r.Err, r.Stdout, r.Stderr)
	}
	return r
}

// body is a request as the upstream got it.
type body struct {
	Model    string
	Messages []json.RawMessage
	Tools    []struct {
		Function struct{ Name string }
	}
}

func (s *stage) bodies() []body {
	s.Helper()
	var all []body
	for _, r := range s.up.Requests() {
		var b body
		if err := json.Unmarshal(r.Body, &b); err != nil {
			s.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// results are the texts of what tools answered, in the last request.
func (s *stage) results() string {
	s.Helper()
	all := s.bodies()
	var text strings.Builder
	for _, raw := range all[len(all)-1].Messages {
		var m struct{ Role string }
		if err := json.Unmarshal(raw, &m); err != nil {
			s.Fatal(err)
		}
		if m.Role == "tool" {
			text.Write(raw)
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// tool finds the name under which the model has a tool.
func (s *stage) tool(part string) (names []string) {
	for _, b := range s.bodies() {
		for _, t := range b.Tools {
			if strings.Contains(t.Function.Name, part) {
				names = append(names, t.Function.Name)
			}
		}
	}
	return names
}

// nothingElseWasAsked wants no address to have been asked but the endpoint's.
func (s *stage) nothingElseWasAsked() {
	s.Helper()
	if got := s.proxy.Targets(); len(got) != 0 {
		s.Errorf("asked besides the endpoint: %q", got)
	}
}

// hidden wants a text to be in no file.
func (s *stage) hidden(secret string) {
	s.Helper()
	files := 0
	for _, dir := range []string{s.home, s.project, s.state} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			files++
			data, err := os.ReadFile(path)
			if strings.Contains(string(data), secret) {
				s.Errorf("a secret is in %s", path)
			}
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
	}
	if files < 5 {
		s.Errorf("only %d files were looked at", files)
	}
}

func call(name, arguments string) gatewaytest.Answer {
	return gatewaytest.Calls(gatewaytest.Call{ID: "call_1", Name: name, Arguments: arguments})
}
