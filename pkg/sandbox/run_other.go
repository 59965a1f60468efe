//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"os"
	"runtime"
)

// Probes says that there is nothing to probe.
func Probes() []Probe {
	return []Probe{{Level: LevelTree, Name: "sandbox", Detail: "mayi confines programs on Linux (amd64, arm64) only", Mend: "decisions work all the same; to hold programs, run mayi on Linux or in WSL 2"}}
}

// Main does nothing on this system: there is no helper.
func Main() {}

// Job is a running command; on this system there are none.
type Job struct{}

// RunError says that the program could not be run, as a shell would.
type RunError struct {
	Code int
	Text string
}

func (e *RunError) Error() string { return e.Text }

// Start refuses: this system has no sandbox that mayi can apply. Decisions
// work all the same.
func Start(context.Context, Spec, Command) (*Job, error) {
	return nil, fmt.Errorf("sandbox: %w: mayi confines programs on Linux (amd64, arm64) only, this is %s/%s", ErrNotEnforced, runtime.GOOS, runtime.GOARCH)
}

// Enforced is empty.
func (*Job) Enforced() []Level { return nil }

// Wait returns at once.
func (*Job) Wait() Result { return Result{Code: 125} }

// Signal reports that there is no process.
func (*Job) Signal(os.Signal) error { return os.ErrProcessDone }

// Kill does nothing.
func (*Job) Kill() {}

// Leader is 0.
func (*Job) Leader() int { return 0 }

// Master is nil.
func (*Job) Master() *os.File { return nil }

// Prepared is a helper that was started ahead; on this system there are none.
type Prepared struct{}

// Prepare does nothing on this system.
func Prepare() *Prepared { return nil }

// Release does nothing.
func (*Prepared) Release() {}

// AsStarted calls f.
func AsStarted(f func()) { f() }

// Run refuses as [Start] does.
func Run(ctx context.Context, s Spec, c Command, _ func(*Job)) (Result, error) {
	_, err := Start(ctx, s, c)
	return Result{}, err
}
