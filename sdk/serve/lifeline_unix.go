//go:build unix

package serve

import "syscall"

// parentChanges says whether a process gets another parent when its own dies.
const parentChanges = true

// closeOnExec keeps the lifeline out of children, which would hold it open.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }
