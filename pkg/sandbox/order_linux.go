//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// order completes what the helper is told.
func (j *Job) order(l levels) *order {
	o := &order{Plan: j.plan, Dir: j.spec.Dir, Env: environment(j.cmd.Env, j.spec.Env), Tree: l.tree, Fence: l.fence, Filter: l.filter, Notify: l.notify, Built: l.by == byBwrap}
	o.Args = append([]string(nil), j.cmd.Args...)
	if len(o.Args) == 0 {
		o.Args = []string{"bash", "-c", j.cmd.Shell}
		o.Path = "/bin/bash"
		if _, err := os.Stat(o.Path); err != nil {
			o.Path, o.Args[0] = "/bin/sh", "sh"
		}
	} else {
		o.Path = o.Args[0]
	}
	o.Plan = forRoot(o.Plan)
	o.Proxy = j.spec.Network.Proxy && l.tree && j.cmd.Proxy != nil
	if o.Proxy {
		o.Env = proxyVariables(o.Env)
	}
	o.Env = withoutTemp(o.Env, j.plan.Grants)
	o.Env = setenv(o.Env, "PWD", j.spec.Dir)
	if j.tmp != "" {
		o.Env = setenv(o.Env, "TMPDIR", j.tmp)
	}
	return o
}

// send hands the order over, with the job's three streams.
func (s *streams) send(control int, o *order) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	fds := make([]int, 0, 4)
	fds = append(fds, s.child[:]...)
	if len(b) > maxNote {
		// Too much for one note: it goes into a file without a name.
		fd, err := unix.MemfdCreate("order", unix.MFD_CLOEXEC)
		if err != nil {
			return err
		}
		f := os.NewFile(uintptr(fd), "order")
		defer f.Close()
		if _, err := f.WriteAt(b, 0); err != nil {
			return err
		}
		fds, b = append(fds, fd), []byte("null")
	}
	return sendBytes(control, b, fds)
}

// takeOrder is the other side: it puts the streams in their places.
func takeOrder(control int) (*order, error) {
	buf := make([]byte, maxNote)
	b, fds, err := recvBytes(control, buf)
	if err != nil {
		return nil, err
	}
	if len(fds) < 3 {
		return nil, errors.New("sandbox: the order came without streams")
	}
	for i := range 3 {
		if err := unix.Dup3(fds[i], i, 0); err != nil {
			return nil, fmt.Errorf("sandbox: stream %d: %w", i, err)
		}
	}
	if len(fds) > 3 {
		f := os.NewFile(uintptr(fds[3]), "order")
		b, err = io.ReadAll(f)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	closeAll(fds[:3])
	var o order
	return &o, json.Unmarshal(b, &o)
}
