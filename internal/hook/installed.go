package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"mayi/pkg/workspace"
)

// installation is what of an install's record (internal/install) says that a
// settings file holds mayi's hook.
type installation struct {
	Command string `json:"command"`
	Files   []struct {
		Real string `json:"real"`
	} `json:"files"`
}

// installedIn is the command line that mayi's installer wrote into the agent's
// settings file, "" where it wrote none there. A record that cannot be read may
// be the one about this file: then that is an error.
func installedIn(stateDir, agent, file string) (command string, err error) {
	real, err := workspace.Canonical(file)
	if err != nil {
		return "", fmt.Errorf("%s cannot be followed: %w", file, err)
	}
	records, err := filepath.Glob(filepath.Join(stateDir, "install", agent+".*.json"))
	if err != nil {
		return "", err
	}
	for _, name := range records {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		var r installation
		if err := json.Unmarshal(text, &r); err != nil {
			return "", fmt.Errorf("%s cannot be read: %w", name, err)
		}
		for _, f := range r.Files {
			if f.Real == real {
				return r.Command, nil
			}
		}
	}
	return "", nil
}

// calls reports whether settings have the event's hook of that command line, for
// every tool.
func calls(settings map[string]any, event, command string) bool {
	hooks, _ := settings["hooks"].(map[string]any)
	groups, _ := hooks[event].([]any)
	return slices.ContainsFunc(groups, func(g any) bool {
		group, _ := g.(map[string]any)
		if matcher, set := group["matcher"]; set && matcher != "*" && matcher != "" {
			return false
		}
		entries, _ := group["hooks"].([]any)
		return slices.ContainsFunc(entries, func(e any) bool {
			entry, _ := e.(map[string]any)
			return entry["type"] == "command" && entry["command"] == command && entry["onFailure"] == "block"
		})
	})
}
