package config

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

// trustRecord is what a person has trusted: one file, one content.
type trustRecord struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Project is a project's settings file as it is now.
type Project struct {
	// Path is the canonical path, Text the content.
	Path string
	Text []byte
	// Hash is the hash of Text: what [Trust] wants to be told.
	Hash string
	// Trusted: the person has trusted exactly this content.
	Trusted bool
}

// ReadProject returns the project's settings file. It returns nil where there
// is none.
func ReadProject(o Options) (*Project, error) {
	o = o.complete()
	if o.ProjectFile == "" {
		return nil, nil
	}
	text, real, err := readSettings(o.ProjectFile)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", o.ProjectFile, err)
	}
	if text == nil {
		return nil, nil
	}
	return &Project{Path: real, Text: text, Hash: hashOf(text), Trusted: trusted(o.StateDir, real, text)}, nil
}

// IsTrusted reports whether the project's settings file, as it is now, is
// trusted.
func IsTrusted(o Options) bool {
	p, err := ReadProject(o)
	return err == nil && p != nil && p.Trusted
}

// Trust remembers that the person trusts the project's settings file with the
// content that has this hash (see [ReadProject]). Where the file has changed
// since it was shown, nothing is trusted.
func Trust(o Options, hash string) error {
	o = o.complete()
	p, err := ReadProject(o)
	switch {
	case err != nil:
		return err
	case p == nil:
		return fmt.Errorf("there are no project settings to trust: %s does not exist", o.ProjectFile)
	case p.Hash != hash:
		return fmt.Errorf("%s has changed since it was shown; look at it again", p.Path)
	}
	return remember(o.StateDir, p.Path, p.Text)
}

// remember notes that a text is trusted in the file with this canonical path.
func remember(stateDir, real string, text []byte) error {
	if stateDir == "" {
		return errors.New("there is no state directory to remember it in; set HOME or XDG_STATE_HOME")
	}
	data, err := json.Marshal(trustRecord{real, hashOf(text)})
	if err != nil {
		return err
	}
	file, err := workspace.Canonical(trustFile(stateDir, real))
	if err != nil {
		return err
	}
	if err := workspace.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("trust cannot be remembered: %w", err)
	}
	if err := workspace.WriteFile(file, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("trust cannot be remembered: %w", err)
	}
	return nil
}

// Untrust forgets the trust in the project's settings file, whatever its
// content is. Forgetting what was never trusted is no error.
func Untrust(o Options) error {
	o = o.complete()
	if o.ProjectFile == "" || o.StateDir == "" {
		return nil
	}
	real, err := workspace.Canonical(o.ProjectFile)
	if err != nil {
		return err
	}
	file, err := workspace.Canonical(trustFile(o.StateDir, real))
	if err != nil {
		return err
	}
	if err := workspace.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("trust cannot be taken back: %w", err)
	}
	return nil
}

// trusted reports whether exactly this content of the file was trusted. Every
// doubt is a no.
func trusted(stateDir, real string, text []byte) bool {
	if stateDir == "" || real == "" {
		return false
	}
	file, err := workspace.Canonical(trustFile(stateDir, real))
	if err != nil {
		return false
	}
	data, err := workspace.ReadFile(file, maxSize)
	if err != nil {
		return false
	}
	var rec trustRecord
	return json.Unmarshal(data, &rec) == nil && rec.Path == real && rec.SHA256 == hashOf(text)
}

// trustFile names the record of one settings file.
func trustFile(stateDir, real string) string {
	return filepath.Join(stateDir, "trust", hashOf([]byte(real))[:32]+".json")
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
