package core

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// trusting is a prop that files its trust as Codex and Kimi Code do, each in their way, and asks a person where it is told
// nothing.
func trusting(yes, no preparer.GateAnswer) prop {
	return prop{
		provider: "prop",
		describe: func(d *preparer.Descriptor) {
			d.Gates = append(preparer.Unanswered("login"), preparer.TrustGate("folder-trust", yes, no, preparer.Hooks, preparer.MCPServers))
		},
		extra: func(r preparer.Request, l *preparer.Layout) {
			at := preparer.Session("prop")
			l.Merge(at.Join("trust.toml"), preparer.TOML, []preparer.Base{preparer.FromInput("config"), preparer.Empty()},
				l.FileTrust(r, "prop.trust-withheld", "projects", "level", "trusted", "untrusted")...)
			if l.TakesProject(r, "prop.trust-withheld") {
				l.FileNamed(at.Join("trusted"), preparer.PathName{Prefix: "wd_", Slug: 8, Digest: 12}, preparer.Quote(preparer.JSON, preparer.Workspace(".").Value()))
			}
		},
	}
}

func (s *stage) codes(p *Prepared) (codes []string) {
	for _, d := range p.Diagnostics {
		codes = append(codes, d.Code)
	}
	return codes
}

// A workspace is trusted only where the host says so and who said it, and a host that says nothing says no. What the user
// told their own client about it is not taken over.
func TestH33_WorkspaceIsTrustedOnlyWhenSaid(t *testing.T) {
	t.Parallel()
	s := newStage(t, trusting(preparer.AnsweredByFile, preparer.NotAnswered))
	s.write("home/.prop/config.toml", "[projects.'"+s.cwd+"']\nlevel = \"trusted\"\n[projects.\"/elsewhere\"]\nlevel = \"trusted\"\n")
	for name, c := range map[string]struct {
		trust preparer.Trust
		want  string // in the client's file
		code  string
		gates []string
	}{
		"nothing said":      {preparer.NotTrusted, "untrusted", "workspace_not_trusted", []string{"login", "folder-trust"}},
		"the host made it":  {preparer.HostCreated, "trusted", "workspace_trusted", []string{"login"}},
		"the user said yes": {preparer.UserSaidYes, "trusted", "workspace_trusted", []string{"login"}},
	} {
		ses := s.session(name)
		ses.TrustWorkspace = c.trust
		p := s.prepare(ses)
		text := s.read(filepath.Join(p.Dir, "prop/trust.toml"))
		if strings.Contains(text, "/elsewhere") || strings.Count(text, "level =") != 1 || !strings.Contains(text, "level = '"+c.want+"'") ||
			!strings.Contains(text, "'"+s.cwd+"'") {
			t.Errorf("%s: the client's file is\n%s", name, text)
		}
		if _, err := os.Stat(filepath.Join(p.Dir, "prop/trusted")); (err == nil) != c.trust.Given() {
			t.Errorf("%s: the client's record of the workspace: %v", name, err)
		}
		if !slices.Contains(s.codes(p), c.code) {
			t.Errorf("%s: it says %v", name, s.codes(p))
		}
		if diff := cmp.Diff(c.gates, p.Gates()); diff != "" {
			t.Errorf("%s: gates %s", name, diff)
		}
	}
	bad := s.session("bad")
	bad.TrustWorkspace = "everybody"
	if _, err := s.host.Prepare(t.Context(), bad); CodeOf(err) != ErrInvalid {
		t.Errorf("an answer that is none: %v", err)
	}
}

// A session that was trusted once is not for ever: prepared again without, nothing of it is left.
func TestH33_TrustIsTakenBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, trusting(preparer.AnsweredByFile, preparer.AnsweredByFile))
	ses := s.session("one")
	ses.TrustWorkspace = preparer.UserSaidYes
	s.prepare(ses)
	ses.TrustWorkspace = preparer.NotTrusted
	p := s.prepare(ses)
	if text := s.read(filepath.Join(p.Dir, "prop/trust.toml")); !strings.Contains(text, "'untrusted'") {
		t.Errorf("the client's file is\n%s", text)
	}
	if names, err := os.ReadDir(filepath.Join(p.Dir, "prop/trusted")); err == nil && len(names) > 0 {
		t.Errorf("the client's record of the workspace is left: %v", names)
	}
	if diff := cmp.Diff([]string{"login"}, p.Gates()); diff != "" {
		t.Errorf("gates %s", diff)
	}
}

// A client files by the path that it was given or by the one that the system tells it: where a link is on the way, both
// are there. The name is made as the client makes it.
func TestWorkspaceIsFiledByBothOfItsPaths(t *testing.T) {
	t.Parallel()
	s := newStage(t, trusting(preparer.AnsweredByFile, preparer.AnsweredByFile))
	dir, err := filepath.EvalSymlinks(s.cwd)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(s.dir, "My Work (größer)")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("this system makes no links: ", err)
	}
	ses := s.session("linked")
	ses.Cwd, ses.TrustWorkspace = link, preparer.HostCreated
	p := s.prepare(ses)
	var want []string
	for slug, path := range map[string]string{"work": dir, "my-work": link} {
		sum := sha256.Sum256([]byte(filepath.ToSlash(path)))
		want = append(want, "wd_"+slug+"_"+hex.EncodeToString(sum[:6]))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, below(t, filepath.Join(p.Dir, "prop/trusted"))); diff != "" {
		t.Error(diff)
	}
	text := s.read(filepath.Join(p.Dir, "prop/trust.toml"))
	for _, path := range []string{dir, link} {
		if !strings.Contains(text, "'"+path+"'") {
			t.Errorf("%s is not in\n%s", path, text)
		}
	}
}

// An adapter from before there was trust is not told of it, and a session of its client is as it was.
func TestTrustIsToldWhereItMakesADifferenceOnly(t *testing.T) {
	t.Parallel()
	var told []preparer.Trust
	s := newStage(t, prop{provider: "prop", extra: func(r preparer.Request, _ *preparer.Layout) { told = append(told, r.Options.TrustWorkspace) }})
	ses := s.session("one")
	ses.TrustWorkspace = preparer.UserSaidYes
	p := s.prepare(ses)
	if diff := cmp.Diff([]preparer.Trust{preparer.NotTrusted}, told); diff != "" {
		t.Error(diff)
	}
	if codes := s.codes(p); slices.ContainsFunc(codes, func(c string) bool { return strings.HasPrefix(c, "workspace_") }) {
		t.Errorf("it says %v", codes)
	}
}

// With credentials of the host's in the session the project is not taken, whoever said yes, and the session says so.
func TestH33_NoTrustBesideCredentialsOfTheHost(t *testing.T) {
	t.Parallel()
	a, with := trusting(preparer.AnsweredByFile, preparer.AnsweredByFile), serving()
	describe, extra := a.describe, a.extra
	a.describe = func(d *preparer.Descriptor) { describe(d); with.describe(d) }
	a.extra = func(r preparer.Request, l *preparer.Layout) { extra(r, l); with.extra(r, l) }
	s := newStage(t, a)
	ses := served(s.session("one"), serverKey, "crm")
	ses.TrustWorkspace = preparer.UserSaidYes
	p := s.prepare(ses)
	if text := s.read(filepath.Join(p.Dir, "prop/trust.toml")); strings.Contains(text, "level") {
		t.Errorf("the client's file is\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "prop/trusted")); err == nil {
		t.Error("the workspace is trusted")
	}
	if !slices.Contains(s.codes(p), "prop.trust-withheld") {
		t.Errorf("it says %v", s.codes(p))
	}
}
