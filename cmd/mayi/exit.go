package main

import (
	"errors"
	"fmt"

	"mayi/pkg/permissions"
)

// Exit codes, documented in docs/exit-codes.md. `mayi run` gives the
// command's own code where it ran.
const (
	exitAllow = 0
	exitError = 1
	exitUsage = 2
	exitAsk   = 10
	exitDeny  = 20
)

// exit ends the program with a code and, where there is one, a message.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// usage is an error in how the command was called.
func usage(format string, args ...any) error {
	return exit{exitUsage, fmt.Errorf(format, args...)}
}

// failure is any other error, with what can be done about it.
func failure(hint string, err error) error {
	if hint == "" {
		return exit{exitError, err}
	}
	return exit{exitError, fmt.Errorf("%w\n  hint: %s", err, hint)}
}

// decided is the exit code of a verdict.
func decided(v permissions.Verdict) error {
	switch v {
	case permissions.Allow:
		return nil
	case permissions.Ask:
		return exit{code: exitAsk}
	}
	return exit{code: exitDeny}
}

// codeOf is the exit code that err stands for; say reports whether it has a
// message for the person.
func codeOf(err error) (code int, say bool) {
	if err == nil {
		return exitAllow, false
	}
	var e exit
	if errors.As(err, &e) {
		return e.code, e.err != nil
	}
	return exitError, true
}
