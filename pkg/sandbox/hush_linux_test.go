//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen collects what is shown.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestNothingIsWrittenOverAQuestion: while a person reads a question, the job's
// output waits; a job with a terminal is held in the same way as one with pipes.
func TestNothingIsWrittenOverAQuestion(t *testing.T) {
	can(t)
	ws, out := space(t)
	shows := &screen{}
	ask := func(context.Context, Access) Answer {
		if err := os.WriteFile(ws+"/asked", nil, 0o644); err != nil {
			t.Error(err)
		}
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(ws + "/written"); err == nil {
				break
			}
		}
		for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if strings.Contains(shows.shown(), "FORGED") {
				t.Error("the job wrote while the question stood")
				break
			}
		}
		return Once
	}
	r := run(t, spec(ws), Command{
		Env: append(env(), "OUT="+out), Ask: ask, Stdout: shows, Stderr: shows,
		Shell: "echo before; (until [ -e asked ]; do sleep 0.01; done; echo FORGED; echo x > written) & cat $OUT/secret; wait",
	})
	if got := shows.shown(); r.Code != 0 || !strings.HasPrefix(got, "before") || !strings.Contains(got, "FORGED") || !strings.Contains(got, "CANARY") {
		t.Errorf("%d: %q", r.Code, got)
	}
}

// TestAQuestionDoesNotWaitForASlowReader: who reads the output may never do so.
func TestAQuestionDoesNotWaitForASlowReader(t *testing.T) {
	h, free, in := newHush(), make(chan struct{}), make(chan struct{})
	go h.write(writerFunc(func() { close(in); <-free }), []byte("x"))
	<-in
	asked := false
	h.during(func() { asked = true })
	if !asked {
		t.Error("not asked")
	}
	close(free)
	h.write(writerFunc(func() {}), []byte("y"))
}

type writerFunc func()

func (f writerFunc) Write(b []byte) (int, error) { f(); return len(b), nil }
