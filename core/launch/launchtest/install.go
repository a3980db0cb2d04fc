package launchtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Provider is the provider of [Adapter].
const Provider = "fakeagent"

// marker is the variable that makes the test's binary the agent.
const marker = "GREENROOM_LAUNCHTEST_AGENT"

// Main takes over when the process is to be the agent, and does not return then. Call it first in TestMain.
func Main() {
	if os.Getenv(marker) == "" {
		return
	}
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--version" {
		os.Stdout.WriteString("fakeagent 1.0.0\n")
		os.Exit(0)
	}
	os.Exit(run(args))
}

// Install makes an executable that starts the agent, in a directory of the test's, and gives that directory, which
// belongs on PATH.
func Install(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// A program that looks for races is else held for a second when it ends.
	script := "#!/bin/sh\nGORACE=\"atexit_sleep_ms=0 $GORACE\" " + marker + "=1 exec \"" + self + "\" \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, Provider), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Adapter prepares sessions of the agent, which has its instructions with its first prompt.
type Adapter struct {
	// Flags are further arguments, among those of the package's page.
	Flags []string
	// Transport is the protocol that the agent speaks: [preparer.ACP], which is the default, [preparer.CodexAppServer] or
	// [preparer.ClaudeStreamJSON].
	Transport p.Transport
	// Prefixed says that the agent spells the models of an endpoint with the name of its provider.
	Prefixed bool
	// Endpoints says that model endpoints are reached behind a gateway for the Responses API, and that the agent is told more of
	// one than its key: the base URL in [URLVar], and the default model in the file [ModelFile] of the session. It asks none.
	Endpoints bool
}

// Where the agent is told of a model endpoint.
const (
	KeyVar    = "FAKEAGENT_KEY"
	URLVar    = "FAKEAGENT_URL"
	ModelFile = "model"
)

// What the agent is started with to speak a protocol.
const (
	acpArg    = "acp"
	appArg    = "app-server"
	streamArg = "stream"
)

// Describe implements preparer.Preparer.
func (a Adapter) Describe() p.Descriptor {
	transport, arg := p.ACP, acpArg
	switch a.Transport {
	case p.ClaudeStreamJSON:
		transport, arg = a.Transport, streamArg
	case p.CodexAppServer:
		transport, arg = a.Transport, appArg
	}
	d := p.Descriptor{
		Provider: Provider, Version: "1.0.0",
		Client: p.Client{Executables: []string{Provider}, Transport: transport, TransportArgs: append([]string{arg}, a.Flags...)},
		Homes:  []p.Home{{ID: Provider, Default: "." + Provider}},
		// The agent has nothing on disk: what it is told comes with the first prompt.
		Instructions: []p.Channel{p.FirstPrompt},
		Skills:       p.SkillChannel{Kind: p.SkillDirectory, Links: true, Nested: true, Names: p.PlainNames},
		Rewrite:      p.InstructionsOnly,
		Model:        p.Model{Protocol: p.OpenAI, Addressing: p.RawModels, Endpoint: p.NoEndpointAdapter, KeyVar: KeyVar},
		Env:          []string{KeyVar},
		Gates:        []p.Gate{{ID: "welcome", Answer: p.NotAnswered}, {ID: "terms", Answer: p.AnsweredByFile}},
	}
	if a.Prefixed {
		d.Model.Addressing = p.ProviderPrefixed
	}
	if a.Endpoints {
		d.Env = []string{KeyVar, URLVar}
		d.Model = p.Model{Protocol: p.OpenAI, Addressing: p.RawModels, Endpoint: p.ResponsesToChatGateway, KeyVar: KeyVar}
	}
	return d
}

// Prepare implements preparer.Preparer.
func (a Adapter) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	l, err := p.Begin(ctx, a.Describe(), r)
	if err != nil {
		return nil, err
	}
	l.FirstPrompt(r.Instructions.Text())
	if r.Skills.Count > 0 {
		at := p.Session("skills/greenroom")
		l.Skills(p.PlaceSkills{At: at})
		l.FirstPrompt(p.SkillCatalog{At: at})
	}
	if e := r.Endpoint; e != nil && a.Endpoints {
		l.Set(URLVar, p.S(e.BaseURL))
		l.File(p.Session(ModelFile), p.S(e.Default+"\n"))
	}
	return l, nil
}
