//go:build !unix

package approval

import (
	"context"
	"errors"
	"os"
)

// On these systems questions are answered in a chat or from the queue.
var errNoTerminal = errors.New("questions at a terminal are not built for this system")

func openTTY() (*os.File, error)                         { return nil, errNoTerminal }
func isTerminal(*os.File) bool                           { return false }
func lineMode(*os.File) (func(), error)                  { return nil, errNoTerminal }
func flushInput(*os.File) error                          { return errNoTerminal }
func readLine(context.Context, *os.File) (string, error) { return "", errNoTerminal }
func readKey(context.Context, *os.File) (string, error)  { return "", errNoTerminal }
