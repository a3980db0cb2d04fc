package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/rtk"
)

// request holds the flags that say which session is wanted.
type request struct {
	cwd       string
	workspace string
	session   string
	inherit   []string
	saver     bool
	worker    string
	unsigned  bool
	rtk       string
	trust     string
}

func (r *request) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.cwd, "cwd", "", "`DIR` that the agent works in (default: here)")
	f.StringVar(&r.workspace, "workspace", "", "`ID` of the workspace (default: made of the directory)")
	f.StringVar(&r.session, "session", "", "`ID` of the session, an existing one to prepare it again (default: a new one)")
	f.StringArrayVar(&r.inherit, "inherit", nil, inheritHelp)
	r.unrecorded(cmd)
	completeWith(cmd, "inherit", "desktop", "automation", "instructions=", "skills=", "mcp_servers=", "hooks=", "plugins=", "memories=", "model_settings=")
}

// unrecorded are the flags for what a session does not remember of how it was prepared.
func (r *request) unrecorded(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&r.saver, "saver", false, "have the client hand work to a worker on a model that costs less, where it can")
	f.StringVar(&r.worker, "saver-model", "", "`ID` of the worker's model (default: the client's choice, or the endpoint's default)")
	f.StringVar(&r.rtk, "rtk", "", "have commands run through this rtk; a session keeps the `FILE` that it began with")
	trustFlag(cmd, &r.trust)
	f.BoolVar(&r.unsigned, "unsafe-unsigned", false, "use the extension that was installed without being signed by anybody")
}

func (a *app) sessionOf(ctx context.Context, r request, provider string) (core.Session, error) {
	inherit, err := parseInherit(r.inherit)
	if err != nil {
		return core.Session{}, err
	}
	s := core.Session{Provider: a.named(ctx, provider, r.unsigned), Cwd: a.Cwd, Workspace: r.workspace, ID: r.session, Inherit: inherit}
	if r.saver || r.worker != "" {
		s.Saver = &core.Saver{Model: r.worker}
	}
	if r.rtk != "" {
		if a.rtk, err = pinnedProgram(ctx, a.abs(r.rtk)); err != nil {
			return core.Session{}, err
		}
		s.RTK = true
	}
	if r.cwd != "" {
		s.Cwd = a.abs(r.cwd)
	}
	// Core says the same, and no path; here the person should see what their words came to.
	if info, err := os.Stat(s.Cwd); err != nil || !info.IsDir() {
		return core.Session{}, refuse(string(core.ErrCwdMissing), "name a directory that exists; it is never made",
			"%s does not exist or is no directory", cmp.Or(s.Cwd, "the working directory"))
	}
	if s.TrustWorkspace, err = a.workspaceTrust(r.trust, s.Cwd); err != nil {
		return core.Session{}, err
	}
	if s.Workspace == "" {
		s.Workspace = workspaceOf(s.Cwd)
	}
	if s.ID == "" {
		if s.ID, err = randomID(a.Rand); err != nil {
			return core.Session{}, err
		}
	}
	return s, a.extend(ctx, &s, r.unsigned)
}

// pinnedProgram is a file that a person named, pinned by what it is now.
func pinnedProgram(ctx context.Context, file string) (rtk.Artefact, error) {
	pinned, err := rtk.Pin(ctx, file, runtime.GOOS == "windows")
	var e *core.Error
	if errors.As(err, &e) {
		return rtk.Artefact{}, refuse(string(e.Code), e.Hint, "--rtk %q: %s", file, e.Detail)
	}
	return pinned, err
}

// workspaceOf is a name for the sessions of one directory: its own name, for people, and a digest of its whole path,
// so that two directories of one name differ.
func workspaceOf(cwd string) string {
	sum := sha256.Sum256([]byte(cwd))
	return strings.ToValidUTF8(filepath.Base(cwd), "_") + "-" + hex.EncodeToString(sum[:4])
}

// randomID is a new id: ten characters that are easy to read out and to type.
func randomID(random io.Reader) (string, error) {
	b := make([]byte, 6)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", err
	}
	alphabet := base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)
	return alphabet.EncodeToString(b), nil
}
