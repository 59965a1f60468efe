//go:build unix

package runner

import (
	"io"
	"os"
	"time"
)

// outputs are the pipes of a command whose output goes to writers that are no
// files.
type outputs struct {
	readers, writers []*os.File
	done             []chan struct{}
}

// file returns what the command writes to for w.
func (o *outputs) file(w io.Writer) (io.Writer, error) {
	if w == nil {
		return nil, nil
	}
	if f, ok := w.(*os.File); ok {
		return f, nil
	}
	r, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		_, _ = io.Copy(w, r)
	}()
	o.readers, o.writers, o.done = append(o.readers, r), append(o.writers, pipe), append(o.done, finished)
	return pipe, nil
}

// same reports whether both are one writer; writers that cannot be compared are
// two.
func same(a, b io.Writer) bool {
	defer func() { _ = recover() }()
	return a == b
}

// patience is how long output is waited for after the command has ended: what
// it left behind in another process group can hold the pipe open.
const patience = time.Second

// drain waits until everything that was written has been passed on.
func (o *outputs) drain() {
	for _, w := range o.writers {
		w.Close()
	}
	o.writers = nil
	late := time.After(patience)
	for _, d := range o.done {
		select {
		case <-d:
		case <-late:
			return
		}
	}
}

// close gives everything back; a copy that still waits ends with it.
func (o *outputs) close() {
	for _, f := range append(o.writers, o.readers...) {
		f.Close()
	}
	for _, d := range o.done {
		<-d
	}
}
