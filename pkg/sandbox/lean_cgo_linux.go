//go:build cgo && (amd64 || arm64)

package sandbox

// canFork says that a fork gets along without the memory that was allocated.
// The C library has told the kernel of places in it (rseq) that the kernel
// writes to before the new process runs at all.
const canFork = false
