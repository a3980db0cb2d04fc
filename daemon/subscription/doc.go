// Package subscription asks the vendor's own client of a protocol, in the check of a plan that is a subscription of that
// vendor: whether the client can be started, has a login, which models it tells, and whether one of them answers.
//
// It prepares a session on the client's own login in an empty directory, drives it with every permission denied, and takes
// it away with its transcript. It reads and keeps no credential. Which client it is the descriptors say, one for each
// protocol; the package names none. Of a process that is killed meanwhile the session stays, in the workspace plan-check, until
// it is cleaned up, and so does the empty directory.
package subscription
