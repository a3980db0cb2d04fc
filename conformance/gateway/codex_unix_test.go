//go:build unix

package gateway

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func TestG81_CommandRoundTrip(t *testing.T) {
	t.Parallel()
	// What the command finds of the credentials of the session comes back in its output.
	s := newStage(t, gatewaytest.Start(
		call("exec_command", `{"cmd":"echo marker-$((40+2)); env | grep -e TUTTI_MODEL_PLAN -e PLAN_KEY || echo no-credential"}`),
		gatewaytest.Text("all ", "done")))
	r := s.must("do it")
	if !strings.Contains(r.Stdout, "all done") {
		t.Errorf("the client says %q", r.Stdout)
	}
	if got := s.results(); !strings.Contains(got, "marker-42") || !strings.Contains(got, "no-credential") {
		t.Errorf("the command gave %s", got)
	}
	for _, req := range s.up.Requests() {
		if req.Path != "/v1/chat/completions" || req.Header.Get("Authorization") != "Bearer "+planKey {
			t.Errorf("%s %s", req.Method, req.Path)
		}
	}
	if !regexp.MustCompile(`(?m)^greenroom: 2 turns, 31 tokens in \(0% cached\), 16 out, first token after `).MatchString(r.Stderr) {
		t.Errorf("no summary in %s", r.Stderr)
	}
	s.nothingElseWasAsked()
	s.hidden(planKey)
	if strings.Contains(r.Stdout+r.Stderr, planKey) {
		t.Error("the client shows the key")
	}
}

// A thread goes on in a second process on another port, and its beginning stays as it was, for the caches of upstreams.
func TestG81_ResumeInASecondProcess(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.Start(call("exec_command", `{"cmd":"echo marker"}`), gatewaytest.Text("first"), gatewaytest.Text("second")))
	s.must("do it")
	if r := s.must("resume", "--last", "go on"); !strings.Contains(r.Stdout, "second") {
		t.Errorf("the client says %q", r.Stdout)
	}
	all := s.bodies()
	if len(all) != 3 {
		t.Fatalf("%d requests", len(all))
	}
	before, after := all[1].Messages, all[2].Messages
	if len(after) <= len(before) {
		t.Fatalf("%d messages, and then %d", len(before), len(after))
	}
	for i := range before {
		if !bytes.Equal(before[i], after[i]) {
			t.Errorf("message %d was\n%s\nand is\n%s", i, before[i], after[i])
		}
	}
	s.nothingElseWasAsked()
}

// The catalog says that nothing is known of pictures, so that none is ever sent to a model that may not see.
func TestG82_PicturesStayHere(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.Start(call("view_image", `{"path":"dot.png"}`), gatewaytest.Text("seen")))
	rig.Write(t, filepath.Join(s.project, "dot.png"), "\x89PNG\r\n\x1a\nnot really")
	if r := s.must("look"); !strings.Contains(r.Stdout, "seen") {
		t.Errorf("the client says %q", r.Stdout)
	}
	if got := s.results(); got == "" {
		t.Error("the tool gave no answer")
	}
	for _, req := range s.up.Requests() {
		if bytes.Contains(req.Body, []byte(`"type":"image_url"`)) {
			t.Error("a picture was sent")
		}
	}
}

// Where no catalog of ours says otherwise, a picture that a tool shows reaches the model, though a tool's answer in Chat
// Completions can hold text only.
func TestG82_APictureOfATool(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.Start(call("view_image", `{"path":"dot.png"}`), gatewaytest.Text("seen")))
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	rig.Write(t, filepath.Join(s.project, "dot.png"), picture.String())
	if r := s.alone("plan-vision", "look"); !strings.Contains(r.Stdout, "seen") {
		t.Errorf("the client says %q", r.Stdout)
	}
	all := s.up.Requests()
	if last := all[len(all)-1].Body; bytes.Count(last, []byte("data:image/png;base64,")) != 1 {
		t.Errorf("the model was not shown the picture once: %s", last)
	}
}

// The same in a session of ours, whose catalog says what a person said of the model.
func TestG82_APictureInASession(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.Start(call("view_image", `{"path":"dot.png"}`), gatewaytest.Text("seen")))
	s.facts = []string{"--images", "plan-large"}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	rig.Write(t, filepath.Join(s.project, "dot.png"), picture.String())
	if r := s.must("look"); !strings.Contains(r.Stdout, "seen") {
		t.Errorf("the client says %q", r.Stdout)
	}
	all := s.up.Requests()
	if last := all[len(all)-1].Body; bytes.Count(last, []byte("data:image/png;base64,")) != 1 {
		t.Errorf("the model was not shown the picture once: %s", last)
	}
}

func TestG83_ToolOfAnMCPServer(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, gatewaytest.Start(gatewaytest.Text("ready")))
	rig.Write(t, filepath.Join(s.home, ".codex", "config.toml"),
		fmt.Sprintf("[mcp_servers.odd-name]\ncommand = %q\nenv = { %s = \"1\" }\n", self, mcpMark))
	s.must("which tools are there")
	names := s.tool("say_twice")
	if len(names) != 1 || !regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString(names[0]) {
		t.Fatalf("the tool is called %q", names)
	}
	s.up.Script(call(names[0], `{"word":"ping"}`), gatewaytest.Text("said"))
	s.must("say it")
	if got := s.results(); !strings.Contains(got, "twice:ping-ping") {
		t.Errorf("the tool gave %s", got)
	}
}

// A model whose id the client knows gets custom tools from it where no catalog of ours is: the gateway alone.
func TestG84_CustomPatchOfAKnownModel(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.Start(
		call("apply_patch", `{"input":"*** Begin Patch\n*** Add File: new.txt\n+from a patch\n*** End Patch"}`), gatewaytest.Text("patched")))
	if r := s.alone("gpt-5.5", "patch it"); !strings.Contains(r.Stdout, "patched") {
		t.Errorf("the client says %q", r.Stdout)
	}
	got, err := os.ReadFile(filepath.Join(s.project, "new.txt"))
	if err != nil || string(got) != "from a patch\n" {
		t.Errorf("got %q, %v; the tool said %s", got, err, s.results())
	}
}

// A model of the newest kind gets its tools by an item of the input, and all of them behind one that runs code.
func TestG28_ToolsThatTravelInTheInput(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.Start(gatewaytest.Text("ready")))
	s.alone("gpt-6-luna", "which tools are there")
	names := s.tool("exec")
	if len(names) == 0 {
		t.Fatal("the upstream was told of no tool that runs code")
	}
	s.up.Script(call(names[0], `{"input":"text(\"marker-\" + (40 + 2))"}`), gatewaytest.Text("ran"))
	if r := s.alone("gpt-6-luna", "run it"); !strings.Contains(r.Stdout, "ran") {
		t.Errorf("the client says %q", r.Stdout)
	}
	if got := s.results(); !strings.Contains(got, "marker-42") {
		t.Errorf("the code gave %s", got)
	}
}

// What was cut off may not be all of it: a command of which the end is not known must not run.
func TestG85_ACallThatWasCutOffDoesNotRun(t *testing.T) {
	t.Parallel()
	whole := call("exec_command", `{"cmd":"echo ran > ran.txt"}`)
	s := newStage(t, gatewaytest.Start(whole.First(len(whole.Steps)-3).Then(gatewaytest.Step{Cut: true}), gatewaytest.Text("never mind")))
	if r := s.must("do it"); !strings.Contains(r.Stdout, "never mind") {
		t.Errorf("the client says %q", r.Stdout)
	}
	if s.up.Hits() != 2 {
		t.Errorf("%d requests", s.up.Hits())
	}
	if _, err := os.Stat(filepath.Join(s.project, "ran.txt")); !os.IsNotExist(err) {
		t.Errorf("the command ran: %v", err)
	}
}

func TestG86_CompactionTurnHasNoTools(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		facts []string
		used  int
	}{
		"by default":       {nil, 126_000},
		"of a small model": {[]string{"--context", "64k"}, 63_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compacts(t, c.facts, c.used)
		})
	}
}

// compacts wants a thread that has used so many tokens to be compacted.
func compacts(t *testing.T, facts []string, used int) {
	big := gatewaytest.Stream(gatewaytest.Chunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"exec_command","arguments":"{\"cmd\":\"echo one\"}"}}]}`),
		gatewaytest.Finish("tool_calls"), gatewaytest.Usage(used, 10))
	s := newStage(t, gatewaytest.StartFunc(func(r gatewaytest.Request) gatewaytest.Answer {
		switch {
		case !bytes.Contains(r.Body, []byte(`"tools"`)):
			return gatewaytest.Text("the summary so far")
		case bytes.Contains(r.Body, []byte("the summary so far")):
			return gatewaytest.Text("went on")
		}
		return big
	}))
	s.facts = facts
	if r := s.must("do it"); !strings.Contains(r.Stdout, "went on") {
		t.Errorf("the client says %q", r.Stdout)
	}
	without := 0
	for _, b := range s.bodies() {
		if len(b.Tools) == 0 {
			without++
		}
	}
	if without != 1 || s.up.Hits() != 3 {
		t.Errorf("%d of %d requests have no tools", without, s.up.Hits())
	}
}

func TestG81_RefusedKeyEndsTheTurn(t *testing.T) {
	t.Parallel()
	s := newStage(t, gatewaytest.Start(gatewaytest.Status(http.StatusUnauthorized,
		`{"error":{"message":"the key `+planKey+` is not known","type":"authentication_error","code":"invalid_api_key"}}`)))
	r := s.codex("do it")
	if r.Err == nil {
		t.Error("the client says that it went well")
	}
	if s.up.Hits() > 2 {
		t.Errorf("a key that is refused was tried %d times", s.up.Hits())
	}
	if !strings.Contains(r.Stdout+r.Stderr, "is not known") {
		t.Errorf("the client does not say why: %s%s", r.Stdout, r.Stderr)
	}
	if strings.Contains(r.Stdout+r.Stderr, planKey) {
		t.Error("the client shows the key")
	}
	s.hidden(planKey)
}

// A user who has a provider, profiles, plugins and a login of their own, and a project that would choose another model.
func TestC260_NothingOfTheUsersLeadsElsewhere(t *testing.T) {
	t.Parallel()
	thief := gatewaytest.Start(gatewaytest.Text("stolen"))
	t.Cleanup(thief.Close)
	s := newStage(t, gatewaytest.Start(gatewaytest.Text("ours")))
	provider := fmt.Sprintf("model = \"mine\"\nmodel_provider = \"mine\"\n[model_providers.mine]\nname = \"Mine\"\nbase_url = %q\n", thief.URL()+"/v1")
	rig.Write(t, filepath.Join(s.project, ".codex", "config.toml"), provider)
	rig.Write(t, filepath.Join(s.home, ".codex", "auth.json"), `{"OPENAI_API_KEY":"sk-login-canary-51c2"}`)
	rig.Write(t, filepath.Join(s.home, ".codex", "config.toml"), "profile = \"work\"\nopenai_base_url = \""+thief.URL()+"/v1\"\n"+provider+
		fmt.Sprintf("[model_providers.tutti-model-plan]\nname = \"OpenAI\"\nbase_url = %q\n", thief.URL()+"/v1")+
		"[profiles.work]\nmodel_provider = \"mine\"\n[plugins.\"x@y\"]\nenabled = true\n"+
		fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", s.project))
	if r := s.must("do it"); !strings.Contains(r.Stdout, "ours") {
		t.Errorf("the client says %q", r.Stdout)
	}
	if thief.Hits() != 0 || s.up.Hits() != 1 || s.bodies()[0].Model != "plan-large" {
		t.Errorf("%d requests went elsewhere, and %d to the endpoint", thief.Hits(), s.up.Hits())
	}
	configs, err := filepath.Glob(filepath.Join(s.state, "s", "*", "codex", "config.toml"))
	if err != nil || len(configs) != 1 {
		t.Fatalf("%q, %v", configs, err)
	}
	text, err := os.ReadFile(configs[0])
	if err != nil || strings.Contains(string(text), "plugins = false") || !strings.Contains(string(text), "x@y") {
		t.Errorf("the user's plugins are gone: %v\n%s", err, text)
	}
	if logins, err := filepath.Glob(filepath.Join(s.state, "s", "*", "codex", "auth.json")); err != nil || len(logins) != 0 {
		t.Errorf("the login is in the session: %q, %v", logins, err)
	}
}
