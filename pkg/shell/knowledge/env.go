package knowledge

import (
	"encoding/json"
	"fmt"
	"strings"
)

// envVar is one entry of the table of environment variables.
type envVar struct {
	Steers string `json:"steers"`
	Why    string `json:"why"`
	// Harmless lists values that steer nothing after all (GIT_PAGER=cat).
	Harmless []string `json:"harmless,omitempty"`

	steer         Steer
	before, after string
}

func (e envVar) size() int { return len(e.before) + len(e.after) }

// envTable is the decoded table: names, and patterns with one star.
type envTable struct {
	exact    map[string]envVar
	patterns []envVar
}

// parseEnv decodes the table. Every entry has to name what it steers.
func parseEnv(data []byte) (*envTable, error) {
	var raw struct {
		Variables map[string]envVar `json:"variables"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("table of variables: %w", err)
	}
	t := &envTable{exact: make(map[string]envVar, len(raw.Variables))}
	for name, e := range raw.Variables {
		switch e.Steers {
		case "program":
			e.steer = SteersProgram
		case "file":
			e.steer = SteersFile
		case "network":
			e.steer = SteersNetwork
		case "nothing":
			e.steer = SteersNothing
		default:
			return nil, fmt.Errorf("variable %s: unknown word %q for steers", name, e.Steers)
		}
		before, after, star := strings.Cut(name, "*")
		if !star {
			t.exact[name] = e
			continue
		}
		e.before, e.after = before, after
		t.patterns = append(t.patterns, e)
	}
	return t, nil
}
