package confine

import (
	"os"
	"os/signal"
	"syscall"

	"mayi/pkg/sandbox"
)

// pass hands the signals that ask this process to end on to the job.
func pass(job *sandbox.Job) (stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-signals:
				_ = job.Signal(s)
			case <-done:
				return
			}
		}
	}()
	return func() { signal.Stop(signals); close(done) }
}
