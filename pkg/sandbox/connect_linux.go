//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const connectTime = 30 * time.Second

// connect judges a connection, and makes it. Inside a network namespace of its
// own the job reaches nobody by itself, so whatever is not asked about is left to
// its own socket.
func (b *broker) connect(n *notification, t target) reply {
	size := int(arg(n, 3))
	if size < 2 || size > 128 {
		return reply{e: unix.EINVAL}
	}
	raw, e := t.bytes(arg(n, 2), size)
	if e != 0 {
		return reply{e: e}
	}
	addr, ok := addressOf(raw)
	if local(raw) {
		return b.connectLocal(n, t, raw)
	}
	if !b.own && !ok && binary.NativeEndian.Uint16(raw) != unix.AF_UNSPEC {
		return reply{e: unix.EACCES}
	}
	sock, e := t.socket(int32(arg(n, 1)))
	if e != 0 {
		return reply{e: e}
	}
	domain, err1 := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_DOMAIN)
	kind, err2 := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_TYPE)
	fl, err3 := unix.FcntlInt(uintptr(sock), unix.F_GETFL, 0)
	if err1 != nil || err2 != nil || err3 != nil {
		unix.Close(sock)
		return reply{e: unix.EACCES}
	}
	outward := ok && domain != unix.AF_UNIX && kind == unix.SOCK_STREAM
	if b.own && (!outward || addr.Addr().IsLoopback() || addr.Addr().IsUnspecified() || b.asks.closed()) || !ok {
		return b.connectHere(n, sock, raw, kind == unix.SOCK_STREAM && fl&unix.O_NONBLOCK == 0)
	}
	unix.Close(sock)
	if !outward {
		return reply{e: unix.EACCES}
	}
	a := b.access(t, OpConnect, "", "", "")
	a.Host, a.Port = addr.Addr().Unmap().String(), int(addr.Port())
	if b.asks.closed() {
		b.job.report(violation(a, false))
		return reply{e: unix.EACCES}
	}
	at := int(int32(arg(n, 1))) + 1
	return reply{later: func() reply {
		if !b.wait(b.asks.ctx, n, a) {
			return reply{e: unix.EACCES}
		}
		fd, e := dialRaw(raw)
		if e != 0 {
			return reply{e: e}
		}
		if err := unix.SetNonblock(fd, fl&unix.O_NONBLOCK != 0); err != nil {
			unix.Close(fd)
			return reply{e: errno(err)}
		}
		return reply{fd: fd, at: at, flags: t.closeOnExec(int32(arg(n, 1)))}
	}}
}

// connectHere connects the job's own socket, which it takes over, to what was
// judged. Were the call let go on, its descriptor and its address could by then
// be others, and the name of a socket is held by nothing else.
func (b *broker) connectHere(n *notification, sock int, raw []byte, waits bool) reply {
	if !waits {
		defer unix.Close(sock)
		return reply{e: connectRaw(sock, raw)}
	}
	return reply{later: func() reply {
		defer unix.Close(sock)
		done := make(chan unix.Errno, 1)
		go func() { done <- connectRaw(sock, raw) }()
		for {
			select {
			case e := <-done:
				return reply{e: e}
			case <-b.tick():
				if !notifyValid(b.fd, n.ID) {
					_ = unix.Shutdown(sock, unix.SHUT_RDWR) // nobody waits for it any more
				}
			}
		}
	}}
}

// socket gets a descriptor of the target's socket.
func (t target) socket(fd int32) (int, unix.Errno) {
	p, err := unix.PidfdOpen(t.leader(), 0)
	if err != nil {
		return -1, errno(err)
	}
	defer unix.Close(p)
	s, err := unix.PidfdGetfd(p, int(fd), 0)
	if err != nil {
		return -1, errno(err)
	}
	return s, 0
}

// leader is the process that the thread belongs to.
func (t target) leader() int {
	if id, err := strconv.Atoi(t.status("Tgid")[0]); err == nil {
		return id
	}
	return t.pid
}

func (t target) closeOnExec(int32) uint32 { return unix.O_CLOEXEC }

// dialRaw connects from outside to the very bytes that were judged.
func dialRaw(raw []byte) (int, unix.Errno) {
	family := int(binary.NativeEndian.Uint16(raw))
	s, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, errno(err)
	}
	tv := unix.NsecToTimeval(connectTime.Nanoseconds())
	_ = unix.SetsockoptTimeval(s, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &tv)
	if e := connectRaw(s, raw); e != 0 {
		unix.Close(s)
		return -1, e
	}
	_ = unix.SetsockoptTimeval(s, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{})
	return s, 0
}

// addressOf reads an internet address; ok is false for every other family.
func addressOf(raw []byte) (netip.AddrPort, bool) {
	port := func() uint16 { return binary.BigEndian.Uint16(raw[2:]) }
	switch binary.NativeEndian.Uint16(raw) {
	case unix.AF_INET:
		if len(raw) >= 8 {
			return netip.AddrPortFrom(netip.AddrFrom4([4]byte(raw[4:8])), port()), true
		}
	case unix.AF_INET6:
		if len(raw) >= 24 {
			return netip.AddrPortFrom(netip.AddrFrom16([16]byte(raw[8:24])), port()), true
		}
	}
	return netip.AddrPort{}, false
}

// local says whether an address is the name of a socket in the file tree.
func local(raw []byte) bool {
	return binary.NativeEndian.Uint16(raw) == unix.AF_UNIX && len(raw) >= 3 && raw[2] != 0
}

// connectLocal connects to a socket that has a name. To talk to a service is
// more than to read a file, so the socket must lie where the job may write:
// the name is resolved and judged, and the job's own socket is connected to
// what was judged.
func (b *broker) connectLocal(n *notification, t target, raw []byte) reply {
	name, _, _ := strings.Cut(string(raw[2:]), "\x00")
	s, e := t.resolve(unix.AT_FDCWD, name, true)
	if e != 0 {
		return reply{e: e}
	}
	if s.obj < 0 {
		s.close()
		return reply{e: unix.ENOENT}
	}
	real, e := s.path()
	if e != 0 {
		s.close()
		return reply{e: e}
	}
	sub := subject{spot: s, real: real, find: b.judge.write(real, false)}
	if s.st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		s.close()
		return reply{e: unix.ECONNREFUSED}
	}
	a := sub.asks(sub.find, b.access(t, OpWrite, real, name, ""))
	if !sub.find.OK && (!sub.find.onlyAsked() || b.asks.closed()) {
		s.close()
		return reply{e: b.refuse(a, sub.find.Quiet)}
	}
	// It waits where the service is busy.
	return reply{later: func() reply {
		defer sub.close()
		if !sub.find.OK && !b.wait(b.asks.ctx, n, a) {
			return reply{e: unix.EACCES}
		}
		sock, e := t.socket(int32(arg(n, 1)))
		if e != 0 {
			return reply{e: e}
		}
		defer unix.Close(sock)
		return b.connectTo(n, sock, &unix.SockaddrUnix{Name: fdPath(sub.obj)})
	}}
}

// connectTo connects, and waits where the service is busy for as long as the
// caller does and the job runs.
func (b *broker) connectTo(n *notification, sock int, to unix.Sockaddr) reply {
	flags, err := unix.FcntlInt(uintptr(sock), unix.F_GETFL, 0)
	if err != nil {
		return reply{e: errno(err)}
	}
	for {
		// The flag is the program's, too, so it is there for a moment only.
		if flags&unix.O_NONBLOCK == 0 {
			_ = unix.SetNonblock(sock, true)
		}
		err := unix.Connect(sock, to)
		if flags&unix.O_NONBLOCK == 0 {
			_ = unix.SetNonblock(sock, false)
		}
		if err != unix.EAGAIN || flags&unix.O_NONBLOCK != 0 || !notifyValid(b.fd, n.ID) || b.job.ending.Load() {
			return outcome(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
