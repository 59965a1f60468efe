package knowledge

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

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
	entries  []*envVar
	patterns []envPattern
	// heedless are programs that look at none of the variables in ignored.
	heedless string
	ignored  []envPattern

	// asked counts the look-ups; names are the entries by name, once that is
	// worth while.
	asked     atomic.Int32
	namesOnce sync.Once
	names     map[string]*envVar
}

// fewAsked is how many names are looked for in the text before a table of all
// is made, which costs as much as about fifty: one command asks for a few.
const fewAsked = 16

// exact finds the entry that has the name among its own, nil where none has.
func (t *envTable) exact(name string) *envVar {
	if strings.IndexByte(name, '*') >= 0 {
		return nil // the text of a pattern is no name
	}
	if t.asked.Load() >= fewAsked {
		t.namesOnce.Do(t.index)
		return t.names[name]
	}
	t.asked.Add(1)
	for _, e := range t.entries {
		if hasWord(e.Names, name) {
			return e
		}
	}
	return nil
}

// index makes the table of all names.
func (t *envTable) index() {
	t.names = make(map[string]*envVar, 1024)
	for _, e := range t.entries {
		for name := range strings.FieldsSeq(e.Names) {
			t.names[name] = e
		}
	}
}

// hasWord reports whether name is one of the words of list, which single blanks
// separate.
func hasWord(list, name string) bool {
	if name == "" || strings.IndexByte(name, ' ') >= 0 {
		return false
	}
	for at := 0; ; {
		k := strings.Index(list[at:], name)
		if k < 0 {
			return false
		}
		from, to := at+k, at+k+len(name)
		if (from == 0 || list[from-1] == ' ') && (to == len(list) || list[to] == ' ') {
			return true
		}
		at = from + 1
	}
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

// parseEnv decodes the table. Every entry has to name what it steers; a test
// sees to it that no name stands twice.
func parseEnv(data []byte) (*envTable, error) {
	raw, err := decodeEnv(data)
	if err != nil {
		return nil, fmt.Errorf("table of variables: %w", err)
	}
	t := &envTable{entries: raw.variables, heedless: raw.heedless}
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
		t.addPatterns(e)
	}
	return t, nil
}

// addPatterns adds those of the entry's names that hold a star.
func (t *envTable) addPatterns(e *envVar) {
	for rest := e.Names; ; {
		star := strings.IndexByte(rest, '*')
		if star < 0 {
			return
		}
		before := rest[strings.LastIndexByte(rest[:star], ' ')+1 : star]
		after, more, _ := strings.Cut(rest[star+1:], " ")
		t.patterns = append(t.patterns, envPattern{before, after, e})
		rest = more
	}
}
