// Package access is the model access of one data directory: the store of plans and agents, the keys that their credentials
// are sealed with, and the checks of their endpoints. The command line and the API are built on it.
//
// A data directory belongs to one user. It holds greenroom.db and key, both mode 0600. A credential leaves it in three
// ways: to the endpoint in a check, to a session that is bound to the plan, and to a gateway that stands before one.
package access
