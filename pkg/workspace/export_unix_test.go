//go:build unix

package workspace

import "os"

// WalkPath opens a path for reading in the way that is for old kernels.
func WalkPath(real string) (int, error) {
	return walkPath(real, os.O_RDONLY|openFlags, 0)
}
