package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mayi/internal/filelock"
)

// Marks tell which sessions may have answers in a database: a file for each, in
// a folder beside it, made before the first answer is committed and removed
// after the last one is gone. They count only while the folder has a stamp for
// this very database file, so that a copy that was put in its place is not
// taken for the one that they are about.
type Marks struct{ path string }

// NewMarks returns the marks beside the database in the file path.
func NewMarks(path string) Marks { return Marks{path: path} }

func (m Marks) folder() string { return m.path + ".sessions" }

func (m Marks) file(session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(m.folder(), hex.EncodeToString(sum[:]))
}

const stampName = "complete-"

// stamp is the stamp's file, "" where database files cannot be told apart.
func (m Marks) stamp() string {
	id := identity(m.path)
	if id == "" {
		return ""
	}
	return filepath.Join(m.folder(), stampName+id)
}

// May reports whether the session may have answers: it has a mark, or the marks
// are not known to be complete.
func (m Marks) May(session string) bool { return !m.Complete() || exists(m.file(session)) }

// Complete reports whether a missing mark means that there are no answers.
func (m Marks) Complete() bool {
	stamp := m.stamp()
	if stamp == "" {
		return false
	}
	_, err := os.Lstat(stamp)
	return err == nil
}

// Set marks the session, durably. Call it in the transaction that writes the
// answer, which keeps another process from removing the mark meanwhile.
func (m Marks) Set(session string) error {
	name := m.file(session)
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	return m.make(name)
}

func (m Marks) make(name string) error {
	if err := os.Mkdir(m.folder(), 0o700); err == nil {
		if err := syncDir(filepath.Dir(m.folder())); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := filelock.Open(name, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), syncDir(m.folder()))
}

// Finish states that every session with answers is marked.
func (m Marks) Finish() error {
	stamp := m.stamp()
	if stamp == "" {
		return nil
	}
	return m.make(stamp)
}

// Keep removes the marks of all sessions but those named. Call it in a
// transaction that may write and has seen that only they have answers.
func (m Marks) Keep(sessions []string) error {
	keep := map[string]bool{}
	for _, s := range sessions {
		keep[m.file(s)] = true
	}
	list, err := os.ReadDir(m.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	stamp := m.stamp()
	for _, e := range list {
		name := filepath.Join(m.folder(), e.Name())
		mark := len(e.Name()) == 2*sha256.Size && !keep[name]
		stale := strings.HasPrefix(e.Name(), stampName) && stamp != "" && name != stamp
		if mark || stale {
			err = errors.Join(err, os.Remove(name))
		}
	}
	return err
}
