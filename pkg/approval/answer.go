package approval

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
)

// ErrUnavailable says that an asker has no way to the person at all, so that
// another one may be tried. Every other error is a denial.
var ErrUnavailable = errors.New("nobody can be asked here")

// The layers that an Always answer may name.
const (
	LayerUser    = "user"
	LayerProject = "project"
)

// Answered reports whether a person gave this answer, as opposed to a
// time-out or a failure.
func (a Answer) Answered() bool { return a.By != "" }

// Granted reports whether the answer lets the call run.
func (a Answer) Granted() bool {
	return a.Choice == Once || a.Choice == Session || a.Choice == Always
}

// Denied is an answer that nobody gave: a refusal with its reason.
func Denied(format string, args ...any) Answer {
	return Answer{Choice: No, Note: fmt.Sprintf(format, args...)}
}

// Strict returns a as far as it is a possible answer to q: a word that is no
// choice, an Always with a rule that was not offered or a layer that does not
// exist, and a grant that no person gave become No.
func Strict(q Question, a Answer) Answer {
	switch a.Choice {
	case No:
		a.Rule, a.Layer = "", ""
		return a
	case Once, Session:
		a.Rule, a.Layer = "", ""
	case Always:
		if !slices.Contains(q.Rules, a.Rule) {
			return Denied("the answer names a rule that was not offered")
		}
		if a.Layer != LayerUser && a.Layer != LayerProject {
			return Denied("the answer names no settings file")
		}
	default:
		return Denied("the answer %q is none of once, session, always and no", Line(string(a.Choice)))
	}
	if a.By == "" {
		return Denied("the answer does not say who gave it")
	}
	return a
}

// NewID returns a name for a question that nobody can guess.
func NewID() string { return rand.Text() }
