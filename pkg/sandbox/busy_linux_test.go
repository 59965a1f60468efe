//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestABusyServiceKeepsNobody: a job that waits for a service that takes no
// more ends when it is to.
func TestABusyServiceKeepsNobody(t *testing.T) {
	can(t)
	ws, _ := space(t)
	sock := func() int {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		return fd
	}
	service, at := sock(), &unix.SockaddrUnix{Name: ws + "/busy"}
	if err := unix.Bind(service, at); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(service, 0); err != nil {
		t.Fatal(err)
	}
	for unix.Connect(sock(), at) == nil { // until its queue is full
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j, err := Start(ctx, spec(ws), Command{
		Args: []string{"/usr/bin/python3", "-c", "import socket; print('up', flush=True); socket.socket(socket.AF_UNIX).connect('busy')"},
		Env:  env(), Stdout: notice(func() { time.AfterFunc(300*time.Millisecond, cancel) }),
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan Result, 1)
	go func() { ended <- j.Wait() }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the job has not ended")
	}
}

// notice calls a function when something is written.
type notice func()

func (n notice) Write(b []byte) (int, error) {
	n()
	return len(b), nil
}
