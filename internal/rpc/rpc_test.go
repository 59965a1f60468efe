package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mayi/internal/assembly"
	"mayi/internal/confine"
	"mayi/internal/rpc"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/permissions"
)

// peer is a client of a server in this process.
type peer struct {
	t     *testing.T
	out   io.WriteCloser
	lines chan map[string]any
	done  chan error
	dir   string
}

// noTools stands where no tool is called that needs any.
func noTools(*assembly.App, string, approval.Asker) (rpc.Executor, error) {
	return nil, fmt.Errorf("there are no tools here")
}

func dial(t *testing.T, settings string, change func(*rpc.Options)) *peer {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"/space", "/other"} {
		if err := os.Mkdir(dir+d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	o := rpc.Options{
		Open: func(mode permissions.Mode, cwd string) (*assembly.App, error) {
			if cwd == "" {
				cwd = dir + "/space"
			}
			return assembly.Open(assembly.Options{Env: map[string]string{}, Config: config.Options{
				Cwd: cwd, Workspace: cwd, Home: dir, User: "dev", Mode: mode,
				UserFile: dir + "/settings.json", StateDir: dir + "/state", Override: []byte(settings),
			}})
		},
		Env:     []string{"PATH=/usr/bin:/bin"},
		Sandbox: func(*assembly.App) (string, error) { return confine.Off, nil },
		Run:     func(ctx context.Context, j confine.Job) (int, error) { return runner.Run(ctx, j.Command) },
		Tools:   noTools, Version: "test",
	}
	if change != nil {
		change(&o)
	}
	in, out := io.Pipe()
	back, answers := io.Pipe()
	p := &peer{t: t, out: out, lines: make(chan map[string]any, 4096), done: make(chan error, 1), dir: dir}
	go func() {
		err := rpc.New(o).Serve(context.Background(), in, answers)
		answers.Close()
		p.done <- err
	}()
	go func() {
		defer close(p.lines)
		read := bufio.NewScanner(back)
		read.Buffer(nil, 16<<20)
		for read.Scan() {
			var m map[string]any
			if read.Bytes()[0] == '[' {
				m = map[string]any{"batch": read.Text()}
			} else if err := json.Unmarshal(read.Bytes(), &m); err != nil {
				t.Errorf("answered with %q", read.Text())
			}
			p.lines <- m
		}
	}()
	t.Cleanup(func() { out.Close() })
	return p
}

func (p *peer) send(format string, args ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.out, format+"\n", args...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) next() map[string]any {
	p.t.Helper()
	select {
	case m, ok := <-p.lines:
		if !ok {
			p.t.Fatal("the server has ended")
		}
		return m
	case <-time.After(30 * time.Second):
		p.t.Fatal("no answer")
	}
	return nil
}

// batch is the next answer, which must be one to a batch.
func (p *peer) batch() (all []map[string]any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(fmt.Sprint(p.next()["batch"])), &all); err != nil {
		p.t.Error(err)
	}
	return all
}

// call sends a request and returns its answer; outputs are collected on the way.
func (p *peer) call(id int, method, params string) (answer map[string]any, output map[string]string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	output = map[string]string{}
	for {
		m := p.next()
		if m["method"] == "output" {
			o := m["params"].(map[string]any)
			text, _ := o["text"].(string)
			output[o["stream"].(string)] += text
			continue
		}
		if m["id"] != float64(id) {
			p.t.Fatalf("answered %v to %d", m, id)
		}
		return m, output
	}
}

func (p *peer) open(params string) string {
	p.t.Helper()
	a, _ := p.call(1, "session.open", params)
	return a["result"].(map[string]any)["session"].(string)
}

func text(m map[string]any) string {
	raw, _ := json.Marshal(m)
	return string(raw)
}

const loose = `{"remote_default_mode":"accept-edits","remote_max_mode":"accept-edits","permissions":{"allow":["command(printf)","command(sleep)","command(false)","command(cat)"],"deny":["command(rm)"]}}`

func TestOpeningSaysWhatWasGivenAndWhatWasLeftOut(t *testing.T) {
	p := dial(t, loose, nil)
	a, _ := p.call(1, "session.open", `{"agent":{"executionMode":"auto","network":"allow","ExecutionMode":"auto","mcpServers":{},"model":"m","tools":{"permissions":{}}}}`)
	r := a["result"].(map[string]any)
	if r["mode"] != "accept-edits" || r["requested"] != "auto" || r["agent"].(map[string]any)["model"] != "m" {
		t.Errorf("%s", text(a))
	}
	for _, key := range []string{"network", "ExecutionMode", "mcpServers"} {
		if !slices.Contains(r["dropped"].([]any), any(key)) {
			t.Errorf("%s is not named among what was dropped: %s", key, text(a))
		}
	}
	b, _ := p.call(2, "session.open", `{"agent":{"executionMode":"root"}}`)
	if r := b["result"].(map[string]any); r["unknownMode"] != "root" || r["mode"] != "accept-edits" {
		t.Errorf("%s", text(b))
	}
	if c, _ := dial(t, `{}`, nil).call(1, "session.open", `{}`); c["result"].(map[string]any)["mode"] != "plan" {
		t.Errorf("without settings: %s", text(c))
	}
}

func TestEvaluateAskExecute(t *testing.T) {
	questions := 0
	p := dial(t, loose, func(o *rpc.Options) {
		o.Queue = func(*assembly.App) approval.Asker {
			return approval.AskerFunc(func(_ context.Context, q approval.Question) (approval.Answer, error) {
				questions++
				return approval.Answer{Choice: approval.Once, By: "test"}, nil
			})
		}
	})
	s := p.open(`{}`)
	params := func(command, more string) string {
		return fmt.Sprintf(`{"session":%q,"tool":"bash","input":{"command":%q}%s}`, s, command, more)
	}
	for i, c := range []struct{ method, command, more, want string }{
		{"evaluate", "printf a", "", `"decision":"allow"`},
		{"evaluate", "rm a", "", `"decision":"deny"`},
		{"evaluate", "touch a", "", `"decision":"ask"`},
		{"execute", "rm a", "", `"ran":false`},
		{"execute", "touch a", "", `"ran":false`},
		{"execute", "false", "", `"exit":1`},
		{"ask", "touch a", "", `"decision":"allow"`},
		{"execute", "touch a", "", `"ran":true`}, // the answer was for this call, once
		{"execute", "touch a", "", `"ran":false`},
		{"execute", "touch a", `,"ask":true`, `"ran":true`},
		{"execute", "sleep 20", `,"timeout_seconds":0.2`, `"stopped":"it took longer`},
	} {
		a, _ := p.call(10+i, c.method, params(c.command, c.more))
		if !strings.Contains(text(a), c.want) {
			t.Errorf("%s %s: %s, want %s", c.method, c.command, text(a), c.want)
		}
	}
	if questions != 2 {
		t.Errorf("asked %d times", questions)
	}
	if _, err := os.Stat(p.dir + "/space/a"); err != nil {
		t.Error(err)
	}
	if _, out := p.call(50, "execute", params(`printf 'ä%s\n' one; printf two >&2`, "")); out["stdout"] != "äone\n" || out["stderr"] != "two" {
		t.Errorf("printed %q", out)
	}
}

func TestACancelledCommandEnds(t *testing.T) {
	p := dial(t, loose, nil)
	s := p.open(`{}`)
	p.send(`{"jsonrpc":"2.0","id":"long","method":"execute","params":{"session":%q,"tool":"bash","input":{"command":"printf started; sleep 60"}}}`, s)
	if m := p.next(); m["method"] != "output" {
		t.Fatal(text(m))
	}
	p.send(`{"jsonrpc":"2.0","id":7,"method":"cancel","params":{"id":"long"}}`)
	for range 2 {
		switch m := p.next(); m["id"] {
		case "long":
			if !strings.Contains(text(m), "it was cancelled") {
				t.Error(text(m))
			}
		case float64(7):
			if !strings.Contains(text(m), `"cancelled":true`) {
				t.Error(text(m))
			}
		}
	}
	if a, _ := p.call(8, "cancel", `{"id":"long"}`); !strings.Contains(text(a), `"cancelled":false`) {
		t.Error(text(a))
	}
}

func TestBadInputIsAnsweredAndRunsNothing(t *testing.T) {
	p := dial(t, loose, nil)
	s := p.open(`{}`)
	for _, c := range []struct{ line, want string }{
		{`{`, "-32700"},
		{`[]`, "-32600"},
		{`{"jsonrpc":"1.0","id":1,"method":"evaluate"}`, "-32600"},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"evaluate"}`, "-32600"},
		{`{"jsonrpc":"2.0","id":1,"method":"run"}`, "-32601"},
		{`{"jsonrpc":"2.0","id":1,"method":"evaluate","params":[]}`, "-32602"},
		{`{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{"session":"S","tool":"bash","input":{"command":"printf"},"mode":"auto"}}`, "mode"},
		{`{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{"session":"S","tool":"bash","tool":"read","input":{}}}`, "-32602"},
		{`{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{"session":"S","input":{}}}`, `no \"tool\"`},
		{`{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{"session":"S","tool":"bash","input":"ls"}}`, "-32602"},
		{`{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{"session":"S","tool":"bash","input":{"command":"printf"},"cwd":"here"}}`, "absolute"},
		{`{"jsonrpc":"2.0","id":1,"method":"evaluate","params":{"session":"none","tool":"bash","input":{}}}`, "no session"},
		{`{"jsonrpc":"2.0","id":1,"method":"execute","params":{"session":"S","tool":"mcp:x","input":{"name":"y"}}}`, "deny|only mayi"},
		{`{"jsonrpc":"2.0","id":1,"method":"session.open","params":{"cwd":"x"}}`, "absolute"},
	} {
		p.send("%s", strings.ReplaceAll(c.line, `"S"`, fmt.Sprintf("%q", s)))
		m := p.next()
		if !slices.ContainsFunc(strings.Split(c.want, "|"), func(w string) bool { return strings.Contains(text(m), w) }) || m["error"] == nil {
			t.Errorf("%s: %s, want %s", c.line, text(m), c.want)
		}
	}
	// The answers to a batch come together, as many as it has requests.
	p.send(`[{"jsonrpc":"2.0","id":1,"method":"initialize"},{"jsonrpc":"2.0","method":"cancel","params":{"id":9}},{"jsonrpc":"2.0","id":2,"method":"no"},3]`)
	if got := p.batch(); len(got) != 3 {
		t.Errorf("%v", got)
	}
	// A notification has no answer: the next one is that of the next request.
	p.send(`{"jsonrpc":"2.0","method":"execute","params":{"session":%q,"tool":"bash","input":{"command":"printf x"}}}`, s)
	if a, _ := p.call(2, "initialize", `{}`); a["result"] == nil {
		t.Error(text(a))
	}
}

func TestManyAtOnceAndTheEndOfInput(t *testing.T) {
	p := dial(t, loose, nil)
	s := p.open(`{}`)
	const n = 300
	var sending sync.WaitGroup
	sending.Go(func() {
		for i := range n {
			p.send(`{"jsonrpc":"2.0","id":%d,"method":"evaluate","params":{"session":%q,"tool":"bash","input":{"command":"printf %d"}}}`, 100+i, s, i)
		}
		p.out.Close()
	})
	seen := map[any]bool{}
	for m := range p.lines {
		if seen[m["id"]] || m["result"] == nil {
			t.Fatal(text(m))
		}
		seen[m["id"]] = true
	}
	sending.Wait()
	if err := <-p.done; err != nil || len(seen) != n {
		t.Errorf("%d answers, %v", len(seen), err)
	}
}
