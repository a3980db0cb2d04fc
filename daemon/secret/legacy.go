package secret

import "crypto/sha256"

// Legacy says what the keys of earlier installations were made of.
type Legacy struct {
	// Secret is the value of the variable that they were made of when it was set.
	Secret string
	// Host and ConfigDir are the name of the machine and the user's configuration directory, which they were made of
	// otherwise.
	Host, ConfigDir string
}

// WithLegacy gives a ring that also opens what was sealed by earlier installations: without a version, bound to nothing,
// with a key that is the SHA-256 of a secret or of names. Nothing is sealed that way.
func (r *Ring) WithLegacy(all ...Legacy) (*Ring, error) {
	made := &Ring{random: r.random, keys: r.keys, legacy: r.legacy[:len(r.legacy):len(r.legacy)]}
	for _, l := range all {
		var of []string
		if l.Secret != "" {
			of = append(of, l.Secret)
		}
		if l.Host != "" || l.ConfigDir != "" {
			of = append(of, "tutti-managed-credentials:"+l.Host+":"+l.ConfigDir)
		}
		for _, text := range of {
			sum := sha256.Sum256([]byte(text))
			aead, err := seal(sum[:])
			if err != nil {
				return nil, err
			}
			made.legacy = append(made.legacy, aead)
		}
	}
	return made, nil
}
