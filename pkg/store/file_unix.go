//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// ownable: files have permission bits that keep others out.
const ownable = true

// syncDir makes a rename in dir durable. File systems that cannot sync a
// directory say EINVAL.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
