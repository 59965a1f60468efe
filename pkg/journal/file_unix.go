//go:build unix

package journal

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes a new name in dir durable. File systems that cannot sync a
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
