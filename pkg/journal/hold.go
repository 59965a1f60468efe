package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mayi/pkg/journal/entry"
)

// oldTitle begins a head file as mayi wrote it before there was a journal.
const oldTitle = "mayi audit log\n"

// End is a place in the chain: the number of records and the last one's hash.
type End struct {
	Seq  int64
	Hash string
}

// Held is the log's files beside a database while this process alone may
// change them: everybody who writes to the log, with the database or without,
// holds them. It is for one goroutine.
type Held struct {
	path  string
	head  *os.File // nil: there is none
	lines *os.File // nil: not opened yet
	text  []byte   // what the head file says

	key    Key
	keyErr error

	state    State
	stateErr error

	// Filled in by Resume and Replay: where the log ends, where the next line
	// goes, and what a loss of power took.
	end  End
	at   int64
	lost int64
}

func headFile(path string) string { return path + ".head" }
func lineFile(path string) string { return path + ".pending" }

// Hold takes the files beside the database in the file path. It waits for
// others until ctx ends, at most as long as wait. Where there is no log yet,
// create says whether there shall be one; else the Held holds nothing.
func Hold(ctx context.Context, path string, wait time.Duration, create bool) (*Held, error) {
	h := &Held{path: path}
	for deadline := time.Now().Add(wait); ; {
		f, err := openHead(path, create)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		same, err := take(ctx, f, headFile(path), deadline)
		if same {
			h.head = f
			break
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	if err := h.load(); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// openHead opens the head file, making it where no log was begun yet. A key
// without a head is a log whose head was removed: nothing is made then.
func openHead(path string, create bool) (*os.File, error) {
	f, err := openFile(headFile(path), os.O_RDWR)
	switch {
	case errors.Is(err, fs.ErrNotExist) && create && !exists(keyFile(path)):
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		return openFile(headFile(path), os.O_RDWR|os.O_CREATE)
	case errors.Is(err, fs.ErrPermission) && !create:
		return openFile(headFile(path), os.O_RDONLY)
	}
	return f, err
}

// take locks f, and reports whether it still is the file of that name.
func take(ctx context.Context, f *os.File, name string, deadline time.Time) (bool, error) {
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		ok, err := tryLock(f)
		if err != nil {
			return false, err
		}
		if ok {
			break
		}
		if time.Now().After(deadline) {
			return false, fmt.Errorf("%s: %w", name, ErrLocked)
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
	}
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, now), err
}

// load reads the key and the head file.
func (h *Held) load() (err error) {
	if h.key, h.keyErr = loadKey(h.path); h.keyErr != nil && !errors.Is(h.keyErr, fs.ErrNotExist) {
		h.keyErr = fmt.Errorf("the log's key %s is unusable: %w", keyFile(h.path), h.keyErr)
	}
	if h.head != nil {
		if h.text, err = readSmall(h.head); err != nil {
			return err
		}
	}
	switch {
	case len(h.text) == 0:
		h.stateErr = fmt.Errorf("the head file %s is missing or empty", headFile(h.path))
	case h.Old() != "":
		h.stateErr = errors.New("the head file is of an older mayi")
	case !bytes.HasPrefix(h.text, []byte(stateTitle)):
		h.stateErr = fmt.Errorf("the head file %s was changed: it is no head of an audit log", headFile(h.path))
	default:
		if h.state, err = decodeState(h.text, h.key); err != nil {
			h.stateErr = fmt.Errorf("the head file %s was changed: %w", headFile(h.path), err)
		}
	}
	return nil
}

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
	h.lines, err = openFile(lineFile(h.path), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) && create {
		h.lines, err = openFile(lineFile(h.path), os.O_RDWR|os.O_CREATE)
		return true, err
	}
	if errors.Is(err, fs.ErrPermission) && !create {
		h.lines, err = openFile(lineFile(h.path), os.O_RDONLY)
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
