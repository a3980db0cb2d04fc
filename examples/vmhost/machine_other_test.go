//go:build !linux

package vmhost_test

func machineMain() {}
