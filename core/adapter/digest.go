package adapter

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

func isDigest(s string) bool { return digestForm.MatchString(s) }

// verify takes the digest of the source's binary and holds it to the pin.
func verify(ctx context.Context, s Source) (string, error) {
	const op = "verify"
	if s.SHA256 == "" && !s.UnsafeAnyDigest {
		return "", fault.New(fault.AdapterDigest, op, s.label(), "no digest is pinned").
			WithHint("pin the SHA-256 of the binary, or allow any digest while developing")
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return "", unstartable(s, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fault.Wrap(err, fault.AdapterMissing, op, s.label(), "it is not a regular file")
	}
	h := sha256.New()
	if _, err := io.Copy(h, contextReader{ctx, f}); err != nil {
		return "", fault.Wrap(err, fault.AdapterMissing, op, s.label(), "it cannot be read")
	}
	got := hex.EncodeToString(h.Sum(nil))
	if !s.UnsafeAnyDigest && got != s.SHA256 {
		return "", fault.New(fault.AdapterDigest, op, s.label(),
			"the binary has SHA-256 "+got+", and "+s.SHA256+" is pinned").
			WithHint("install the pinned version again, or pin the new digest with `greenroom adapters pin` if you trust it")
	}
	return got, nil
}

// unstartable types the error of a binary that cannot be opened or executed.
func unstartable(s Source, err error) error {
	detail, hint := "it cannot be started", "check that the file is a program for this machine"
	switch {
	case busy(err):
		detail, hint = "the binary is being written", "try again when its installation has ended"
	case errors.Is(err, fs.ErrNotExist):
		detail, hint = "the binary does not exist", "install the adapter again"
	case errors.Is(err, fs.ErrPermission):
		detail, hint = "the binary may not be executed", "check its permissions"
	}
	return fault.Wrap(err, fault.AdapterMissing, "start", s.label(), detail).WithHint(hint)
}

// contextReader ends reading with its context, so that a stalled disk is bounded by the start timeout.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
