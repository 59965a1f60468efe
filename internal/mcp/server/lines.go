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

// next reads one line and gives what is to be handed on; nil for one that was
// answered here, or is empty.
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
		return nil, l.refuse(nil, frame.CodeInvalid, fmt.Sprintf("the message is larger than %d bytes", maxRequest))
	case len(line) == 0:
		return nil, nil
	case !json.Valid(line):
		return nil, l.refuse(nil, frame.CodeParse, "the line is no JSON; a message is one line of it")
	}
	// Several at a time, as an older version has it, are handed on one by one:
	// each is looked at as if it came alone, and is answered alone.
	batch, ok := frame.Elements(line)
	if !ok {
		batch = []json.RawMessage{line}
	}
	if len(batch) == 0 {
		return nil, l.refuse(nil, frame.CodeInvalid, "the batch is empty")
	}
	var good []byte
	for _, raw := range batch {
		if m, err := frame.Parse(raw); err != nil {
			if err := l.refuse(m.ID, frame.CodeInvalid, err.Error()); err != nil {
				return nil, err
			}
			continue
		}
		good = append(append(good, raw...), '\n')
	}
	return good, nil
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
