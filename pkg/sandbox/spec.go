package sandbox

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// Spec is what one job may do. It is a value: it can be printed as JSON,
// compared and tested without a kernel. Every path is absolute, cleaned and
// free of symbolic links, as pkg/workspace resolves them. The zero Spec grants
// the system's programs, a private /tmp and nothing else.
type Spec struct {
	// Dir is the working directory; it must be readable under the Spec.
	Dir string `json:"dir"`
	// Home is the user's home folder. The job sees an empty, private one in
	// its place, with what Read, Write and the dot files of [HomeFiles] name.
	Home string `json:"home,omitempty"`

	// Read and Write are granted with everything below. Write implies Read.
	Read  []string `json:"read,omitempty"`
	Write []string `json:"write,omitempty"`
	// Programs are further programs, or folders of programs, that may be run.
	Programs []string `json:"programs,omitempty"`

	// Links are names that lead to granted places by a symbolic link: a home
	// or a workspace that is known under another name.
	Links []Link `json:"links,omitempty"`

	// Denied closes names inside what is granted: neither read nor written,
	// whether or not they exist. See [Pattern] for the form.
	Denied []Pattern `json:"denied,omitempty"`
	// Protected closes names for writing.
	Protected []Pattern `json:"protected,omitempty"`
	// Unprotected are paths that may be written although Protected covers
	// them, because a person allowed exactly that.
	Unprotected []string `json:"unprotected,omitempty"`

	// AskRead and AskWrite name what a person is asked about before it is read or
	// changed, although it is granted; where nobody can be asked, it is refused.
	// Why is the rule that says so.
	AskRead  []Pattern `json:"askRead,omitempty"`
	AskWrite []Pattern `json:"askWrite,omitempty"`
	// Answered are the accesses that these name and that were asked about together
	// with the command.
	Answered []Answered `json:"answered,omitempty"`

	Network Network     `json:"network"`
	Env     Environment `json:"env"`
	Limits  Limits      `json:"limits"`

	// Required: refuse to run unless every level that the Spec needs is
	// reached. Without it the job runs with what can be had, and
	// [Job.Enforced] says what that was.
	Required bool `json:"required,omitempty"`
}

// Link is a symbolic link that the job's tree has.
type Link struct {
	Path string `json:"path"`
	To   string `json:"to"`
}

// Network says which network a job has besides its own loopback.
type Network struct {
	// Proxy: connections go through a proxy outside that decides by host
	// name. False is no network at all.
	Proxy bool `json:"proxy,omitempty"`
	// Hosts is what the policy allows, Denied what rules close and Ask what they
	// ask about inside that, for showing; [Command.Proxy] decides.
	Hosts  []string `json:"hosts,omitempty"`
	Denied []string `json:"denied,omitempty"`
	Ask    []string `json:"ask,omitempty"`
}

// Environment says which variables of the caller's environment a job gets.
type Environment struct {
	// Mask are names, with * at either end, of variables that are left out.
	Mask []string `json:"mask,omitempty"`
	// Keep are names that are passed on although Mask covers them.
	Keep []string `json:"keep,omitempty"`
}

// Limits bound what a job uses. 0 means the default of [DefaultLimits]; a
// negative number means no limit.
type Limits struct {
	Processes int           `json:"processes,omitempty"`
	Memory    int64         `json:"memory,omitempty"`   // bytes, of the whole job
	FileSize  int64         `json:"fileSize,omitempty"` // bytes, of one file
	Disk      int64         `json:"disk,omitempty"`     // bytes that the workspace's disk may lose
	Output    int64         `json:"output,omitempty"`   // bytes of standard output and error together
	Time      time.Duration `json:"time,omitempty"`     // nanoseconds of wall-clock time
}

// DefaultLimits are generous for builds and tests and small enough for a
// machine to survive. Time has no default.
func DefaultLimits() Limits {
	return Limits{Processes: 480, Memory: 1280 << 20, FileSize: 1 << 30, Disk: 4 << 30, Output: 64 << 20}
}

// or gives the limit that holds: the own one, the default for 0, 0 for none.
func (l Limits) or(d Limits) Limits {
	pick := func(v, def int64) int64 {
		switch {
		case v < 0:
			return 0
		case v == 0:
			return def
		}
		return v
	}
	return Limits{
		Processes: int(pick(int64(l.Processes), int64(d.Processes))),
		Memory:    pick(l.Memory, d.Memory),
		FileSize:  pick(l.FileSize, d.FileSize),
		Disk:      pick(l.Disk, d.Disk),
		Output:    pick(l.Output, d.Output),
		Time:      time.Duration(pick(int64(l.Time), int64(d.Time))),
	}
}

// Check says what is wrong with a Spec: paths that are relative, not cleaned
// or hold a NUL byte, and patterns that cannot match anything.
func (s *Spec) Check() error {
	if s.Dir == "" {
		return errors.New("sandbox: the working directory is missing")
	}
	lists := []struct {
		name  string
		paths []string
	}{
		{"dir", []string{s.Dir}}, {"read", s.Read}, {"write", s.Write},
		{"programs", s.Programs}, {"unprotected", s.Unprotected},
	}
	if s.Home != "" {
		lists = append(lists, struct {
			name  string
			paths []string
		}{"home", []string{s.Home}})
	}
	for _, l := range s.Links {
		lists = append(lists, struct {
			name  string
			paths []string
		}{"links", []string{l.Path, l.To}})
	}
	for _, l := range lists {
		for _, p := range l.paths {
			if !strings.HasPrefix(p, "/") || path.Clean(p) != p || strings.IndexByte(p, 0) >= 0 {
				return fmt.Errorf("sandbox: %s: %q is not an absolute, cleaned path", l.name, p)
			}
		}
	}
	for _, p := range slices.Concat(s.Denied, s.Protected, s.AskRead, s.AskWrite) {
		if p.Glob == "" || strings.IndexByte(p.Glob, 0) >= 0 {
			return fmt.Errorf("sandbox: the pattern %q matches nothing", p.Glob)
		}
	}
	for _, p := range slices.Concat(s.AskRead, s.AskWrite) {
		if p.Why == "" {
			return fmt.Errorf("sandbox: the pattern %q does not say which rule asks about it", p.Glob)
		}
	}
	return nil
}

// within says whether p is root or below it. Both are absolute and cleaned.
func within(p, root string) bool {
	if root == "/" {
		return strings.HasPrefix(p, "/")
	}
	return strings.HasPrefix(p, root) && (len(p) == len(root) || p[len(root)] == '/')
}
