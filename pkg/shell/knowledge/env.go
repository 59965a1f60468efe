package knowledge

import (
	"fmt"
	"strings"
)

// envVar is one entry of the table of environment variables.
type envVar struct {
	Names  string `json:"names"`
	Steers string `json:"steers"`
	Why    string `json:"why,omitempty"`
	// Harmless lists values that steer nothing after all (GIT_PAGER=cat).
	Harmless []string `json:"harmless,omitempty"`

	steer Steer
}

// envPattern is a name with one star.
type envPattern struct {
	before, after string
	*envVar
}

func (p envPattern) size() int { return len(p.before) + len(p.after) }

func (p envPattern) matches(name string) bool {
	return len(name) >= p.size() && strings.HasPrefix(name, p.before) && strings.HasSuffix(name, p.after)
}

// envTable is the decoded table: names, and patterns.
type envTable struct {
	exact    map[string]*envVar
	patterns []envPattern
	// heedless are programs that look at none of the variables in ignored.
	heedless map[string]bool
	ignored  []envPattern
}

// parseEnv decodes the table. Every entry has to name what it steers, and no
// name may stand twice.
func parseEnv(data []byte) (*envTable, error) {
	var raw struct {
		Schema   string `json:"$schema"`
		Heedless struct {
			Variables string `json:"variables"`
			Programs  string `json:"programs"`
		} `json:"heedless"`
		Variables []*envVar `json:"variables"`
	}
	if err := strict(data, &raw); err != nil {
		return nil, fmt.Errorf("table of variables: %w", err)
	}
	t := &envTable{exact: make(map[string]*envVar, 1024), heedless: map[string]bool{}}
	for _, name := range strings.Fields(raw.Heedless.Programs) {
		t.heedless[name] = true
	}
	for _, name := range strings.Fields(raw.Heedless.Variables) {
		before, after, star := strings.Cut(name, "*")
		if !star || before == "" {
			return nil, fmt.Errorf("variables that programs are heedless of: %s is not the beginning of names and a star", name)
		}
		t.ignored = append(t.ignored, envPattern{before: before, after: after})
	}
	for _, e := range raw.Variables {
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
			return nil, fmt.Errorf("variables %s: unknown word %q for steers", e.Names, e.Steers)
		}
		for _, name := range strings.Fields(e.Names) {
			before, after, star := strings.Cut(name, "*")
			switch {
			case star:
				t.patterns = append(t.patterns, envPattern{before, after, e})
			case t.exact[name] != nil:
				return nil, fmt.Errorf("variable %s stands twice", name)
			default:
				t.exact[name] = e
			}
		}
	}
	return t, nil
}
