package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mayi/internal/filelock"
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
	// readOnly: the journal could only be opened to be read.
	readOnly bool

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
	f, err := filelock.Open(headFile(path), os.O_RDWR)
	switch {
	case errors.Is(err, fs.ErrNotExist) && create && !exists(keyFile(path)):
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		return filelock.Open(headFile(path), os.O_RDWR|os.O_CREATE)
	case onlyRead(err) && !create:
		return filelock.Open(headFile(path), os.O_RDONLY)
	}
	return f, err
}

// take locks f, and reports whether it still is the file of that name.
func take(ctx context.Context, f *os.File, name string, deadline time.Time) (bool, error) {
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 2*time.Millisecond) {
		ok, err := filelock.Try(f)
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
