package skill

import (
	"bytes"
	"slices"
)

// Preview is what [Store.Put] would put into the store, without a store: the digest of the bundle, and its files by
// clean relative path, the directory of each skill first.
func Preview(set []Named) (digest string, files map[string][]byte, err error) {
	set = slices.Clone(set)
	slices.SortFunc(set, func(a, b Named) int { return bytes.Compare([]byte(a.Skill.ID), []byte(b.Skill.ID)) })
	c, err := assemble(set)
	if err != nil {
		return "", nil, err
	}
	return c.digest, c.files, nil
}
