// Package socket is the door between the tool and a daemon of the same user on the same data directory: a Unix socket in
// that directory, which is the user's alone. A lock decides who listens on it, so that a socket that a killed daemon left is
// not taken for one that runs. Whoever connects is asked of the kernel: both ends hang up on another user's process, root's
// too. There is no such door where the kernel cannot be asked, as on Windows; the lock is there too.
package socket
