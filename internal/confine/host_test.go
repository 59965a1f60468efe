package confine_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mayi/pkg/approval"
)

// TestAConnectionWaitsForThePerson: with an ask rule for the host, each connection
// is held until the person has answered, and one answer is one for the command.
func TestAConnectionWaitsForThePerson(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") }))
	defer srv.Close()
	_, port, err := net.SplitHostPort(srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	const asks = `{"executionMode":"auto","networkAllowHosts":["127.0.0.1"],"permissions":{"ask":["fetch(127.0.0.1)"]}}`
	r := newRoom(t, asks)
	// Through the proxy, as a client does for a host elsewhere; three at a time.
	line := fmt.Sprintf(`python3 -c "
import socket, threading
def one():
    s = socket.create_connection(('127.0.0.1', 3128))
    s.sendall(b'GET http://127.0.0.1:%s/ HTTP/1.1\r\nHost: x\r\n\r\n')
    b = b''
    while True:
        d = s.recv(4096)
        if not d: break
        b += d
    print(b.decode().split()[1], b.decode().split()[-1])
t = [threading.Thread(target=one) for _ in range(3)]
[x.start() for x in t]
[x.join() for x in t]
"`, port)
	for _, c := range []struct {
		answer approval.Choice
		served bool
		asked  int
	}{{approval.Once, true, 1}, {approval.Once, true, 1}, {approval.Session, true, 1}, {approval.No, true, 0}} {
		asked := 0
		_, out, said := r.run(line, approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
			if asked++; !strings.Contains(q.Command, "127.0.0.1") {
				t.Errorf("the question does not name the host: %+v", q)
			}
			return approval.Answer{Choice: c.answer, By: "test"}, nil
		}))
		if n := strings.Count(out, "200 served"); (n == 3) != c.served || asked != c.asked {
			t.Errorf("%s: asked %d times, printed %q, said %q", c.answer, asked, out, said)
		}
	}
	if _, out, said := newRoom(t, asks).run(line, nil); strings.Contains(out, "served") || len(said) != 1 ||
		!strings.Contains(said[0], "connect to 127.0.0.1:"+port+", which fetch(127.0.0.1) says to ask about, and nobody answered; to grant it,") {
		t.Errorf("nobody to ask: printed %q, said %q", out, said)
	}
	// A deny stands before an ask, and a policy that closes the network before both.
	yes := approval.AskerFunc(func(context.Context, approval.Question) (approval.Answer, error) {
		t.Error("what is denied was asked about")
		return approval.Answer{Choice: approval.Session, By: "test"}, nil
	})
	for _, settings := range []string{
		`{"executionMode":"auto","networkAllowHosts":["127.0.0.1"],"permissions":{"ask":["fetch(*)"],"deny":["fetch(127.0.0.1)"]}}`,
		`{"executionMode":"auto","network":"allowlist","networkAllowHosts":["other.test"],"permissions":{"ask":["fetch(127.0.0.1)"]}}`,
	} {
		r := newRoom(t, settings)
		r.file(r.space+"/c.sh", line)
		if _, out, said := r.run("sh c.sh", yes); strings.Contains(out, "served") || !strings.Contains(strings.Join(said, " "), "127.0.0.1") {
			t.Errorf("%s: printed %q, said %q", settings, out, said)
		}
	}
}

// TestWhatIsHeldAsksForANewHost: a script that runs only because it is confined
// waits for the person before it reaches a host that nothing names.
func TestWhatIsHeldAsksForANewHost(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") }))
	defer srv.Close()
	_, port, err := net.SplitHostPort(srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	const line = "python3 c.py"
	for _, c := range []struct {
		settings string
		answer   approval.Choice
		served   bool
		asked    int
	}{
		{`{"permissions":{"allowConfined":["command(python3)"]}}`, approval.Once, false, 1}, // a private address needs its name besides
		{`{"permissions":{"allowConfined":["command(python3)"]}}`, approval.No, false, 1},
		{`{"networkAllowHosts":["127.0.0.1"],"permissions":{"allowConfined":["command(python3)"]}}`, approval.No, true, 0},
	} {
		r := newRoom(t, c.settings)
		r.file(r.space+"/c.py", fmt.Sprintf(`import socket
s = socket.create_connection(('127.0.0.1', 3128))
s.sendall(b'GET http://127.0.0.1:%s/ HTTP/1.1\r\nHost: x\r\n\r\n')
print(s.makefile().read().split()[-1])
`, port))
		asked := 0
		_, out, said := r.runAs(r.held(line), approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
			if asked++; !strings.Contains(q.Command, "it wants to connect to 127.0.0.1") {
				t.Errorf("the question does not name the host: %+v", q)
			}
			return approval.Answer{Choice: c.answer, By: "test"}, nil
		}))
		if strings.Contains(out, "served") != c.served || asked != c.asked {
			t.Errorf("%s, %s: asked %d times, printed %q, said %q", c.settings, c.answer, asked, out, said)
		}
	}
	r := newRoom(t, `{"permissions":{"allowConfined":["command(python3)"]}}`)
	r.file(r.space+"/c.py", "import socket\ns = socket.create_connection(('127.0.0.1', 3128))\ns.sendall(b'GET http://new.test/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')\nprint(s.recv(99))\n")
	if _, out, said := r.runAs(r.held(line), nil); !strings.Contains(out, " 403 ") || len(said) != 1 || !strings.Contains(said[0], "connect to new.test:80, which a person has to allow, and nobody answered; to grant it, add the host to networkAllowHosts") {
		t.Errorf("nobody to ask: printed %q, said %q", out, said)
	}
}

// TestPastTheProxyNobodyIsAsked: a program that connects by itself is refused, and
// is told why in words that are true: no person was asked.
func TestPastTheProxyNobodyIsAsked(t *testing.T) {
	r := newRoom(t, `{"executionMode":"auto"}`)
	r.file(r.space+"/c.py", `
import socket
try:
    socket.create_connection(("192.0.2.1", 80), 5)
    print("connected")
except OSError as e:
    print("no")
`)
	_, out, said := r.run("python3 c.py", approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
		t.Errorf("asked: %+v", q)
		return approval.Answer{Choice: approval.Session, By: "test"}, nil
	}))
	if strings.TrimSpace(out) != "no" || len(said) != 1 || !strings.Contains(said[0], "tried to connect to 192.0.2.1:80, which is not reached past the proxy") {
		t.Errorf("printed %q, said %q", out, said)
	}
}
