package skill

import (
	"context"
	"time"
)

// Collect removes bundles that were published before a time and that no session leases, and gives their digests. leased
// answers the digests that are leased now. It is asked again once a bundle stands aside: one that was leased meanwhile is
// put back. A preparation therefore puts its bundle once more after it has recorded its lease, and one of the two sees
// the other, in whatever processes they are. When leased fails, nothing is removed.
func (s *Store) Collect(ctx context.Context, before time.Time, leased func() (map[string]bool, error)) (removed []string, err error) {
	return s.shelf.Collect(ctx, before, leased)
}
