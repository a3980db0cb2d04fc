package extension

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// MaxArchive is how many bytes an archive may have.
const MaxArchive = MaxTotal + 1<<20

// ReadZip reads the package in a zip file, by its path. The rules are those of a directory.
func ReadZip(ctx context.Context, file string) (*Content, error) {
	data, _, err := fsroot.ReadInput(file, MaxArchive)
	if errors.Is(err, fsroot.ErrTooLarge) {
		return nil, refuse("archive", fmt.Sprintf("has more than %d bytes", MaxArchive))
	}
	if err != nil {
		return nil, unreadable(err)
	}
	return ParseZip(ctx, data)
}

// ParseZip is [ReadZip] for an archive in memory.
func ParseZip(ctx context.Context, data []byte) (*Content, error) {
	// The number of entries stands at the end, so that a hundred thousand of them are refused before they are listed.
	if n, ok := entries(data); !ok || n > 2*MaxFiles {
		return nil, refuse("archive", fmt.Sprintf("is no zip file, or holds more than %d entries", 2*MaxFiles))
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, refuse("archive", "is no zip file that can be read")
	}
	if len(r.File) > 2*MaxFiles {
		return nil, refuse("archive", "holds too many entries")
	}
	b := newBuilder()
	for _, f := range r.File {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := b.addEntry(f); err != nil {
			return nil, err
		}
	}
	return b.content()
}

// entries is the number of entries that the end of a zip file names, from its specification (APPNOTE 4.3.16).
func entries(data []byte) (int, bool) {
	const size, most = 22, 22 + 1<<16
	tail := data[max(0, len(data)-most):]
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || len(tail)-i < size {
		return 0, false
	}
	return int(tail[i+10]) | int(tail[i+11])<<8, true
}

func (b *builder) addEntry(f *zip.File) error {
	mode := f.Mode()
	if name, dir := strings.CutSuffix(f.Name, "/"); dir {
		if bad := badPath(name); bad != "" {
			return refuseFile(f.Name, bad)
		}
		if f.UncompressedSize64 != 0 {
			return refuseFile(f.Name, "is a directory with content")
		}
		return nil
	}
	switch {
	case mode&fs.ModeSymlink != 0:
		return refuseFile(f.Name, "is a link")
	case !mode.IsRegular():
		return refuseFile(f.Name, "is no regular file")
	case mode&0o111 != 0:
		return refuseFile(f.Name, "is executable")
	case f.Flags&1 != 0:
		return refuseFile(f.Name, "is encrypted")
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return refuseFile(f.Name, "is packed in a way that is not known")
	case f.UncompressedSize64 > MaxTotal:
		return refuseFile(f.Name, fmt.Sprintf("has more than %d bytes", MaxFile))
	}
	size := int64(f.UncompressedSize64)
	if err := b.allow(f.Name, size); err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return refuseFile(f.Name, "cannot be unpacked")
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, size+1))
	if err != nil || int64(len(data)) != size {
		return refuseFile(f.Name, "is not what the archive says of it")
	}
	return b.add(f.Name, data)
}

// packedAt is the time of all files in an archive: equal packages are equal bytes.
var packedAt = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Zip is the content as a zip file, with its signature. Equal contents give equal bytes.
func (c *Content) Zip() ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name string, data []byte) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: packedAt}
		h.SetMode(0o644)
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	names := c.Names()
	if c.envelope != nil {
		names = append(names, SignatureFile)
		slices.Sort(names)
	}
	for _, name := range names {
		data := c.files[name]
		if name == SignatureFile {
			data = c.envelope
		}
		if err := add(name, data); err != nil {
			return nil, fault.Wrap(err, fault.Internal, "pack", "package: "+name, "it cannot be packed")
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
