package server

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long answers are still given after the input has ended, and how long
// nothing must be under way for that to be over.
const (
	lingerFor = 5 * time.Second
	quietFor  = 100 * time.Millisecond
)

// busy counts the requests that are being answered.
type busy struct{ n atomic.Int64 }

// count is a middleware.
func (b *busy) count(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		b.n.Add(1)
		defer b.n.Add(-1)
		return next(ctx, method, req)
	}
}

// linger holds the end of the input back until what was asked before it is
// answered: a client may send its requests and close.
type linger struct {
	io.ReadCloser
	busy *busy
}

func (l linger) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if n > 0 || !errors.Is(err, io.EOF) {
		return n, err
	}
	quiet := time.Now()
	for end := time.Now().Add(lingerFor); time.Now().Before(end) && time.Since(quiet) < quietFor; time.Sleep(quietFor / 10) {
		if l.busy.n.Load() > 0 {
			quiet = time.Now()
		}
	}
	return 0, io.EOF
}
