package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"mayi/internal/mcp/frame"
)

// Codes of JSON-RPC.
const (
	parseError     = -32700
	invalidRequest = -32600
)

// lines hands on what is JSON, a line each, and answers everything else: one
// line that cannot be read is no reason to leave the other requests unanswered.
type lines struct {
	in   *bufio.Reader
	end  io.Closer
	out  io.Writer
	rest []byte
}

func newLines(in io.ReadCloser, out io.Writer) *lines {
	return &lines{in: bufio.NewReaderSize(in, 1<<16), end: in, out: out}
}

func (l *lines) Close() error { return l.end.Close() }

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads one line; nil for one that was answered here, or is empty.
func (l *lines) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxRequest; !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0 && !long) {
			return nil, err
		}
		break
	}
	line = bytes.TrimSpace(line)
	switch {
	case long:
		return nil, l.refuse(nil, invalidRequest, fmt.Sprintf("the message is larger than %d bytes", maxRequest))
	case len(line) == 0:
		return nil, nil
	case !json.Valid(line):
		return nil, l.refuse(nil, parseError, "the line is no JSON; a message is one line of it")
	case line[0] == '[': // several at a time, as an older version has it
	default:
		if m, err := frame.Parse(line); err != nil {
			return nil, l.refuse(m.ID, invalidRequest, err.Error())
		}
	}
	return append(line, '\n'), nil
}

func (l *lines) refuse(id json.RawMessage, code int, message string) error {
	_, err := l.out.Write(append(frame.Failure(id, code, message, nil), '\n'))
	return err
}

// inTurn lets several write to one stream, a message at a time.
type inTurn struct {
	io.WriteCloser
	mu sync.Mutex
}

func (w *inTurn) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}
