//go:build !cgo && (amd64 || arm64)

package sandbox

// canFork says that a fork gets along without the memory that was allocated.
const canFork = true
