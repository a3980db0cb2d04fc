//go:build unix

package serve

import "syscall"

// parentChanges says whether a process gets another parent when its own dies.
const parentChanges = true

// closeOnExec keeps the lifeline out of children, which would hold it open.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }

// isPipe looks before anything owns the descriptor: without a lifeline the number may be one of the Go runtime's, which
// an os.File would close some day.
func isPipe(fd int) bool {
	var st syscall.Stat_t
	if syscall.Fstat(fd, &st) != nil {
		return false
	}
	kind := st.Mode & syscall.S_IFMT
	return kind == syscall.S_IFIFO || kind == syscall.S_IFSOCK
}
