package frame

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// MaxMessage is how large one message may be, in bytes.
const MaxMessage = 256 << 20

// Packet is one message, or a batch, on its way.
type Packet struct {
	Raw []byte
	// About is the key of the client's request that a message to the client
	// belongs to, where the transport tells; it then travels on that request's
	// stream. "" is none.
	About string
	// Answer: the message, to the client, is the answer to that request. Without
	// a Raw it says that none will come.
	Answer bool
}

// Conn carries packets in both directions. Read is for one goroutine, Write for
// any number. Read returns io.EOF when the other side is gone.
type Conn interface {
	Read(ctx context.Context) (Packet, error)
	Write(ctx context.Context, p Packet) error
	Close() error
}

// Lines is a connection over two streams with a message a line, as on standard
// input and output.
type Lines struct {
	in  *bufio.Reader
	out io.Writer
	end func() error

	mu   sync.Mutex
	once sync.Once
	err  error
}

// NewLines returns a connection that reads from in and writes to out. end, which
// may be nil, is called once by Close; it has to make a Read that waits return.
func NewLines(in io.Reader, out io.Writer, end func() error) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, 1<<16), out: out, end: end}
}

// Read implements [Conn]. Empty lines are passed over.
func (l *Lines) Read(context.Context) (Packet, error) {
	for {
		var line []byte
		for {
			part, err := l.in.ReadSlice('\n')
			line = append(line, part...)
			if err == nil {
				break
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				if len(line) > MaxMessage {
					return Packet{}, fmt.Errorf("a message is larger than %d bytes", MaxMessage)
				}
				continue
			}
			if len(line) > 0 && errors.Is(err, io.EOF) {
				break
			}
			return Packet{}, err
		}
		if line = oneLine(line); len(line) > 0 {
			return Packet{Raw: line}, nil
		}
	}
}

// Write implements [Conn].
func (l *Lines) Write(_ context.Context, p Packet) error {
	if len(p.Raw) == 0 {
		return nil
	}
	line := append(p.Raw[:len(p.Raw):len(p.Raw)], '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(line)
	return err
}

// Close implements [Conn].
func (l *Lines) Close() error {
	l.once.Do(func() {
		if l.end != nil {
			l.err = l.end()
		}
	})
	return l.err
}
