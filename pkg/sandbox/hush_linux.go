//go:build linux && (amd64 || arm64)

package sandbox

import (
	"io"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// hush keeps the job's output back while a question is open: what it writes
// could paint over the question, or follow it with one of its own.
type hush struct {
	mu    sync.Mutex
	again sync.Cond // its L is mu
	shut  bool
	busy  int
	idle  chan struct{} // closed when nothing is being written; nil while nobody waits
}

// hushTime is how long a write that has begun is waited for: who reads the
// output may be in no hurry, and then the question has to do without.
const hushTime = time.Second

func newHush() *hush {
	h := &hush{}
	h.again.L = &h.mu
	return h
}

// write passes output on when no question is open.
func (h *hush) write(w io.Writer, b []byte) {
	h.mu.Lock()
	for h.shut {
		h.again.Wait()
	}
	h.busy++
	h.mu.Unlock()
	_, _ = w.Write(b)
	h.mu.Lock()
	h.busy--
	if h.busy == 0 && h.idle != nil {
		close(h.idle)
		h.idle = nil
	}
	h.mu.Unlock()
}

// read takes what is there to be read when no question is open; else it fails
// with EAGAIN.
func (h *hush) read(fd int, b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.shut {
		return 0, unix.EAGAIN
	}
	return unix.Read(fd, b)
}

// during holds the output back while f runs.
func (h *hush) during(f func()) {
	h.mu.Lock()
	h.shut = true
	var idle chan struct{}
	if h.busy > 0 {
		idle = make(chan struct{})
		h.idle = idle
	}
	h.mu.Unlock()
	if idle != nil {
		late := time.NewTimer(hushTime)
		select {
		case <-idle:
		case <-late.C:
		}
		late.Stop()
	}
	f()
	h.mu.Lock()
	h.shut = false
	h.again.Broadcast()
	h.mu.Unlock()
}
