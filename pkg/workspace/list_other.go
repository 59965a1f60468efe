//go:build !linux

package workspace

import (
	"io"
	"io/fs"
	"os"
)

// listNoLinks returns up to limit entries of a directory, in no order, and
// whether there are more.
func listNoLinks(dir string, limit int) ([]fs.DirEntry, bool, error) {
	d, err := Open(dir, os.O_RDONLY, 0)
	if err != nil {
		return nil, false, err
	}
	defer d.Close()
	entries, err := d.ReadDir(limit + 1)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if len(entries) > limit {
		return entries[:limit], true, nil
	}
	return entries, false, nil
}
