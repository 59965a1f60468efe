package server

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/tools"
)

// How often a client is told of a call's progress: when something was printed,
// and when nothing was.
const (
	tellEvery  = 500 * time.Millisecond
	aliveEvery = 5 * time.Second
)

// clip is how many characters of a line are shown as progress.
const clip = 200

type sinkKey struct{}

// sink collects the last line that a call has printed.
type sink struct {
	mu   sync.Mutex
	line []byte
	last string
	new  bool
}

// Write implements io.Writer; it never fails.
func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = append(s.line, p...)
	if i := bytes.LastIndexByte(s.line, '\n'); i >= 0 {
		done := s.line[:i]
		done = done[bytes.LastIndexByte(done, '\n')+1:]
		if text := bytes.TrimSpace(done); len(text) > 0 {
			s.last, s.new = approval.Clip(string(text), clip), true
		}
		s.line = append([]byte(nil), s.line[i+1:]...)
	}
	if len(s.line) > 1<<16 {
		s.line = s.line[:0]
	}
	return len(p), nil
}

func (s *sink) take() (line string, some bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line, some = s.last, s.new
	s.new = false
	return line, some
}

// progress tells the client of what the call prints, where it asked for that.
// stop ends it; no notification follows.
func progress(ctx context.Context, req *mcp.CallToolRequest) (with context.Context, stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return ctx, func() {}
	}
	s := &sink{}
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(tellEvery)
		defer tick.Stop()
		began, told := time.Now(), time.Now()
		for {
			select {
			case <-over:
				return
			case <-ctx.Done():
				return
			case now := <-tick.C:
				line, some := s.take()
				if !some && now.Sub(told) < aliveEvery {
					continue
				}
				told = now
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: now.Sub(began).Seconds(), Message: line,
				})
			}
		}
	}()
	return context.WithValue(ctx, sinkKey{}, s), func() { close(over); <-done }
}

// printing hands what a confined command prints to the progress of its call, too.
func printing(run func(context.Context, gate.Verdict, tools.Confined) (int, error)) func(context.Context, gate.Verdict, tools.Confined) (int, error) {
	if run == nil {
		return nil
	}
	return func(ctx context.Context, v gate.Verdict, c tools.Confined) (int, error) {
		if s, ok := ctx.Value(sinkKey{}).(*sink); ok && c.Out != nil {
			c.Out = io.MultiWriter(c.Out, s)
		}
		return run(ctx, v, c)
	}
}
