package install

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scope says for whom an agent's hook is installed.
type Scope string

// The scopes. Not every agent has all of them.
const (
	// User is the person's own settings, for every project.
	User Scope = "user"
	// Project is a project's settings, which come with its repository.
	Project Scope = "project"
	// Managed is the machine's settings, which an administrator writes and a
	// project cannot switch off.
	Managed Scope = "managed"
)

// Places says where things lie. Paths are absolute.
type Places struct {
	// Home and ConfigHome ($XDG_CONFIG_HOME, or .config in Home) are the
	// person's.
	Home, ConfigHome string
	// Workspace is the project's root, Cwd the working directory.
	Workspace, Cwd string
	// StateDir is mayi's.
	StateDir string
	// Etc is /etc.
	Etc string
	// Program is mayi itself, as the agents are to call it, and Timeout the
	// program that ends another one after a time, "" where there is none.
	Program, Timeout string
	// Control is what mayi decides about [Harmless] here.
	Control Control
	// Getenv looks up a variable; agents have some that move their folders.
	Getenv func(string) string
}

// Control is what mayi itself decides about the command that does nothing: the
// hook has to say the same, or it is a hook that refuses whatever comes. The
// zero value lets it through.
type Control struct {
	// Asks: a person is asked about it, so that it cannot be tried.
	Asks bool
	// Refusal is why it is refused, as in plan mode; "" is not at all.
	Refusal string
}

// env is the absolute path that a variable names, else fallback.
func (p Places) env(name, fallback string) string {
	if p.Getenv != nil {
		if v := p.Getenv(name); filepath.IsAbs(v) {
			return filepath.Clean(v)
		}
	}
	return fallback
}

func (p Places) home(parts ...string) string {
	return filepath.Join(append([]string{p.Home}, parts...)...)
}

func (p Places) project(parts ...string) string {
	if p.Workspace == "" {
		return ""
	}
	return filepath.Join(append([]string{p.Workspace}, parts...)...)
}

// quote makes one word of s for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// word is s as one word for a shell, as it stands where that is one.
func word(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return s
	}
	return quote(s)
}

// callable says why an agent cannot be told to call mayi where it lies. Its
// settings hold text, which not every shell and not every agent leaves as it is.
func (p Places) callable(a agent) error {
	why := ""
	base := filepath.Base(p.Program)
	switch {
	case !utf8.ValidString(p.Program):
		why = "its path is no UTF-8, and settings are"
	case strings.ContainsFunc(p.Program, func(r rune) bool { return r == '\\' || r != ' ' && !unicode.IsPrint(r) }):
		why = "its path holds a backslash, a line break or something else that does not print, which shells and editors change"
	case strings.ContainsAny(base, `'" `):
		why = "its name holds a quote or a blank, by which its entries could not be told from others'"
	case a.expands && strings.Contains(p.Program, "$"):
		why = "its path holds a $, after which " + a.title + " puts a variable into its settings"
	default:
		return nil
	}
	return fmt.Errorf("%s cannot be told to call mayi at %q: %s; put a link to it, named mayi, into a plainer folder that is on your PATH", a.title, p.Program, why)
}

// command is the command line by which an agent calls the hook. Where mayi
// cannot be started, dies or hangs, the rest of the line turns that into the one
// exit that all agents take for a refusal: 2, with a text on standard error. It
// is written so that shells other than sh read it the same way. limit is the
// agent's own time limit in seconds where it lets a call run after it, else 0.
func (p Places) command(agent string, limit int) string {
	guard := ""
	if p.Timeout != "" && limit > 0 {
		// mayi has given its last answer by then.
		guard = word(p.Timeout) + " -k1 " + strconv.Itoa(limit-2) + " "
	}
	return guard + quote(p.Program) + " hook " + agent + " || sh -c 'echo mayi: this call is not run >&2; exit 2'"
}
