//go:build !unix

package tools

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// Commands need bash, sessions and process groups, none of which is here:
// opening the working directory already fails, and nothing is started.

const (
	sigNone = syscall.Signal(0)
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
	sigInt  = syscall.SIGINT
	sigHup  = syscall.SIGHUP
	sigCont = syscall.Signal(0)
)

func leader() *syscall.SysProcAttr { return nil }

func startTerminal(*exec.Cmd) (*os.File, error) { return nil, errors.ErrUnsupported }

func another(*os.File) *os.File { return nil }

func signalName(*os.ProcessState) string { return "" }

func isLoop(error) bool { return false }

func awaitExit(int) {}

func dirName(_ *os.File, name string) string { return name }

func signalJob(int, string, syscall.Signal) int { return 0 }
