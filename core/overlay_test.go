package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestEnvironAppliesEveryChange(t *testing.T) {
	t.Parallel()
	p := &Prepared{
		Env: []EnvVar{
			{Name: "SET", Op: preparer.EnvSet, Value: "1"}, {Name: "EMPTY", Op: preparer.EnvSetEmpty}, {Name: "GONE", Op: preparer.EnvUnset},
			{Name: "PATH", Op: preparer.EnvPrepend, Value: "/b", Separator: ":"}, {Name: "PATH", Op: preparer.EnvPrepend, Value: "/a", Separator: ":"},
			{Name: "LIST", Op: preparer.EnvAppend, Value: "y,z", Separator: ","},
		},
		strip: []string{"OLD", "OLD_*"},
	}
	for name, c := range map[string]struct {
		base, want []string
		fold       bool
	}{
		"nothing there":      {nil, []string{"EMPTY=", "LIST=y,z", "PATH=/a:/b", "SET=1"}, false},
		"replaced":           {[]string{"SET=0", "EMPTY=x", "GONE=x", "OTHER=a=b"}, []string{"EMPTY=", "LIST=y,z", "OTHER=a=b", "PATH=/a:/b", "SET=1"}, false},
		"lists":              {[]string{"PATH=/usr/bin:/b:", "LIST=x, y"}, []string{"EMPTY=", "LIST=x, y,z", "PATH=/a:/b:/usr/bin:", "SET=1"}, false},
		"stripped":           {[]string{"OLD=1", "OLD_X=2", "OLDER=3"}, []string{"EMPTY=", "LIST=y,z", "OLDER=3", "PATH=/a:/b", "SET=1"}, false},
		"C024 no variables":  {[]string{"", "x", "=C:=C:\\dir", "=x"}, []string{"EMPTY=", "LIST=y,z", "PATH=/a:/b", "SET=1"}, false},
		"C024 twice":         {[]string{"X=1", "X=2"}, []string{"EMPTY=", "LIST=y,z", "PATH=/a:/b", "SET=1", "X=2"}, false},
		"windows path":       {[]string{"Path=/usr/bin", "set=0", "gone=x", "old_x=1"}, []string{"EMPTY=", "LIST=y,z", "Path=/a:/b:/usr/bin", "set=1"}, true},
		"case counts":        {[]string{"Path=/usr/bin", "gone=x"}, []string{"EMPTY=", "LIST=y,z", "PATH=/a:/b", "Path=/usr/bin", "SET=1", "gone=x"}, false},
		"unset and set anew": {[]string{"GONE=1", "GONE=2"}, []string{"EMPTY=", "LIST=y,z", "PATH=/a:/b", "SET=1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := environ(p, c.base, c.fold)
			if again := environ(p, got, c.fold); !cmp.Equal(again, got) {
				t.Errorf("C009: applied twice it gives %q, want %q", again, got)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
		})
	}
}

func TestH08_VariablesOfTheUsersPassUntouched(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session("one"))
	for _, kv := range []string{"CLAUDE_CONFIG_DIR=/x/cfg/", "CLAUDE_CONFIG_DIR=", "CLAUDE_CONFIG_DIR= /x//cfg/../cfg ", "CODEX_HOME=rel/", "X=\r\n\t\xff"} {
		if got := p.Environ([]string{kv}); !slices.Contains(got, kv) {
			t.Errorf("%q became %q", kv, got)
		}
	}
	for _, kv := range p.Environ(nil) {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "TUTTI_") && name != "PROP_HOME" {
			t.Errorf("%s is introduced", name)
		}
	}
}

// required are the variables without which clients lose the user's home, keyring or temporary directory.
var required = []string{
	"HOME", "USERPROFILE", "PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "APPDATA", "LOCALAPPDATA", "SystemRoot", "TMPDIR",
}

func TestH25_RequiredVariablesArePublishedAndKept(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## Environment")
	list := strings.Fields(strings.Split(section, "```")[1])
	s := newStage(t)
	p := s.prepare(s.session("one"))
	var base []string
	for _, name := range list {
		base = append(base, name+"=/value/of/"+name)
	}
	env := p.Environ(base)
	for _, name := range required {
		if !slices.Contains(list, name) {
			t.Errorf("the page does not list %s", name)
		}
		if value, ok := lookup(env, name, false); !ok || !strings.HasSuffix(value, "/value/of/"+name) {
			t.Errorf("%s is %q in the session", name, value)
		}
	}
}

// program puts an executable on the stage that tells a version.
func (s *stage) program(rel, version string) string {
	s.t.Helper()
	s.write(rel, "#!/bin/sh\necho prop-client "+version+"\n")
	if err := os.Chmod(s.path(rel), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return s.path(rel)
}

func TestH27_OneExecutableForAll(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first, second := s.program("bin/prop-client", "1.5.0"), s.program("bin2/prop-client", "1.6.0")
	managed, override := s.program("managed/client", "1.7.0"), s.program("override/other-name", "3.0.0")
	path := "PATH=relative" + string(filepath.ListSeparator) + filepath.Dir(first) + string(filepath.ListSeparator) + filepath.Dir(second)
	for name, c := range map[string]struct {
		managed, override string
		want, version     string
		note              string
		err               error
	}{
		"first on PATH":               {"", "", first, "1.5.0", "", nil},
		"C242 managed wins over PATH": {managed, "", managed, "1.7.0", "", nil},
		"C242 managed that is gone":   {s.path("nowhere"), "", first, "1.5.0", "", nil},
		"C242 override wins over all": {managed, override, override, "3.0.0", "client_version", nil},
		"blank override is none":      {managed, "  ", managed, "1.7.0", "", nil},
		"override that is gone":       {managed, s.path("nowhere"), "", "", "", ErrInvalid},
		"override that is no program": {managed, s.path("work/main.go"), "", "", "", ErrInvalid},
		"override of a directory":     {managed, s.dir, "", "", "", ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			h := s.open(func(c2 *Config) {
				c2.StateDir = t.TempDir()
				c2.Environ = []string{path, "PROP_EXECUTABLE=" + c.override}
				c2.Managed = map[string]string{"prop": c.managed}
			}, prop{provider: "prop"})
			p, err := h.Prepare(t.Context(), s.session("one"))
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			checkError(t, s, name, err)
			if err != nil {
				if !strings.Contains(err.Error(), "PROP_EXECUTABLE") {
					t.Errorf("the message does not name the variable: %v", err)
				}
				return
			}
			if p.Executable != c.want || p.Version != c.version {
				t.Errorf("client %s %s, want %s %s", p.Executable, p.Version, c.want, c.version)
			}
			found := ""
			for _, d := range p.Diagnostics {
				if strings.HasPrefix(d.Code, "client_") {
					found = d.Code
				}
			}
			if found != c.note {
				t.Errorf("diagnostic %q, want %q", found, c.note)
			}
			cmd, err := p.Command(t.Context(), []string{"A=1"}, "person")
			if err != nil {
				t.Fatal(err)
			}
			want := []string{c.want, "--rules", filepath.Join(p.Dir, "prop/RULES.md"), "person"}
			if diff := cmp.Diff(want, cmd.Args); diff != "" || cmd.Path != c.want || cmd.Dir != s.cwd {
				t.Errorf("command %s in %s (-want +got):\n%s", cmd.Path, cmd.Dir, diff)
			}
		})
	}
}

func TestNoClientIsNoReasonNotToPrepare(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session("one"))
	if p.Executable != "" || len(p.Diagnostics) == 0 || p.Diagnostics[0].Code != "client_missing" {
		t.Errorf("executable %q, diagnostics %v", p.Executable, p.Diagnostics)
	}
	if _, err := p.Command(t.Context(), nil); !errors.Is(err, ErrClientMissing) {
		t.Errorf("command: %v, want %v", err, ErrClientMissing)
	}
}

func TestI11_OverlayMasksSecrets(t *testing.T) {
	t.Parallel()
	const canary = "sk-canary-4711"
	p := &Prepared{Env: []EnvVar{{Name: "KEY", Op: preparer.EnvSet, Value: canary, Secret: true}, {Name: "OTHER", Op: preparer.EnvSet, Value: "seen"}}}
	for name, v := range map[string]any{"pointer": p, "inside": map[string]any{"p": p}, "explanation": &Explanation{Prepared: p}} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), canary) || !strings.Contains(string(data), "seen") || !strings.Contains(string(data), masked) {
			t.Errorf("%s: %s", name, data)
		}
	}
	// Neither has the overlay by itself, however it is printed or logged.
	data, err := json.Marshal(p.Env)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "env", p.Env, "prepared", p)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "env", p.Env, "one", p.Env[0])
	for _, text := range []string{string(data), log.String(), fmt.Sprintf("%v %+v %#v %s %q", p.Env, p.Env, p.Env, p.Env, p.Env), fmt.Sprintf("%v %+v %#v", *p, *p, *p), fmt.Sprint(p.Env[0], &p.Env[0])} {
		if strings.Contains(text, canary) || !strings.Contains(text, masked) {
			t.Error(text)
		}
	}
	if got := p.Environ(nil); !slices.Contains(got, "KEY="+canary) {
		t.Errorf("the client gets %q", got)
	}
	var back map[string]any
	data, _ = json.Marshal(&Prepared{})
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"args", "skills", "inherited", "diagnostics"} {
		if _, ok := back[list].([]any); !ok {
			t.Errorf("%s is %v, want a list", list, back[list])
		}
	}
}

func TestH11_HomesAreFoundByTheirVariable(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("moved/config.toml", "model = \"moved\"\n")
	for name, c := range map[string]struct{ value, want string }{
		"named":     {s.path("moved"), "moved"},
		"unset":     {"", "docs"},
		"blank":     {" \t", "docs"},
		"a session": {filepath.Join(s.prepare(s.session("other")).Dir, "prop"), "docs"},
	} {
		t.Run(name, func(t *testing.T) {
			h := s.open(func(c2 *Config) { c2.Environ = []string{"PROP_HOME=" + c.value} }, prop{provider: "prop"})
			ses := s.session("one " + name)
			p, err := h.Prepare(t.Context(), ses)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.read(filepath.Join(p.Dir, "prop/config.toml")); !strings.Contains(got, c.want) {
				t.Errorf("config is %q", got)
			}
			nested := slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "home_of_session" })
			if nested != (name == "a session") {
				t.Errorf("diagnostics %v", p.Diagnostics)
			}
		})
	}
}

func TestIdentityIsTheHostsOwn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, prefix := range []string{"A B", "PATH=", "lower", "1X", "X\n", strings.Repeat("X", 80)} {
		_, err := New(t.Context(), Config{StateDir: s.state, Home: s.home, Identity: Identity{EnvPrefix: prefix}})
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("prefix %q: %v, want %v", prefix, err, ErrInvalid)
		}
	}
	claims := prop{provider: "prop", describe: func(d *preparer.Descriptor) { d.Env = append(d.Env, "TUTTI_*") },
		extra: func(_ preparer.Request, l *preparer.Layout) { l.Set("TUTTI_AGENT_SESSION_ID", preparer.S("other")) }}
	_, err := s.open(nil, claims).Prepare(t.Context(), s.session("one"))
	if !errors.Is(err, ErrLayoutRefused) {
		t.Errorf("an adapter that says who the session is: %v, want %v", err, ErrLayoutRefused)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
