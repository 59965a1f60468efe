// Package shell reads a command line and says what it would do: the simple
// commands in it, the effects that they can have, and what nobody can read
// before it runs.
//
// It evaluates the line abstractly, the way bash would run it, with every
// string a [value.Value]: exact, one of a few, bounded, or unknown. Both sides
// of a branch are followed and their states joined; loops run until nothing
// changes any more. Whatever it does not understand becomes Unread or an effect
// with an unknown target, at its position and with a reason; nothing is left
// out in silence.
//
// The package is pure: it looks neither at the disk nor at the environment.
package shell

import (
	"fmt"
	"sync"

	"mayi/pkg/permissions"
	"mayi/pkg/shell/knowledge"
	"mayi/pkg/shell/value"

	"mvdan.cc/sh/v3/syntax"
)

// Env is what is known about the place where a command line would run.
type Env struct {
	// Cwd is the absolute working directory. Real is the same with every link
	// followed, "" where that is not known: a shell that is started there may go
	// by either name, and "cd .." leads from each to another place.
	Cwd, Real string
	// Home is the person's home directory and User their name; "" where not known.
	Home, User string
	// Vars are the environment variables whose values are known. A variable
	// that is not here has an unknown value, except for those that only steer
	// the shell itself (IFS, CDPATH, BASH_ENV): they count as not set.
	Vars map[string]string
}

// Analysis is what a command line would do. It is never empty for a text that
// could not be read: then Unread says why.
type Analysis struct {
	// Parts are the simple commands; what a part runs follows it.
	Parts []permissions.Part
	// Effects is everything that the parts and their redirections can do.
	Effects []permissions.Effect
	// Unread is what could not be read and belongs to no part.
	Unread []permissions.Unread
}

// base is what the analysis asks of the knowledge base.
type base interface {
	DescribeInput(argv []value.Value, input *value.Value) knowledge.Use
	EnvEffect(name string, v value.Value) (knowledge.Steer, string)
	Heedless(program, variable string) bool
}

// Analyzer reads command lines. It is safe for concurrent use.
type Analyzer struct {
	kb      base
	parsers sync.Pool
}

// New returns an analyzer that asks kb what programs do.
func New(kb *knowledge.Base) *Analyzer { return newAnalyzer(kb) }

func newAnalyzer(kb base) *Analyzer {
	a := &Analyzer{kb: kb}
	a.parsers.New = func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }
	return a
}

// Analyze reads one command line. It never fails: what cannot be read is in
// the result as Unread.
func (a *Analyzer) Analyze(command string, env Env) (out Analysis) {
	w := &walker{a: a, env: env, an: &out, frame: frame{parent: -1}, steps: maxSteps, ends: &ends{}}
	defer func() {
		if r := recover(); r != nil {
			out.Unread = append(out.Unread, permissions.Unread{
				Why:  fmt.Sprintf("the analysis broke off: %v", r),
				Span: permissions.Span{End: len(command)},
			})
		}
	}()
	st := newState(env)
	w.script(command, st)
	w.runTraps(st)
	w.uncalled(st)
	return out
}
