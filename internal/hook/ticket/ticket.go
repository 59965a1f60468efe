// Package ticket keeps what a hook has decided about a command until the
// command is run: which text, for whom, where, under which policy. A ticket has
// a name that nobody can guess, is good for one run, and ends after minutes.
//
// Tickets are files that only the person can read, below mayi's own state,
// which no agent may write. Claiming one is renaming it: of any number of
// claims at the same time exactly one has it.
package ticket

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mayi/pkg/gate"
)

// Life is how long a ticket can be used after it was issued. An agent may show
// the command to the person before it runs it.
const Life = 15 * time.Minute

// Ticket is one command that was decided about.
type Ticket struct {
	ID string `json:"id"`
	// Agent and Session are whose command it is.
	Agent   string `json:"agent"`
	Session string `json:"session"`
	// Text is what runs, Line the whole command that the agent was given for it.
	Text string `json:"text"`
	Line string `json:"line"`
	// Dir is the canonical folder that it has to run in.
	Dir string `json:"dir"`
	// Search is the PATH that the command was decided under.
	Search string `json:"search,omitempty"`
	// Place is what the gate was opened for: the call's folder, the agent's.
	Cwd       string          `json:"cwd"`
	Root      string          `json:"root,omitempty"`
	Workspace string          `json:"workspace,omitempty"`
	Override  json.RawMessage `json:"override,omitempty"`
	// Policy is the version of the policy that decided.
	Policy string `json:"policy"`
	// Begun: the gate has let the call begin, under the record's Number. Asked: a
	// person is asked first, by the agent.
	Begun  bool  `json:"begun"`
	Number int64 `json:"number,omitempty"`
	Asked  bool  `json:"asked"`
	// Verdict is the decision that the run is held to.
	Verdict gate.Verdict `json:"verdict"`
	Expires time.Time    `json:"expires"`
}

// The reasons why a ticket cannot be used.
var (
	// ErrNone: it never was, was used, or has ended.
	ErrNone = errors.New("there is no such ticket: it was used, has ended, or never was")
	// ErrReadOnly: the folder of tickets cannot be written from here.
	ErrReadOnly = errors.New("tickets cannot be used up from here")
)

// NewID returns a name that nobody can guess.
func NewID() string { return rand.Text() }

// Put keeps t in dir until it is claimed.
func Put(dir string, t Ticket) error {
	file, err := path(dir, t.ID)
	if err != nil {
		return err
	}
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("the ticket cannot be written: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the folder of tickets cannot be made: %w", err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("the ticket cannot be written: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file)
		return fmt.Errorf("the ticket cannot be written: %w", err)
	}
	return nil
}

// Find returns a ticket without using it up.
func Find(dir, id string, now time.Time) (Ticket, error) {
	file, err := path(dir, id)
	if err != nil {
		return Ticket{}, err
	}
	return read(file, id, now)
}

// Claim returns a ticket and uses it up. Of any number of claims exactly one
// gets it, the others [ErrNone]. [ErrReadOnly] means that this process is kept
// from writing there, as inside another sandbox.
func Claim(dir, id string, now time.Time) (Ticket, error) {
	file, err := path(dir, id)
	if err != nil {
		return Ticket{}, err
	}
	used := file + ".used"
	switch err := os.Rename(file, used); {
	case errors.Is(err, fs.ErrNotExist):
		return Ticket{}, ErrNone
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return Ticket{}, ErrReadOnly
	case err != nil:
		return Ticket{}, fmt.Errorf("the ticket cannot be used: %w", err)
	}
	defer os.Remove(used)
	return read(used, id, now)
}

func read(file, id string, now time.Time) (Ticket, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Ticket{}, ErrNone
	}
	if err != nil {
		return Ticket{}, fmt.Errorf("the ticket cannot be read: %w", err)
	}
	var t Ticket
	if err := json.Unmarshal(data, &t); err != nil {
		return Ticket{}, fmt.Errorf("the ticket cannot be read: %w", err)
	}
	if t.ID != id || !now.Before(t.Expires) {
		return Ticket{}, ErrNone
	}
	return t, nil
}

// path is the file of a ticket. Only a name as [NewID] makes it has one.
func path(dir, id string) (string, error) {
	if dir == "" || len(id) < 20 || len(id) > 64 || strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return "", ErrNone
	}
	return filepath.Join(dir, id), nil
}

// Sweep removes tickets that have ended. It is no duty of the path that calls
// wait for; errors leave them for the next sweep.
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
