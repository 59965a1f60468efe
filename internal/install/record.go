package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"mayi/pkg/workspace"
)

// record is what mayi remembers of one install: all that undoing it needs. The
// hook reads Command and each file's Real of it, too (see internal/hook).
type record struct {
	Agent   string `json:"agent"`
	Scope   Scope  `json:"scope"`
	Root    string `json:"root,omitempty"`
	Program string `json:"program"`
	// Command is the command line by which the agent calls the hook.
	Command string       `json:"command,omitempty"`
	Files   []fileRecord `json:"files"`
}

type fileRecord struct {
	// Path is the file's name, Real where it leads.
	Path string `json:"path"`
	Real string `json:"real"`
	// Existed, and with which text: Backup is a file beside the record, made
	// for the person as well.
	Existed bool   `json:"existed"`
	Backup  string `json:"backup,omitempty"`
	// After is the hash of the text that mayi wrote.
	After string `json:"after"`
	// Made are the folders that mayi made for it.
	Made []string `json:"made,omitempty"`
	Undo undo     `json:"undo"`
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// stateDir is the folder of the records.
func (p Places) stateDir() string { return filepath.Join(p.StateDir, "install") }

// recordFile names the record of one install.
func (p Places) recordFile(agent string, s Scope) string {
	name := agent + "." + string(s)
	if s == Project {
		name += "." + hashOf([]byte(p.Workspace))[:16]
	}
	return filepath.Join(p.stateDir(), name+".json")
}

// readRecord returns nil where nothing was installed. A record that cannot be
// read counts as none: mayi's entries are recognised without it.
func (p Places) readRecord(agent string, s Scope) *record {
	text, _, err := readFile(p.recordFile(agent, s))
	if err != nil || text == nil {
		return nil
	}
	var r record
	if json.Unmarshal(text, &r) != nil || r.Agent != agent {
		return nil
	}
	return &r
}

func (r *record) file(real string) *fileRecord {
	if r == nil {
		return nil
	}
	for i := range r.Files {
		if r.Files[i].Real == real {
			return &r.Files[i]
		}
	}
	return nil
}

func (p Places) writeRecord(r record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return p.keep(p.recordFile(r.Agent, r.Scope), append(text, '\n'))
}

// keep writes one of mayi's own files.
func (p Places) keep(file string, text []byte) error {
	real, err := workspace.Canonical(file)
	if err != nil {
		return err
	}
	if err := workspace.MkdirAll(filepath.Dir(real), 0o700); err != nil {
		return fmt.Errorf("it cannot be remembered: %w", err)
	}
	if err := workspace.WriteFile(real, text, 0o600); err != nil {
		return fmt.Errorf("it cannot be remembered: %w", err)
	}
	return nil
}

// forget removes the record and its backups.
func (p Places) forget(r *record) error {
	files := []string{p.recordFile(r.Agent, r.Scope)}
	for _, f := range r.Files {
		if f.Backup != "" {
			files = append(files, f.Backup)
		}
	}
	for _, name := range files {
		real, err := workspace.Canonical(name)
		if err != nil {
			return err
		}
		if err := workspace.Remove(real); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// backup keeps a text and returns the file's name.
func (p Places) backup(agent, real string, text []byte) (string, error) {
	name := filepath.Join(p.stateDir(), "backup", agent+"."+hashOf([]byte(real))[:8]+"."+hashOf(text)[:8]+"."+filepath.Base(real))
	return name, p.keep(name, text)
}
