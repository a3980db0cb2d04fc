package gateway

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// readBody reads a request's body whole and decoded. The size is counted after decoding.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, patience time.Duration) ([]byte, *responses.Error) {
	rc := http.NewResponseController(w)
	var src io.Reader = &patientReader{src: r.Body, rc: rc, patience: patience}
	size := r.ContentLength
	switch encoding := contentEncoding(r.Header); encoding {
	case "":
		if size > limit {
			lingerOver(rc)
			return nil, errTooLarge()
		}
	default:
		dec, err := decoder(encoding, src, limit)
		if err != nil {
			lingerOver(rc)
			return nil, refusal(http.StatusBadRequest, codeEncoding,
				"The request's Content-Encoding is not gzip or zstd, or its data is broken")
		}
		defer dec.Close()
		src, size = dec, -1
	}
	body, err := readAll(src, size, limit)
	if err == nil {
		// The deadline must not outlive the body: the server watches the connection by reading from it.
		_ = rc.SetReadDeadline(time.Time{})
		return body, nil
	}
	lingerOver(rc)
	var timeout net.Error
	switch {
	case errors.Is(err, errOverLimit), errors.Is(err, zstd.ErrDecoderSizeExceeded),
		errors.Is(err, zstd.ErrWindowSizeExceeded):
		return nil, errTooLarge()
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil, refusal(http.StatusRequestTimeout, codeBodyTimeout, "The request's body did not arrive")
	}
	return nil, refusal(http.StatusBadRequest, responses.CodeInvalidRequest, "The request's body cannot be read")
}

// linger is how long the server reads what is left of a request that was refused, so that the client sees the answer.
const linger = time.Second

func lingerOver(rc *http.ResponseController) { _ = rc.SetReadDeadline(time.Now().Add(linger)) }

var errOverLimit = errors.New("gateway: over the limit")

// readAll reads to the end, with one allocation if the size is known; size is -1 if not.
func readAll(src io.Reader, size, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	if size >= 0 && size <= limit {
		// bytes.MinRead more, so that the read that finds the end does not make the buffer grow.
		buf.Grow(int(size) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(io.LimitReader(src, limit+1)); err != nil {
		return nil, err
	}
	if int64(buf.Len()) > limit {
		return nil, errOverLimit
	}
	return buf.Bytes(), nil
}

// contentEncoding gives the encoding, "" for none. Several of them are no encoding that decoder knows.
func contentEncoding(h http.Header) string {
	e := strings.ToLower(strings.TrimSpace(strings.Join(h["Content-Encoding"], ",")))
	if e == "identity" {
		return ""
	}
	return e
}

// decoder decodes gzip and zstd. It never needs more memory than limit for one window.
func decoder(encoding string, src io.Reader, limit int64) (io.ReadCloser, error) {
	switch encoding {
	case "gzip", "x-gzip":
		return gzip.NewReader(src)
	case "zstd":
		d, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20),
			zstd.WithDecoderMaxMemory(uint64(max(limit, 1<<20))+1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, errors.New("gateway: unknown content encoding")
}

// patientReader gives up when no byte comes for a while, not when the whole takes long.
type patientReader struct {
	src      io.Reader
	rc       *http.ResponseController
	patience time.Duration
	armed    time.Time
}

func (p *patientReader) Read(b []byte) (int, error) {
	if now := time.Now(); now.Sub(p.armed) > p.patience/16 {
		p.armed = now
		_ = p.rc.SetReadDeadline(now.Add(p.patience))
	}
	return p.src.Read(b)
}
