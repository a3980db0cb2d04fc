package merge

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"path/filepath"
	"sync"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// maxRemembered and maxSize bound a Memo: how many results it keeps, and the longest document whose result it keeps.
const (
	maxRemembered = 128
	maxSize       = 256 << 10
)

// Memo remembers what documents came to, by a digest of everything that a result depends on: sessions of one kind are
// made of the same few files. Errors are not remembered. What its methods answer is shared and must not be changed. A
// nil Memo remembers nothing, and the zero value is ready. It is safe for concurrent use.
type Memo struct {
	mu    sync.Mutex
	known map[memoKey]remembered
}

type memoKey [sha256.Size]byte

type remembered struct {
	data   []byte         // of Apply, InsertBlock and Encode
	moved  []string       // of Apply
	block  BlockRecord    // of InsertBlock
	values map[string]any // of Values and Parse
	looked []look
	// rekeyed says that the result depends on where a Rekey leads to, and is kept for each such place.
	rekeyed bool
}

// look is a question that Require asked of the disk. A result is good for as long as the answer is the same.
type look struct {
	path          string
	isDir, isFile bool
}

// Apply is the function of this name. Edits that hold a secret are not for a Memo.
//
// Where a Rekey leads to is another place for each session, and makes no difference where there is nothing to rename.
func (m *Memo) Apply(format preparer.Format, base []byte, edits []Edit, env Env) ([]byte, error) {
	if m == nil || len(base) > maxSize {
		return Apply(format, base, edits, env)
	}
	k := keyOf("apply", format, base)
	k.text(env.Base)
	k.value(env.Stat != nil)
	for i := range edits {
		if !k.edit(&edits[i]) {
			return Apply(format, base, edits, env)
		}
	}
	anywhere := k.sum()
	k.leads(edits)
	here := k.sum()
	r, ok := m.get(anywhere)
	if ok && r.rekeyed {
		r, ok = m.get(here)
	}
	if ok && stands(r.looked, env.Stat) {
		env.tell(r.moved)
		return r.data, nil
	}
	var looked []look
	if stat := env.Stat; stat != nil {
		env.Stat = func(path string) (bool, bool) {
			isDir, isFile := stat(path)
			looked = append(looked, look{path, isDir, isFile})
			return isDir, isFile
		}
	}
	o, err := carryOut(format, base, edits, env)
	if err != nil {
		return nil, err
	}
	if !o.rekeyed {
		here = anywhere
	} else {
		m.put(anywhere, remembered{rekeyed: true})
	}
	m.put(here, remembered{data: o.data, moved: o.moved, looked: looked})
	env.tell(o.moved)
	return o.data, nil
}

// stands says whether the disk still answers as it did.
func stands(looked []look, stat func(string) (bool, bool)) bool {
	for _, l := range looked {
		if isDir, isFile := stat(l.path); isDir != l.isDir || isFile != l.isFile {
			return false
		}
	}
	return true
}

// InsertBlock is the function of this name.
func (m *Memo) InsertBlock(current []byte, existed bool, marker Marker, text string) ([]byte, BlockRecord, error) {
	if m == nil || len(current)+len(text) > maxSize {
		return InsertBlock(current, existed, marker, text)
	}
	k := keyOf("block", "", current)
	k.value(existed)
	k.text(marker.ID)
	k.text(text)
	key := k.sum()
	if r, ok := m.get(key); ok {
		return r.data, r.block, nil
	}
	data, record, err := InsertBlock(current, existed, marker, text)
	if err != nil {
		return nil, record, err
	}
	m.put(key, remembered{data: data, block: record})
	return data, record, nil
}

// Encode is the function of this name. A document that holds a secret is not for a Memo.
func (m *Memo) Encode(format preparer.Format, root map[string]any) ([]byte, error) {
	if m == nil {
		return Encode(format, root)
	}
	k := keyOf("encode", format, nil)
	if !k.value(root) {
		return Encode(format, root)
	}
	key := k.sum()
	if r, ok := m.get(key); ok {
		return r.data, nil
	}
	data, err := Encode(format, root)
	if err != nil {
		return nil, err
	}
	if len(data) <= maxSize {
		m.put(key, remembered{data: data})
	}
	return data, nil
}

// Values is the function of this name.
func (m *Memo) Values(format preparer.Format, data []byte, paths []preparer.KeyPath, label string) (map[string]any, error) {
	if m == nil || len(data) > maxSize {
		return Values(format, data, paths, label)
	}
	k := keyOf("values", format, data)
	for _, p := range paths {
		k.texts(p)
	}
	return m.read(k.sum(), func() (map[string]any, error) { return Values(format, data, paths, label) })
}

// Parse is the function of this name.
func (m *Memo) Parse(format preparer.Format, data []byte, label string) (map[string]any, error) {
	if m == nil || len(data) > maxSize {
		return Parse(format, data, label)
	}
	k := keyOf("parse", format, data)
	return m.read(k.sum(), func() (map[string]any, error) { return Parse(format, data, label) })
}

func (m *Memo) read(key memoKey, f func() (map[string]any, error)) (map[string]any, error) {
	if r, ok := m.get(key); ok {
		return r.values, nil
	}
	values, err := f()
	if err != nil {
		return nil, err
	}
	m.put(key, remembered{values: values})
	return values, nil
}

func (m *Memo) get(key memoKey) (remembered, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.known[key]
	return r, ok
}

func (m *Memo) put(key memoKey, r remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = make(map[memoKey]remembered)
	}
	if len(m.known) >= maxRemembered {
		clear(m.known)
	}
	m.known[key] = r
}

// keyBuilder writes what a result depends on, each part with its kind or length in front, so that no two inputs are
// written alike. The document itself stands in it by its digest.
type keyBuilder struct{ buf []byte }

func keyOf(what string, format preparer.Format, data []byte) *keyBuilder {
	k := &keyBuilder{make([]byte, 0, 1024)}
	k.text(what)
	k.text(string(format))
	sum := sha256.Sum256(data)
	k.buf = append(k.buf, sum[:]...)
	return k
}

func (k *keyBuilder) sum() memoKey { return sha256.Sum256(k.buf) }

func (k *keyBuilder) number(n uint64) { k.buf = binary.AppendUvarint(k.buf, n) }

func (k *keyBuilder) text(s string) {
	k.number(uint64(len(s)))
	k.buf = append(k.buf, s...)
}

func (k *keyBuilder) texts(list []string) {
	k.number(uint64(len(list)))
	for _, s := range list {
		k.text(s)
	}
}

// edit writes an edit, but not where a Rekey leads to. ok is false for a value of a kind that this package does not
// know.
func (k *keyBuilder) edit(x *Edit) (ok bool) {
	k.text(string(x.Op))
	k.texts(x.Path)
	k.texts(x.Names)
	k.text(string(x.List))
	k.text(x.Unique)
	k.text(x.RebaseTo)
	k.text(x.Target)
	if x.Op == preparer.OpRekey {
		to, ok := x.Value.(string)
		return ok && filepath.IsAbs(to) && k.value(x.Head) && k.value(x.Items)
	}
	return k.value(x.Head) && k.value(x.Value) && k.value(x.Items)
}

// leads writes where every Rekey leads to.
func (k *keyBuilder) leads(edits []Edit) {
	for i := range edits {
		if edits[i].Op == preparer.OpRekey {
			k.value(edits[i].Value)
		}
	}
}

func (k *keyBuilder) value(v any) (ok bool) {
	switch v := v.(type) {
	case nil:
		k.buf = append(k.buf, 'n')
	case string:
		k.buf = append(k.buf, 's')
		k.text(v)
	case bool:
		k.buf = append(k.buf, 'f')
		if v {
			k.buf[len(k.buf)-1] = 't'
		}
	case int64:
		k.buf = append(k.buf, 'i')
		k.number(uint64(v))
	case float64:
		k.buf = append(k.buf, 'd')
		k.number(math.Float64bits(v))
	case []any:
		k.buf = append(k.buf, 'l')
		k.number(uint64(len(v)))
		for _, item := range v {
			if !k.value(item) {
				return false
			}
		}
	case map[string]any:
		k.buf = append(k.buf, 'o')
		k.number(uint64(len(v)))
		for _, key := range sortedKeys(v) {
			k.text(key)
			if !k.value(v[key]) {
				return false
			}
		}
	default:
		return false
	}
	return true
}
