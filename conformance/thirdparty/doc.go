// Package thirdparty shows that an adapter which imports nothing but the sdk, examples/provider, is prepared by the host
// like any other: in a process of its own, with a block in the workspace. It holds tests only.
package thirdparty
