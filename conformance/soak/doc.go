// Package soak lets several hosts work on one state directory for a while, with sessions that come and go in every order,
// and drives many agents at once that are killed at random. Then it looks for what was left: files, records, processes, descriptors, changes of the user's. It holds tests only,
// which run where GREENROOM_SOAK says for how long (make soak).
package soak
