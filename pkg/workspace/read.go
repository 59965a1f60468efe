package workspace

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
)

func sortEntries(entries []fs.DirEntry) {
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
}

// readAtMost reads a whole file, or nothing where it is larger than limit.
func readAtMost(f *os.File, name string, size, limit int64) ([]byte, error) {
	tooLarge := &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("larger than %d bytes", limit)}
	if size > limit {
		return nil, tooLarge
	}
	// The file may grow, and files in /proc have no size.
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, tooLarge
	}
	return data, nil
}
