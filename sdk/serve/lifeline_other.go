//go:build !unix

package serve

const parentChanges = false

func closeOnExec(int) {}

func isPipe(int) bool { return false }
