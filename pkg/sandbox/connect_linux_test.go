//go:build linux && (amd64 || arm64)

package sandbox

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// connectRace changes, while a connection is held, its descriptor from an
// internet socket to a local one and its address from a harmless one to the
// name of a service.
const connectRace = `/usr/bin/python3 - <<'PY'
import ctypes, os, socket, struct, sys, threading
l = ctypes.CDLL(None, use_errno=True); sys.setswitchinterval(1e-5); stop = []
name = struct.pack('H', 1) + (os.environ['OUT'] + '/sock').encode() + b'\0'
first = {'loopback': struct.pack('!2sHI', struct.pack('H', 2), 9, 0x7f000001), 'nothing': struct.pack('H', 0) + b'\0' * 14, 'abstract': struct.pack('H', 1) + b'\0x'}
def attempt(what, inet):
    buf = ctypes.create_string_buffer(name, 110)
    def swap():
        while not stop:
            buf[:len(first[what])] = first[what]
            for _ in range(20): pass
            buf[:len(name)] = name
    t = threading.Thread(target=swap, daemon=True); t.start()
    for i in range(150):
        s = socket.socket(socket.AF_UNIX); n = socket.socket() if inet else s
        f = os.dup(n.fileno())
        u = threading.Thread(target=lambda: os.dup2(s.fileno(), f))
        if inet: u.start()
        if l.connect(f, buf, 110) == 0: print('connected')
        if inet: u.join()
        os.close(f); s.close(); n.close()
    stop.append(1); t.join(); stop.clear()
for what in first: attempt(what, False)
attempt('loopback', True)
print('RAN')
PY
`

// TestAConnectionIsMadeToWhatWasJudged: a service whose socket can be seen but
// not written to is not reached, whatever changes under way.
func TestAConnectionIsMadeToWhatWasJudged(t *testing.T) {
	can(t)
	ws, out := space(t)
	l, err := net.Listen("unix", out+"/sock")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var reached atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			c.Close()
		}
	}()
	s := spec(ws)
	s.Read = append(s.Read, out)
	for name, way := range ways(t, &s, &Command{}) {
		r := try(t, way, s, Command{Shell: connectRace, Env: append(env(), "OUT="+out)})
		if r.err == nil && !strings.Contains(r.out, "RAN") || reached.Load() > 0 {
			t.Errorf("%s: reached %d times: %s", name, reached.Swap(0), r.out)
		}
	}
}

// TestConnectionsInside: what a job makes for itself is reached as ever.
func TestConnectionsInside(t *testing.T) {
	can(t)
	ws, _ := space(t)
	r := run(t, spec(ws), Command{Shell: `/usr/bin/python3 - <<'PY'
import socket, threading
def pair(family, addr, block):
    l = socket.socket(family); l.bind(addr); l.listen(8)
    c = socket.socket(family); c.setblocking(block)
    try: c.connect(l.getsockname())
    except BlockingIOError: pass
    a, _ = l.accept(); a.sendall(b'hi'); c.setblocking(True); print(c.recv(2).decode())
for block in (True, False):
    pair(socket.AF_INET, ('127.0.0.1', 0), block); pair(socket.AF_INET6, ('::1', 0), block); pair(socket.AF_UNIX, '\0name%d' % block, block); pair(socket.AF_UNIX, 'sock%d' % block, block)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(('127.0.0.1', 0)); v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); v.connect(u.getsockname()); v.send(b'hi'); print(u.recv(2).decode())
c = socket.socket(); c.settimeout(5)
try: c.connect(('127.0.0.1', 1))
except ConnectionRefusedError: print('hi')
PY
`})
	if n := strings.Count(r.out, "hi\n"); n != 10 {
		t.Errorf("%d of 10: %s", n, r.out)
	}
}
