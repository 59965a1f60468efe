package knowledge

import (
	"fmt"
	"strings"

	"mayi/internal/jsonscan"
)

// envVar is one entry of the table of environment variables.
type envVar struct {
	Names, Steers, Why string
	// Harmless lists values that steer nothing after all (GIT_PAGER=cat).
	Harmless []string

	steer Steer
}

func (e *envVar) read(s *jsonscan.Scanner, key []byte) bool {
	switch string(key) {
	case "names":
		e.Names = s.Str()
	case "steers":
		e.Steers = s.Str()
	case "why":
		e.Why = s.Str()
	case "harmless":
		e.Harmless = s.Strs()
	default:
		return false
	}
	return true
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

// rawEnv is the table as it is written.
type rawEnv struct {
	heedless, ignored string
	variables         []*envVar
}

func decodeEnv(data []byte) (rawEnv, error) {
	var out rawEnv
	err := jsonscan.Object(data, func(s *jsonscan.Scanner, key []byte) bool {
		switch string(key) {
		case "$schema":
			s.Str()
		case "heedless":
			s.Object(out.heed)
		case "variables":
			s.Elements(func() {
				e := &envVar{}
				s.Object(e.read)
				out.variables = append(out.variables, e)
			})
		default:
			return false
		}
		return true
	})
	return out, err
}

func (r *rawEnv) heed(s *jsonscan.Scanner, key []byte) bool {
	switch string(key) {
	case "variables":
		r.ignored = s.Str()
	case "programs":
		r.heedless = s.Str()
	default:
		return false
	}
	return true
}

// parseEnv decodes the table. Every entry has to name what it steers, and no
// name may stand twice.
func parseEnv(data []byte) (*envTable, error) {
	raw, err := decodeEnv(data)
	if err != nil {
		return nil, fmt.Errorf("table of variables: %w", err)
	}
	t := &envTable{exact: make(map[string]*envVar, 1024), heedless: map[string]bool{}}
	for name := range strings.FieldsSeq(raw.heedless) {
		t.heedless[name] = true
	}
	for name := range strings.FieldsSeq(raw.ignored) {
		before, after, star := strings.Cut(name, "*")
		if !star || before == "" {
			return nil, fmt.Errorf("variables that programs are heedless of: %s is not the beginning of names and a star", name)
		}
		t.ignored = append(t.ignored, envPattern{before: before, after: after})
	}
	for _, e := range raw.variables {
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
		for name := range strings.FieldsSeq(e.Names) {
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
