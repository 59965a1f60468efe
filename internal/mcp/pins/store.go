package pins

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mayi/internal/filelock"
)

// Pin is one approved tool.
type Pin struct {
	Tool Tool `json:"tool"`
	// Fingerprint is that of the tool when it was approved.
	Fingerprint string    `json:"fingerprint"`
	Approved    time.Time `json:"approved"`
}

// book is the file of one server.
type book struct {
	Server string         `json:"server"`
	Tools  map[string]Pin `json:"tools"`
}

// Store keeps the approved tools of one server. Safe for concurrent use, also
// by several processes.
type Store struct {
	file     string
	identity string
	now      func() time.Time

	mu    sync.Mutex
	tools map[string]Pin
}

// Open reads what was approved of the server with this identity (its command
// line or URL) below the folder dir. A file that is there and cannot be read is
// an error: what was approved would be missed.
func Open(dir, identity string) (*Store, error) {
	if dir == "" {
		return nil, errors.New("there is no folder to remember approved tools in")
	}
	s := &Store{file: file(dir, identity), identity: identity, now: time.Now}
	b, err := read(s.file)
	if err != nil {
		return nil, err
	}
	s.tools = b.Tools
	return s, nil
}

func file(dir, identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".json")
}

func read(name string) (book, error) {
	b := book{Tools: map[string]Pin{}}
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	if err != nil {
		return b, fmt.Errorf("the record of approved tools cannot be read: %s: %w (remove the file to approve them anew)", name, err)
	}
	if b.Tools == nil {
		b.Tools = map[string]Pin{}
	}
	return b, nil
}

// Approved returns the tool as it was approved; false where it never was.
func (s *Store) Approved(name string) (Pin, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.tools[name]
	return p, ok
}

// Changed returns the tool as it was approved where t is not that tool any more.
func (s *Store) Changed(t Tool) (Pin, bool) {
	p, ok := s.Approved(t.Name)
	return p, ok && p.Fingerprint != t.Fingerprint()
}

// Approve remembers t as approved, in place of what was approved under its
// name before.
func (s *Store) Approve(t Tool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	pin := Pin{Tool: t, Fingerprint: t.Fingerprint(), Approved: s.now().UTC()}
	if old, ok := s.tools[t.Name]; ok && old.Fingerprint == pin.Fingerprint {
		return nil
	}
	err := s.change(func(b *book) { b.Tools[t.Name] = pin })
	if err != nil {
		return fmt.Errorf("remember the approved tool %s: %w", t.Name, err)
	}
	return nil
}

// change reads the file anew, changes it and writes it; mu is held.
func (s *Store) change(f func(*book)) error {
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	unlock, err := filelock.File(s.file + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	b, err := read(s.file)
	if err != nil {
		return err
	}
	b.Server = s.identity
	f(&b)
	raw, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	if err := replace(s.file, append(raw, '\n')); err != nil {
		return err
	}
	s.tools = b.Tools
	return nil
}

// replace puts data into the file as a whole.
func replace(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".pins-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
