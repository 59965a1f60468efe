package workspace

import (
	"io/fs"
	"os"
)

// disk is what the resolver needs to know about a file system. The tests put
// another one in its place to bring about errors that a real disk rarely has.
type disk interface {
	// kind returns the type bits of the object at path, a link not followed.
	kind(path string) (fs.FileMode, error)
	readlink(path string) (string, error)
	// list returns up to limit entries of a directory, in no order, and whether
	// there are more.
	list(path string, limit int) (entries []fs.DirEntry, more bool, err error)
}

// memo is a disk that looks at every name once. Not safe for concurrent use.
type memo struct {
	disk
	seen map[string]look
}

// look is what a name was found to be.
type look struct {
	kind fs.FileMode
	err  error
}

func (m *memo) kind(path string) (fs.FileMode, error) {
	l, ok := m.seen[path]
	if !ok {
		l.kind, l.err = m.disk.kind(path)
		m.seen[path] = l
	}
	return l.kind, l.err
}

// osDisk is the machine's own file system.
type osDisk struct{}

func (osDisk) kind(path string) (fs.FileMode, error) { return kindOf(path) }

func (osDisk) readlink(path string) (string, error) { return os.Readlink(path) }

func (osDisk) list(path string, limit int) ([]fs.DirEntry, bool, error) {
	// A folder that is exchanged for a link or a FIFO meanwhile must neither lead
	// elsewhere nor make the decision wait.
	if err := canonicalForm("open", path); err != nil {
		return nil, false, err
	}
	return listNoLinks(path, limit)
}
