package ticket

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mayi/internal/filelock"
	"mayi/internal/hook/pack"
	"mayi/pkg/journal"
)

// A ticket's line is the state, the name, a space, and the rest in base64, so
// that nothing in a command can look like a line of its own. A line's end goes
// before it, too: one that was cut short takes no other along.
const (
	issued = '+'
	used   = '-'
)

// patience is how long a claim waits for the others.
const patience = 5 * time.Second

// Put keeps t in dir until it is claimed or ends.
func Put(dir string, t Ticket) error {
	if !valid(dir, t.ID) {
		return fmt.Errorf("the ticket cannot be written: %w", ErrNone)
	}
	data, err := pack.Marshal(t)
	if err != nil {
		return fmt.Errorf("the ticket cannot be written: %w", err)
	}
	line := make([]byte, 0, len(t.ID)+4+base64.StdEncoding.EncodedLen(len(data)))
	line = append(append(append(line, '\n', issued), t.ID...), ' ')
	line = append(base64.StdEncoding.AppendEncode(line, data), '\n')
	f, err := book(dir, t.Expires)
	if err != nil {
		return fmt.Errorf("the ticket cannot be written: %w", err)
	}
	_, err = f.Write(line)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("the ticket cannot be written: %w", err)
	}
	return nil
}

// book opens the file of the tickets that end at that time, to write behind what
// is there.
func book(dir string, expires int64) (*os.File, error) {
	const flags = os.O_WRONLY | os.O_APPEND
	name := file(dir, journal.BootID(), expires)
	f, err := filelock.Open(name, flags)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	Sweep(dir, time.Now()) // by the files' own times
	return filelock.Open(name, flags|os.O_CREATE)
}

// file is the name of the file of the tickets that end at that time. It names the
// run of the machine: that a ticket was used is not synced, so that after a loss
// of power none of before counts.
func file(dir, boot string, expires int64) string {
	return filepath.Join(dir, "until-"+strconv.FormatInt(expires/int64(Life)+1, 10)+"-"+boot)
}

// files are those that a ticket can be in that has not ended.
func files(dir string, now time.Time) []string {
	n, boot := now.UnixNano(), journal.BootID()
	return []string{file(dir, boot, n), file(dir, boot, n+int64(Life))}
}

// Find returns a ticket without using it up.
func Find(dir, id string, now time.Time) (Ticket, error) {
	if !valid(dir, id) {
		return Ticket{}, ErrNone
	}
	for _, name := range files(dir, now) {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Ticket{}, fmt.Errorf("the ticket cannot be read: %w", err)
		}
		if at := find(data, id); at >= 0 {
			return read(data[at:], id, now)
		}
	}
	return Ticket{}, ErrNone
}

// Claim returns a ticket and uses it up. Of any number of claims exactly one
// gets it, the others [ErrNone]. [ErrReadOnly] means that this process is kept
// from writing there, as inside another sandbox.
func Claim(dir, id string, now time.Time) (Ticket, error) {
	if !valid(dir, id) {
		return Ticket{}, ErrNone
	}
	for _, name := range files(dir, now) {
		t, found, err := claim(name, id, now)
		if found || err != nil {
			return t, err
		}
	}
	return Ticket{}, ErrNone
}

// claim is Claim in one file.
func claim(name, id string, now time.Time) (t Ticket, found bool, err error) {
	f, err := filelock.Open(name, os.O_RDWR)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Ticket{}, false, nil
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return Ticket{}, false, ErrReadOnly
	case err != nil:
		return Ticket{}, false, fmt.Errorf("the ticket cannot be used: %w", err)
	}
	defer f.Close()
	if err := hold(f); err != nil {
		return Ticket{}, false, fmt.Errorf("the ticket cannot be used: %w", err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return Ticket{}, false, fmt.Errorf("the ticket cannot be read: %w", err)
	}
	at := find(data, id)
	if at < 0 {
		return Ticket{}, false, nil
	}
	if _, err := f.WriteAt([]byte{used}, int64(at)); err != nil {
		return Ticket{}, false, fmt.Errorf("the ticket cannot be used: %w", err)
	}
	t, err = read(data[at:], id, now)
	return t, true, err
}

// hold waits for the file's lock.
func hold(f *os.File) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		ok, err := filelock.Try(f)
		if ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("another process holds %s", f.Name())
		}
	}
}

// find is where the ticket's line begins that has not been used, -1 for none.
func find(data []byte, id string) int {
	at := bytes.Index(data, []byte("\n"+string(issued)+id+" "))
	if at < 0 {
		return -1
	}
	return at + 1
}

// read reads the ticket at the beginning of data.
func read(data []byte, id string, now time.Time) (Ticket, error) {
	text, _, whole := bytes.Cut(data[len(id)+2:], []byte("\n"))
	if !whole {
		return Ticket{}, ErrNone
	}
	packed, err := base64.StdEncoding.AppendDecode(nil, text)
	var t Ticket
	if err == nil {
		err = pack.Unmarshal(packed, &t)
	}
	if err != nil {
		return Ticket{}, fmt.Errorf("the ticket cannot be read: %w", err)
	}
	if t.ID != id || now.UnixNano() >= t.Expires {
		return Ticket{}, ErrNone
	}
	return t, nil
}

// valid reports whether the name is one as [NewID] makes it.
func valid(dir, id string) bool {
	return dir != "" && len(id) >= 20 && len(id) <= 64 && strings.Trim(id, letters) == ""
}

// Sweep removes the files whose tickets have ended. It is no duty of the path
// that calls wait for; errors leave them for the next sweep.
func Sweep(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && now.Sub(fi.ModTime()) > Life {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
