package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/rtk"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// shortening is a prop whose client lets commands be rewritten by a hook, in some versions.
func shortening() prop {
	return prop{provider: "prop", describe: func(d *preparer.Descriptor) {
		d.Rewrite, d.RewriteSupported = preparer.PretoolHook, ">=1.5"
	}, extra: func(r preparer.Request, l *preparer.Layout) {
		if r.RTK == nil {
			return
		}
		l.Document(preparer.Session("prop/hooks.json"), preparer.JSON, preparer.Object{
			"command": preparer.Concat{preparer.Quote(preparer.Shell, r.RTK.Program.Value()), preparer.S(" hook prop")},
		})
		l.Brief(r, preparer.Session("prop/AGENTS.md"), preparer.Empty())
	}}
}

// rtkStage is a stage whose host has rtk, of which put changes the version.
func rtkStage(t *testing.T, p preparer.Preparer, version string) (s *stage, put func(body string)) {
	s = newStage(t, p)
	s.client(t, version)
	have := rtk.Artefact{Path: s.path("resources/rtk")}
	put = func(body string) {
		s.write("resources/rtk", body)
		sum := sha256.Sum256([]byte(body))
		have.SHA256 = hex.EncodeToString(sum[:])
	}
	put("#!/bin/sh\necho one\n")
	s.host = s.open(func(c *Config) {
		c.RTK = func(context.Context) (rtk.Artefact, error) { return have, nil }
	}, p)
	return s, put
}

// client puts one on the stage that tells a version.
func (s *stage) client(t *testing.T, version string) {
	t.Helper()
	s.write("bin/prop-client", "#!/bin/sh\necho prop "+version+"\n")
	if err := os.Chmod(s.path("bin/prop-client"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func (s *stage) shortened(id string) Session {
	ses := s.session(id)
	ses.RTK = true
	return ses
}

// below lists what lies below a directory of a session.
func below(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); rel != "." {
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return list
}

func TestC300_C311_ASessionWithRTK(t *testing.T) {
	t.Parallel()
	s, _ := rtkStage(t, shortening(), "1.6.0")
	p := s.prepare(s.shortened("one"))
	if p.RTK != RTKHook {
		t.Errorf("layer %q", p.RTK)
	}
	dir := filepath.Join(p.Dir, "rtk")
	if diff := cmp.Diff([]string{"RTK.md", "bin", "bin/rtk", "data", "tee"}, below(t, dir)); diff != "" {
		t.Error(diff)
	}
	for rel, mode := range map[string]os.FileMode{"": 0o700, "bin": 0o700, "data": 0o700, "tee": 0o700, "RTK.md": 0o600, "bin/rtk": 0o500} {
		if info, err := os.Stat(filepath.Join(dir, rel)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has mode %v, want %v: %v", rel, info.Mode(), mode, err)
		}
	}
	if notes := s.read(filepath.Join(dir, "RTK.md")); !strings.HasPrefix(notes, "# Short output\n") {
		t.Errorf("the notes begin with %.40q", notes)
	}
	// Its reference is the first line, once, with a blank line behind it, and stays so when the session is prepared again.
	for range 2 {
		text := s.read(filepath.Join(p.Dir, "prop/AGENTS.md"))
		if !strings.HasPrefix(text, "@"+filepath.Join(dir, "RTK.md")+"\n\n") || strings.Count(text, "RTK.md") != 1 {
			t.Errorf("the instructions begin with %.200q", text)
		}
		p = s.prepare(s.shortened("one"))
	}
	if p.Generation != 1 {
		t.Errorf("preparing again wrote: generation %d", p.Generation)
	}
	if hooks := s.read(filepath.Join(p.Dir, "prop/hooks.json")); !strings.Contains(hooks, filepath.Join(dir, "bin/rtk")+"' hook prop") {
		t.Errorf("the hook is %s", hooks)
	}
	env := map[string]string{}
	for _, kv := range p.Environ([]string{"PATH=/usr/bin", "HOME=" + s.home, "RTK_DISABLED=1", "RTK_HOOK_AUDIT=1", "RTK_TRUST_PROJECT_FILTERS=1"}) {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	if !strings.HasPrefix(env["PATH"], filepath.Join(dir, "bin")+":") {
		t.Errorf("PATH is %s", env["PATH"])
	}
	for _, name := range []string{"RTK_DISABLED", "RTK_HOOK_AUDIT", "RTK_TRUST_PROJECT_FILTERS"} {
		if value, there := env[name]; there {
			t.Errorf("%s of the person's is %q in the session", name, value)
		}
	}
	for name, want := range map[string]string{
		"RTK_DB_PATH": dir + "/data/usage.db", "RTK_RECALL_DB": dir + "/data/recall.db", "RTK_TEE_DIR": dir + "/tee", "RTK_TELEMETRY_DISABLED": "1", "RTK_SUPPRESS_HOOK_WARNING": "1",
	} {
		if env[name] != want {
			t.Errorf("%s is %q, want %q", name, env[name], want)
		}
	}
	for name, value := range env {
		if strings.HasPrefix(name, "RTK_") && strings.HasPrefix(value, "/") && !strings.HasPrefix(value, p.Dir) {
			t.Errorf("%s lies outside of the session: %s", name, value)
		}
	}
}

func TestC302_WithoutRTKThereIsNoTraceOfIt(t *testing.T) {
	t.Parallel()
	s, _ := rtkStage(t, shortening(), "1.6.0")
	p := s.prepare(s.session("one"))
	if p.RTK != "" || len(below(t, filepath.Join(p.Dir, "rtk"))) != 0 {
		t.Errorf("layer %q, and %v", p.RTK, below(t, filepath.Join(p.Dir, "rtk")))
	}
	for _, v := range p.Env {
		if strings.Contains(v.Name+v.Value, "rtk") || strings.HasPrefix(v.Name, "RTK_") {
			t.Errorf("it sets %s to %s", v.Name, v.Value)
		}
	}
	if got := below(t, s.path("state/store/programs")); len(got) != 0 {
		t.Errorf("the store holds %v", got)
	}
}

func TestC310_RTKGoesWhenItIsSwitchedOff(t *testing.T) {
	t.Parallel()
	s, put := rtkStage(t, shortening(), "1.6.0")
	before := s.prepare(s.session("one"))
	had := below(t, before.Dir)
	on := s.prepare(s.shortened("one"))
	// What the program wrote is of the session, and goes with it.
	for _, rel := range []string{"rtk/data/usage.db", "rtk/tee/1.log"} {
		if err := os.WriteFile(filepath.Join(on.Dir, rel), []byte("a secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	off := s.prepare(s.session("one"))
	if diff := cmp.Diff(had, below(t, off.Dir)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before.Env, off.Env); diff != "" {
		t.Error(diff)
	}
	// Switched on again it has what the host has now, and a session that goes on keeps it.
	put("#!/bin/sh\necho two\n")
	again := s.prepare(s.shortened("one"))
	if got := s.read(filepath.Join(again.Dir, "rtk/bin/rtk")); !strings.Contains(got, "two") {
		t.Errorf("the program is %q", got)
	}
	put("#!/bin/sh\necho three\n")
	again = s.prepare(s.shortened("one"))
	if got := s.read(filepath.Join(again.Dir, "rtk/bin/rtk")); !strings.Contains(got, "two") {
		t.Errorf("C308: the program is %q", got)
	}
	s.cleanup(s.session("one"))
	if got := below(t, again.Dir); len(got) != 0 {
		t.Errorf("it leaves %v", got)
	}
	gone, err := s.host.Collect(t.Context(), now)
	if err != nil || len(gone.Programs) != 2 {
		t.Errorf("collected %v, %v", gone, err)
	}
}

func TestC307_ASessionThatCannotHaveRTKIsNotPrepared(t *testing.T) {
	t.Parallel()
	s, put := rtkStage(t, shortening(), "1.6.0")
	s.write("resources/rtk", "altered")
	for name, h := range map[string]*Host{"altered": s.host, "no source": s.open(nil, shortening())} {
		_, err := h.Prepare(t.Context(), s.shortened("one"))
		if !errors.Is(err, ErrArtefact) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(err.Error(), s.dir) {
			t.Errorf("%s: the message names a path: %v", name, err)
		}
		if got := below(t, s.path("state/s")); len(got) != 0 {
			t.Errorf("%s: it leaves %v", name, got)
		}
	}
	put("#!/bin/sh\necho one\n")
	s.prepare(s.shortened("one"))
}

// No rtk of the machine takes the place of one that the host does not name: neither one on a PATH, that of the host's own
// process included, nor one where installers put it.
func TestC307_NoRTKOfTheMachineIsTaken(t *testing.T) {
	s := newStage(t, shortening())
	s.client(t, "1.6.0")
	for _, dir := range []string{"bin", "home/.cargo/bin", "home/.local/bin", "home/.linuxbrew/bin"} {
		s.write(dir+"/rtk", "#!/bin/sh\n: > '"+s.path("ran")+"'\n")
		if err := os.Chmod(s.path(dir+"/rtk"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", s.path("bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("HOME", s.home)
	for name, call := range map[string]func() error{
		"prepare":  func() error { _, err := s.host.Prepare(t.Context(), s.shortened("one")); return err },
		"explain":  func() error { _, err := s.host.Explain(t.Context(), s.shortened("one")); return err },
		"terminal": func() error { _, err := s.host.Terminal(t.Context()); return err },
	} {
		if err := call(); !errors.Is(err, ErrArtefact) {
			t.Errorf("%s: %v", name, err)
		}
		if left, taken := s.left(), below(t, s.path("state/store/programs")); len(left)+len(taken) != 0 {
			t.Errorf("%s: it leaves %v and %v", name, left, taken)
		}
		if _, err := os.Lstat(s.path("ran")); !os.IsNotExist(err) {
			t.Errorf("%s: one of them ran: %v", name, err)
		}
	}
}

func TestC309_ASessionThatGoesOnHasItsProgramCompared(t *testing.T) {
	t.Parallel()
	s, put := rtkStage(t, shortening(), "1.6.0")
	p := s.prepare(s.shortened("one"))
	program, err := filepath.EvalSymlinks(filepath.Join(p.Dir, "rtk/bin/rtk"))
	if err != nil {
		t.Fatal(err)
	}
	alter := func() {
		t.Helper()
		if err := errors.Join(os.Chmod(program, 0o700), os.WriteFile(program, []byte("evil"), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	alter()
	p = s.prepare(s.shortened("one"))
	if got := s.read(filepath.Join(p.Dir, "rtk/bin/rtk")); !strings.Contains(got, "one") {
		t.Errorf("the program is %q", got)
	}
	alter()
	put("#!/bin/sh\necho two\n")
	if _, err := s.host.Prepare(t.Context(), s.shortened("one")); !errors.Is(err, ErrArtefact) {
		t.Errorf("the pinned version cannot be had: %v", err)
	}
	// A link that was led elsewhere leads to the program again.
	put("#!/bin/sh\necho one\n")
	link := filepath.Join(p.Dir, "rtk/bin/rtk")
	if err := errors.Join(os.Remove(link), os.WriteFile(link, []byte("evil"), 0o700)); err != nil {
		t.Fatal(err)
	}
	p = s.prepare(s.shortened("one"))
	mended := func(p *Prepared, want bool) {
		t.Helper()
		if got := s.read(filepath.Join(p.Dir, "rtk/bin/rtk")); !strings.Contains(got, "one") {
			t.Errorf("the program is %q", got)
		}
		if told := slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "rewritten" && strings.HasPrefix(d.Text, "rtk/bin/rtk ") }); told != want {
			t.Errorf("the host is told %v", p.Diagnostics)
		}
	}
	mended(p, true)
	mended(s.prepare(s.shortened("one")), false)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	mended(s.prepare(s.shortened("one")), true)
	if err := errors.Join(os.Remove(link), os.Symlink("/bin/true", link)); err != nil {
		t.Fatal(err)
	}
	mended(s.prepare(s.shortened("one")), true)
	// One that is switched on anew was never there.
	s.prepare(s.session("one"))
	mended(s.prepare(s.shortened("one")), false)
}

func TestC304_TheLayerIsThatOfTheClientsVersion(t *testing.T) {
	t.Parallel()
	without := prop{provider: "prop", describe: shortening().describe}
	for name, c := range map[string]struct {
		prop    prop
		version string
		want    RTKLayer
		says    string
	}{
		"heeded":     {shortening(), "1.6.0", RTKHook, "by a hook"},
		"older":      {shortening(), "1.4.9", RTKInstructions, "by versions >=1.5 of the client"},
		"unknown":    {shortening(), "", RTKInstructions, "by versions >=1.5 of the client"},
		"left out":   {without, "1.6.0", RTKInstructions, "the hook that would is left out of this session"},
		"has no way": {prop{provider: "prop"}, "1.6.0", RTKInstructions, "gives us no way to change a command"},
	} {
		s, _ := rtkStage(t, c.prop, c.version)
		p := s.prepare(s.shortened("one"))
		said := slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "rtk" && strings.Contains(d.Text, c.says) })
		if p.RTK != c.want || !said {
			t.Errorf("%s has %q, want %q, and says %v", name, p.RTK, c.want, p.Diagnostics)
		}
	}
}

// RTK and the saver mode of a client know nothing of each other.
func TestC300_RTKIsIndependentOfTheSaverMode(t *testing.T) {
	t.Parallel()
	p := saving()
	inner := p.extra
	p.extra = func(r preparer.Request, l *preparer.Layout) {
		inner(r, l)
		shortening().extra(r, l)
	}
	s, _ := rtkStage(t, p, "1.6.0")
	for name, c := range map[string]struct{ saver, rtk bool }{
		"none": {}, "saver": {saver: true}, "rtk": {rtk: true}, "both": {true, true},
	} {
		ses := s.session(name)
		ses.RTK = c.rtk
		if c.saver {
			ses.Saver = &Saver{Model: "small"}
		}
		have := below(t, s.prepare(ses).Dir)
		if slices.Contains(have, "rtk/bin/rtk") != c.rtk || slices.Contains(have, "prop/hooks.json") != c.rtk || slices.Contains(have, "prop/worker.toml") != c.saver {
			t.Errorf("%s has %v", name, have)
		}
	}
}

func TestC310_ATerminalOfTheHostFindsTheSameProgram(t *testing.T) {
	t.Parallel()
	s, _ := rtkStage(t, shortening(), "1.6.0")
	env, err := s.host.Terminal(t.Context())
	if err != nil || len(env) != 1 || env[0].Name != "PATH" || env[0].Op != preparer.EnvPrepend {
		t.Fatalf("%v, %v", env, err)
	}
	p := s.prepare(s.shortened("one"))
	program, err := filepath.EvalSymlinks(filepath.Join(p.Dir, "rtk/bin/rtk"))
	if err != nil || filepath.Dir(program) != env[0].Value {
		t.Errorf("%s and %s, %v", program, env[0].Value, err)
	}
}

// What a plan to prepare shows is what is done.
func TestC300_ExplainTellsOfRTK(t *testing.T) {
	t.Parallel()
	s, _ := rtkStage(t, shortening(), "1.6.0")
	e, err := s.host.Explain(t.Context(), s.shortened("one"))
	if err != nil {
		t.Fatal(err)
	}
	if got := below(t, s.path("state")); len(got) != 0 {
		t.Errorf("explaining wrote %v", got)
	}
	p := s.prepare(s.shortened("one"))
	target, err := os.Readlink(filepath.Join(p.Dir, "rtk/bin/rtk"))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(e.Tree, func(n Node) bool { return n.Place == "session:rtk/bin/rtk" })
	if i < 0 || e.Tree[i].Target != target || e.Prepared.RTK != RTKHook {
		t.Errorf("it tells of %+v and %q; the link leads to %s", e.Tree, e.Prepared.RTK, target)
	}
}
