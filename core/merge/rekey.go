package merge

import (
	"path/filepath"
	"strings"
)

// rekey renames the keys of tables that name something below RebaseTo, so that they name the same below Value.
func (e *editor) rekey(x *Edit) error {
	to, ok := x.Value.(string)
	if !ok || !filepath.IsAbs(to) || !filepath.IsAbs(x.RebaseTo) {
		return badEdit(e.env.Label, "edit %q of key %s without two absolute directories", x.Op, x.Path)
	}
	for _, p := range expand(e.tree, x.Path) {
		n, _ := find(e.tree, p)
		if e.tree.kind(n) != kindTable {
			continue
		}
		if err := e.rename(p, e.tree.keys(n), filepath.Clean(x.RebaseTo), filepath.Clean(to)); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) rename(p place, keys []string, from, to string) error {
	for _, key := range keys {
		rest, ok := strings.CutPrefix(key, from)
		if !ok || rest == "" || rest[0] != '/' && rest[0] != filepath.Separator {
			continue // another directory whose name begins alike
		}
		e.rekeyed = true
		old, renamed := p.then(step{key: key}), p.then(step{key: to + rest})
		n, _ := find(e.tree, old)
		if _, taken := find(e.tree, renamed); !taken {
			v := e.tree.plain(n)
			if err := checkValue(e.env.Label, e.format, v, len(renamed)); err != nil {
				return err
			}
			e.put(renamed, v)
		}
		e.delete([]place{old})
	}
	return nil
}
