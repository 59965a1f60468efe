//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// serve is the work of the job's own thread: bring the job up, answer the
// kernel, and take the job down when it has ended. unsent is why a forked
// process 1 did not get its order.
func (j *Job) serve(o *order, unsent error, ready chan<- error) {
	err := j.up(o, unsent)
	if err == nil {
		ready <- nil
		j.follow()
		if j.toldEnd() {
			j.down()
			return
		}
	} else if j.helper.raw != nil {
		j.helper.kill()
	}
	// The rest waits for this thread's own end, so another one does it.
	go func() {
		j.down()
		if err != nil {
			ready <- err
		}
	}()
}

// up brings the job up, and has it end with its context and its time.
func (j *Job) up(o *order, unsent error) error {
	cancelled := context.AfterFunc(j.ctx, func() { j.stop("it was cancelled") })
	j.stops = append(j.stops, func() { cancelled() })
	if err := j.bring(o, unsent); err != nil {
		return err
	}
	if t := j.plan.Limits.Time; t > 0 {
		late := time.AfterFunc(t, func() { j.stop(fmt.Sprintf("it took longer than %s", t)) })
		j.stops = append(j.stops, func() { late.Stop() })
	}
	if j.cmd.Signals {
		j.unpass = j.passSignals()
	}
	return nil
}

// down takes the job down.
func (j *Job) down() {
	for _, stop := range j.stops {
		stop()
	}
	mute()
	j.finish()
	j.unpass() // its last output has been passed on
}

// toldEnd says that a forked process 1 has told the job's end.
func (j *Job) toldEnd() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ended && j.helper.raw != nil
}

// bring sends the order and takes the helper's notes until the job runs.
func (j *Job) bring(o *order, unsent error) error {
	if j.helper.raw != nil {
		return j.bringInit(o, unsent)
	}
	if err := j.io.send(j.control, o); err != nil {
		return setupError{fmt.Errorf("sandbox: order: %w", err)}
	}
	j.io.childStarted()
	buf := make([]byte, maxNote)
	for {
		j.answerUntilTold()
		n, fds, err := recvNote(j.control, buf)
		if err != nil {
			if j.ctx.Err() != nil {
				return context.Cause(j.ctx)
			}
			return setupError{fmt.Errorf("sandbox: the helper ended before the command was started (%w)", err)}
		}
		switch n.Is {
		case noteSetup:
			err = setupError{errors.New(n.Text)}
		case noteFailed:
			err = &RunError{Code: n.Code, Text: n.Text}
		case noteStarted:
			j.mu.Lock()
			j.leader = n.Pid
			j.mu.Unlock()
			return nil
		case notePty:
			j.io.attach(one(fds))
		case noteProxy:
			j.listener = one(fds)
		case noteAsk:
			err = j.newBroker().supervise(fds)
		default:
			closeAll(fds)
		}
		if err != nil {
			return err
		}
	}
}

// answerUntilTold answers the kernel until the helper has a note: the start of
// the program is one of the calls that are asked about.
func (j *Job) answerUntilTold() {
	if j.broker == nil {
		return
	}
	fds := []unix.PollFd{{Fd: int32(j.control), Events: unix.POLLIN}, {Fd: int32(j.broker.fd), Events: unix.POLLIN}}
	for fds[0].Revents == 0 {
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return
		}
		if fds[1].Revents != 0 && (fds[1].Revents&unix.POLLIN == 0 || !j.broker.next()) {
			fds[1].Fd = -1
		}
	}
}

// follow takes the helper's notes and the kernel's questions until the end.
func (j *Job) follow() {
	size := maxNote
	if j.helper.raw != nil {
		size = recordSize
	}
	buf := make([]byte, size)
	fds := []unix.PollFd{{Fd: int32(j.control), Events: unix.POLLIN}, {Fd: -1, Events: unix.POLLIN}, {Fd: int32(j.listener), Events: unix.POLLIN}}
	if j.broker != nil {
		fds[1].Fd = int32(j.broker.fd)
	}
	for _, f := range j.io.flows {
		fds = append(fds, unix.PollFd{Fd: int32(f.fd), Events: unix.POLLIN})
	}
	for {
		pause, why := j.watch.tick(time.Now())
		if why != "" {
			j.watch = nil
			j.stop(why)
			continue
		}
		if _, err := unix.Poll(fds, pause); err != nil {
			if err == unix.EINTR {
				continue
			}
			return
		}
		if fds[1].Revents != 0 && (fds[1].Revents&unix.POLLIN == 0 || !j.broker.next()) {
			fds[1].Fd = -1 // nobody is left who could cause one
		}
		if fds[2].Revents != 0 {
			fds[2].Fd = -1
			j.serveProxy()
		}
		for i := range fds[3:] {
			if p := &fds[3+i]; p.Revents != 0 {
				if p.Fd = -1; p.Revents&unix.POLLIN != 0 {
					j.io.flow(j.io.flows[i])
				}
			}
		}
		if fds[0].Revents != 0 && !j.note(buf) {
			return
		}
	}
}

// note takes one note of the running helper; false when there are no more.
func (j *Job) note(buf []byte) bool {
	b, fds, err := recvBytes(j.control, buf)
	closeAll(fds)
	if err != nil {
		return false
	}
	var n note
	if j.helper.raw != nil {
		if r := recordOf(b); r.Is == isEnd {
			n.Is, n.Code = noteEnd, exitCode(unix.WaitStatus(r.Value))
		}
	} else if json.Unmarshal(b, &n) != nil {
		return false
	}
	if n.Is == noteEnd {
		j.over(n.Code, n.Text)
	}
	return n.Is != noteEnd || j.helper.raw == nil
}

// over takes down how the job has ended.
func (j *Job) over(code int, why string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended {
		return
	}
	j.ended = true
	j.result.Code = code
	if j.result.Stopped == "" {
		j.result.Stopped = why
	}
}
