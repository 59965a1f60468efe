package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"mayi/pkg/config"
)

// firstSeen is the folder that a session's first call was made in, for an agent
// whose calls choose their folder and which does not say where it was started:
// else a call could make any folder its workspace. It is kept below mayi's
// state; where that cannot be, the call's own folder is all that is known.
func (h *hook) firstSeen(session, cwd string) string {
	dir := h.o.StateDir
	if dir == "" {
		dir = config.FromEnvironAt(cwd).StateDir
	}
	if dir == "" || session == "" {
		return cwd
	}
	dir = filepath.Join(dir, "folders")
	sum := sha256.Sum256([]byte(h.agent.name + ":" + session))
	file := filepath.Join(dir, hex.EncodeToString(sum[:16]))
	if at, ok := folderIn(file); ok {
		return at
	}
	if os.MkdirAll(dir, 0o700) != nil {
		return cwd
	}
	forget(dir)
	// A link appears with its content, and only where there is none.
	f, err := os.CreateTemp(dir, "new-")
	if err != nil {
		return cwd
	}
	defer os.Remove(f.Name())
	if _, err = f.WriteString(cwd); errors.Join(err, f.Close()) == nil {
		_ = os.Link(f.Name(), file)
	}
	if at, ok := folderIn(file); ok {
		return at
	}
	return cwd
}

func folderIn(file string) (string, bool) {
	data, err := os.ReadFile(file)
	return string(data), err == nil && filepath.IsAbs(string(data))
}

// forget removes what is kept about sessions that are long over.
func forget(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && time.Since(fi.ModTime()) > 30*24*time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
