package conformance_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/launch"
	signed "github.com/greenroom-agents/greenroom/core/trust"
)

// hermes is no client of an adapter: a signed package describes it. What of the cases of every client it can show, its own
// tests do.
var hermes = client{
	name: "hermes", protocol: upstream.Chat, home: ".hermes",
	seed: func(s *stage) {
		rig.Write(s, s.inHome(".hermes/config.yaml"), "# kept by hand\nmodel:\n  default: scripted-model\n  provider: custom\n  base_url: "+s.up.BaseURL()+
			"\n  api_key: "+userSecret+"\nskills:\n  external_dirs:\n    - ../more-skills # beside the home\n")
		rig.Write(s, s.inHome(".hermes/.env"), "USER_SETTING=\"kept\"\r\n")
		rig.Write(s, s.inHome(".hermes/auth.json"), `{"version":1,"providers":{}}`)
		rig.Write(s, s.inHome(".hermes/auth.lock"), "") // lies beside every login that the agent has written
		rig.WriteSkill(s, s.inHome(".hermes/skills/notes/user-notes"), "user-notes", userSkill, "body of "+userSkill)
		rig.WriteSkill(s, s.inHome("more-skills/shared-notes"), "shared-notes", sharedSkill, "body of "+sharedSkill)
	},
	credentials: func(*stage) []string { return nil },
}

// hermesPackage is the package for Hermes Agent, verified by a policy that believes the key of its tests.
func hermesPackage(t testing.TB, root string) *extension.Package {
	t.Helper()
	dir := filepath.Join(root, "extensions", "hermes")
	text, err := os.ReadFile(filepath.Join(dir, "testdata", "test-signing-key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signed.ParseSigner(text)
	if err != nil {
		t.Fatal(err)
	}
	public := signer.Public()
	policy := &signed.Policy{Version: 1, Keys: []signed.Key{{Name: "test", ID: public.ID, PEM: public.PEM(), Kinds: []signed.Kind{signed.Extension}, Releases: []string{"hermes"}}}}
	if err := policy.Complete(); err != nil {
		t.Fatal(err)
	}
	pkg, err := extension.Verify(t.Context(), filepath.Join(dir, "package"), policy, signed.Terms{Now: time.Now(), Host: "0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// hermesStage is a stage with the real Hermes Agent, and a host that prepares it from its signed package.
func hermesStage(t *testing.T, steps ...upstream.Step) (*greenroom, func(id string) core.Session) {
	t.Helper()
	return hermesOn(t, func(s *stage) *greenroom { return s.open() }, steps...)
}

// hermesOn is hermesStage, with a host that is opened as wanted.
func hermesOn(t *testing.T, open func(*stage) *greenroom, steps ...upstream.Step) (*greenroom, func(id string) core.Session) {
	t.Helper()
	s := newStage(t, hermes, steps...)
	if _, err := os.Stat(filepath.Join(s.bin, "hermes")); err != nil {
		why := "Hermes Agent is not installed; run conformance/clients/install.sh where Python 3.11 to 3.13 is"
		if os.Getenv("CI") == "true" {
			rig.Without(t, errors.New(why))
		}
		t.Skip("known: unreachable: " + why)
	}
	o, err := hermesPackage(t, s.root).Overlay()
	if err != nil {
		t.Fatal(err)
	}
	return open(s), func(id string) core.Session {
		return core.Session{Workspace: "workspace 51c2", ID: id, Provider: o.Provider(), ExtensionRuntimePrep: o, Cwd: s.cwd}
	}
}

// speak opens a session over ACP and says prompts in it.
func (g *greenroom) speak(p *core.Prepared, prompts ...string) {
	g.Helper()
	// It reads some hundred modules before it answers, and asks addresses that it does not reach here.
	ctx, cancel := context.WithTimeout(g.Context(), 3*patience)
	defer cancel()
	conn, err := launch.Open(ctx, p, launch.Options{Host: g.host, Environ: g.environ})
	if err != nil {
		g.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.NewSession(ctx); err != nil {
		g.Fatal(err)
	}
	for _, prompt := range prompts {
		for event := range conn.Prompt(ctx, launch.Block{Text: prompt}) {
			if event.Err != nil {
				g.Fatalf("the turn failed: %v", event.Err)
			}
		}
	}
}

// The real agent finds its home by the session's variable, lists our skills and the user's, reads our instructions, and
// changes nothing of the user's but the directory that is declared as shared.
func TestC320_C328_HermesFromItsSignedPackage(t *testing.T) {
	t.Parallel()
	g, session := hermesStage(t, upstream.Say("first-answer"), upstream.Say("second-answer"))
	before, project := g.take(g.home), g.take(g.cwd)
	one := session("one")
	p := g.prepare(one)
	if p.Executable != filepath.Join(g.bin, "hermes") || p.Version != "0.18.2" || p.Transport != "acp" || !slices.Equal(p.TransportArgs, []string{"acp"}) {
		t.Errorf("the client is %s %s, driven by %s %v", p.Executable, p.Version, p.Transport, p.TransportArgs)
	}
	g.speak(p, "first-prompt", "second-prompt")
	for _, turn := range g.turns(2) {
		text := g.text(turn)
		g.counts(text, map[string]int{userSkill: 1, sharedSkill: 1, "# " + product + " session": 1, "first-prompt": 1})
		if len(p.Skills) < 2 {
			t.Errorf("the session has %d skills of ours", len(p.Skills))
		}
		for _, skill := range p.Skills {
			if !strings.Contains(text, "- "+skill.Name) {
				t.Errorf("the model is not told of the skill %s", skill.Name)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "hermes", "state.db")); err != nil {
		t.Errorf("the agent keeps its state elsewhere: %v", err)
	}
	if got := g.read(filepath.Join(p.Dir, "hermes", ".env")); got != "USER_SETTING=\"kept\"\r\n" {
		t.Errorf(".env is %q", got)
	}
	g.cleanup(one)
	g.nothingLeft()
	g.unchanged("the home", before, g.take(g.home), ".hermes/bin")
	g.unchanged("the project", project, g.take(g.cwd))
}

// Two sessions in one workspace have each their own files of skills, and the workspace has none.
func TestC322_HermesSessionsShareNoSkills(t *testing.T) {
	t.Parallel()
	g, session := hermesStage(t, upstream.Say("one"), upstream.Say("two"))
	a, b := g.prepare(session("a")), g.prepare(session("b"))
	if len(a.Skills) != len(b.Skills) || len(a.Skills) == 0 {
		t.Fatalf("%d and %d skills", len(a.Skills), len(b.Skills))
	}
	for i, skill := range a.Skills {
		if skill.Path == b.Skills[i].Path || !strings.HasPrefix(skill.Path, a.Dir) || !strings.HasPrefix(b.Skills[i].Path, b.Dir) {
			t.Errorf("skill %s lies at %s and %s", skill.Name, skill.Path, b.Skills[i].Path)
		}
	}
	g.speak(a, "prompt of a")
	g.speak(b, "prompt of b")
	turns := g.turns(2)
	for i, p := range []*core.Prepared{a, b} {
		config := g.read(filepath.Join(p.Dir, "hermes", "config.yaml"))
		if !strings.Contains(config, p.Dir) || strings.Contains(config, []*core.Prepared{b, a}[i].Dir) {
			t.Errorf("the list of one session:\n%s", config)
		}
		g.counts(g.text(turns[i]), map[string]int{userSkill: 1, sharedSkill: 1})
	}
	if _, err := os.Lstat(g.inProject(".agent_context")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("there are skills in the workspace")
	}
}

// A file of the project that the agent reads in the place of AGENTS.md hides no instructions: they go with the first
// prompt.
func TestHermesReadsInstructionsInAnyCase(t *testing.T) {
	t.Parallel()
	g, session := hermesStage(t, upstream.Say("done"))
	rig.Write(t, g.inProject(".hermes.md"), projectInstructions+"\n")
	g.speak(g.prepare(session("hidden")), "only-prompt")
	g.counts(g.text(g.turns(1)[0]), map[string]int{projectInstructions: 1, "# " + product + " session": 1})
}

func (s *stage) read(path string) string {
	s.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}
