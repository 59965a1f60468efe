//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"os/signal"
	"syscall"
)

// passSignals begins to pass on what [Command.Signals] says, until it is stopped.
func (j *Job) passSignals() (stop func()) {
	// Where the calling goroutine does all the work, there is one job, and nobody
	// else has a use for the signals.
	if j.helper.early && j.cmd.here {
		if stop, ok := forward(j.control); ok {
			return stop
		}
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				_ = j.Signal(s)
			case <-done:
				return
			}
		}
	}()
	return func() { signal.Stop(signals); close(done) }
}
