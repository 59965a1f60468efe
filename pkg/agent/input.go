package agent

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"unicode/utf8"
)

// maxLine bounds one line of input, in bytes.
const maxLine = 1 << 20

// errLineTooLong is reported for a line beyond maxLine, which is dropped whole:
// a half of what somebody typed is not what they typed.
var errLineTooLong = errors.New("a line of more than 1 MiB was dropped")

// readLines reads in to its end and hands on each line without its line end. A
// last line without one counts. It hands lines on as soon as they are there: a
// question that opens later can then not be answered by what was read before.
func readLines(in io.Reader, line func(string), problem func(error)) error {
	buf := make([]byte, 32<<10)
	var held []byte
	dropping := false
	for {
		n, err := in.Read(buf)
		for rest := buf[:n]; len(rest) > 0; {
			i := bytes.IndexByte(rest, '\n')
			end := i >= 0
			piece := rest
			if end {
				piece, rest = rest[:i], rest[i+1:]
			} else {
				rest = nil
			}
			if !dropping {
				held = append(held, piece...)
			}
			if len(held) > maxLine {
				dropping, held = true, nil
				problem(errLineTooLong)
			}
			if end {
				if !dropping {
					line(clean(held))
				}
				dropping, held = false, held[:0]
			}
		}
		if err != nil {
			if len(held) > 0 {
				line(clean(held))
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// clean is the text of a line: without a carriage return at its end, and with
// bytes that are no UTF-8 replaced, as a model's API takes nothing else.
func clean(b []byte) string {
	b = bytes.TrimSuffix(b, []byte("\r"))
	if utf8.Valid(b) {
		return string(b)
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
}

// queue holds the lines that wait for their turn. Safe for concurrent use.
type queue struct {
	mu    sync.Mutex
	lines []string
	done  bool
	// changed holds a token whenever something was put in or the queue closed.
	changed chan struct{}
}

func newQueue() *queue { return &queue{changed: make(chan struct{}, 1)} }

func (q *queue) put(line string) {
	q.mu.Lock()
	q.lines = append(q.lines, line)
	q.mu.Unlock()
	q.wake()
}

// close says that no more lines will come.
func (q *queue) close() {
	q.mu.Lock()
	q.done = true
	q.mu.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

// take returns the oldest line; ok is false where there is none, and ended
// where there will be none.
func (q *queue) take() (line string, ok, ended bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) == 0 {
		return "", false, q.done
	}
	line, q.lines = q.lines[0], q.lines[1:]
	return line, true, false
}

// drop forgets what waits and returns how many lines that were.
func (q *queue) drop() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.lines)
	q.lines = nil
	return n
}
