// Package store keeps plans, agents, what sessions are bound to, and how far their work is accepted, in SQLite, or in
// PostgreSQL for several daemons that share it.
//
// A plan is a head that names the current one of its revisions. A revision is never changed, but for its credential, which
// is taken out once no session is bound to it and a newer one is there. What a check of an endpoint found lies beside the
// revisions and makes none. A change names the revision that it was made from, and fails when another one came first. A
// plan that something uses cannot be deleted, which a key of the database guarantees too.
//
// Credentials are sealed by a [secret.Ring] before they are stored. One that cannot be opened makes its own plan say so and
// hides no other. A store is safe for concurrent use by several processes.
package store
