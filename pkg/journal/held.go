package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mayi/internal/filelock"
	"mayi/pkg/journal/entry"
)

// Close gives the files back.
func (h *Held) Close() {
	for _, f := range []*os.File{h.lines, h.head} {
		if f != nil {
			f.Close()
		}
	}
	h.lines, h.head = nil, nil
}

// Fresh reports whether no log was begun: there is no key, and nothing that
// says that there were records.
func (h *Held) Fresh() bool {
	if !errors.Is(h.keyErr, fs.ErrNotExist) {
		return false
	}
	if old := h.Old(); old != "" {
		rest := bytes.SplitN([]byte(old), []byte("\n"), 4)
		return len(rest) == 4 && string(rest[2]) == "0"
	}
	return len(h.text) == 0 || h.stateErr == nil && h.state.Seq == 0
}

// Old is what an older mayi's head file says, "" where it is none.
func (h *Held) Old() string {
	if bytes.HasPrefix(h.text, []byte(oldTitle)) {
		return string(h.text)
	}
	return ""
}

// Key is the log's key.
func (h *Held) Key() (Key, error) {
	if errors.Is(h.keyErr, fs.ErrNotExist) {
		return h.key, fmt.Errorf("the log's key %s is missing", keyFile(h.path))
	}
	return h.key, h.keyErr
}

// State is what the head file says, with an error where that cannot be trusted.
func (h *Held) State() (State, error) {
	if _, err := h.Key(); err != nil {
		return State{}, err
	}
	return h.state, h.stateErr
}

// Start begins a log with the identity id in files that are [Held.Fresh]: first
// the head, then the key, so that a key without a head means that the head was
// removed.
func (h *Held) Start(id string) (err error) {
	if !validID(id) {
		return Tampered("%q is no identity of a log", id)
	}
	switch size, err := h.size(); {
	case err != nil:
		return err
	case size > 0:
		return Tampered("there are records in %s, but the log's key is gone", lineFile(h.path))
	}
	if h.key, err = newKey(); err != nil {
		return err
	}
	if err := h.put(State{ID: id, Hash: entry.NoHash}, true); err != nil {
		return err
	}
	h.keyErr = nil
	return writeDurably(keyFile(h.path), []byte(h.key.Private+"\n"))
}

// Adopt makes the end of a log that an older mayi wrote, all of whose records
// are in the database, the state.
func (h *Held) Adopt(id string, at End) error {
	if h.Old() == "" || !validID(id) {
		return Tampered("%q is no identity of a log", id)
	}
	return h.put(State{ID: id, Seq: at.Seq, Hash: at.Hash, Base: at.Seq, Synced: at.Seq}, true)
}

// put writes the head file.
func (h *Held) put(s State, durable bool) error {
	if h.head == nil {
		return Tampered("the head file %s is missing", headFile(h.path))
	}
	data := s.encode(h.key)
	if _, err := h.head.WriteAt(data, 0); err != nil {
		return err
	}
	if len(h.text) > stateSize {
		if err := h.head.Truncate(stateSize); err != nil {
			return err
		}
	}
	if durable {
		if err := h.syncHead(); err != nil {
			return err
		}
	}
	h.state, h.stateErr, h.text = s, nil, data
	return nil
}

func (h *Held) syncHead() error {
	if err := syncData(h.head); err != nil {
		return err
	}
	if len(h.text) == 0 { // it may just have been made
		return syncDir(filepath.Dir(h.path))
	}
	return nil
}

// open opens the journal; without create it may stay nil.
func (h *Held) open(create bool) (made bool, err error) {
	if h.lines != nil {
		return false, nil
	}
	h.lines, err = filelock.Open(lineFile(h.path), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) && create {
		h.lines, err = filelock.Open(lineFile(h.path), os.O_RDWR|os.O_CREATE)
		return true, err
	}
	if onlyRead(err) && !create {
		h.readOnly = true
		h.lines, err = filelock.Open(lineFile(h.path), os.O_RDONLY)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return false, err
}

// size is the journal's size in bytes, 0 where there is none.
func (h *Held) size() (int64, error) {
	if _, err := h.open(false); err != nil || h.lines == nil {
		return 0, err
	}
	info, err := h.lines.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Read returns the journal from the offset from on.
func (h *Held) Read(from int64) ([]byte, error) {
	size, err := h.size()
	if err != nil || size <= from {
		return nil, err
	}
	data := make([]byte, size-from)
	_, err = h.lines.ReadAt(data, from)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
