package tools

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/shell"
	"mayi/pkg/shell/knowledge"
)

// memory is a recorder that keeps what it is given.
type memory struct {
	mu   sync.Mutex
	list []gate.Record
}

func (m *memory) Record(_ context.Context, r gate.Record) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, r)
	return int64(len(m.list)), nil
}

// realBench is one agent session on the real gate.
type realBench struct {
	root, home, outside string
	caches              map[string]*PermissionCache
	gate                *gate.Gate
	record              *memory
}

const everyday = `{
	"executionMode": "accept-edits",
	"permissions": {
		"allow": ["command(ls)", "command(cat)", "command(dd)", "command(grep)", "command(touch)", "command(sort)", "command(mkdir)", "command(sleep)", "command(bash)", "command(head)"],
		"deny": ["command(rm)"]
	}
}`

func newReal(t *testing.T, settings string) *realBench {
	t.Helper()
	base := canonicalDir(t)
	b := &realBench{root: base + "/ws", home: base + "/home", outside: base + "/desktop", caches: map[string]*PermissionCache{}, record: &memory{}}
	for _, d := range []string{b.root, b.home, b.outside, base + "/ws-evil", base + "/desktop2"} {
		write(t, d+"/f", "text of "+filepath.Base(d)+"\n")
	}
	s, err := config.Load(config.Options{
		Cwd: b.root, Home: b.home, User: "tester", Workspace: b.root, StateDir: base + "/state", NoUser: true, Override: []byte(settings),
	})
	if err != nil {
		t.Fatal(err)
	}
	b.gate, err = gate.New(gate.Options{
		Settings: s, Analyzer: shell.New(knowledge.Load()), Recorder: b.record,
		Grants: func(id string) approval.Grants { return b.cache(id).Grants() },
		Cwd:    b.root, Home: b.home, User: "tester", Env: map[string]string{"HOME": b.home, "PATH": "/usr/bin:/bin"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *realBench) cache(id string) *PermissionCache {
	if b.caches[id] == nil {
		b.caches[id] = NewPermissionCache()
	}
	return b.caches[id]
}

// agent is the tools of one session, as an agent has them.
func (b *realBench) agent(t *testing.T, id string, asker approval.Asker) (*Registry, *RequestPermissionTool) {
	t.Helper()
	s := NewSession(SessionOptions{
		Gate: b.gate, ID: id, Caller: "test", Cwd: b.root, Home: b.home, Asker: asker,
		Env: []string{"HOME=" + b.home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
	})
	exec, err := NewExecTool(Options{Session: s, Roots: []string{b.root}, AskPermission: true, EnableDenyPatterns: true})
	if err != nil {
		t.Fatal(err)
	}
	ask := NewRequestPermissionTool(b.cache(id), WithSession(s))
	r := NewRegistry(s)
	for _, tool := range append(FileTools(s), exec, ask, NewToolSearch(r)) {
		if err := r.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { r.Close() })
	return r, ask
}

// TestFaultsOfTheFirstSeed: each known fault of the first seed's code, on the
// real gate. "asks" lists the paths that the refusal must name; none means
// that the command runs.
func TestFaultsOfTheFirstSeed(t *testing.T) {
	b := newReal(t, everyday)
	r, _ := b.agent(t, "s", nil)
	b.cache("s").Grant(b.outside+"/ok", "session")
	ws, out, home, base := b.root, b.outside, b.home, filepath.Dir(b.root)
	write(t, out+"/ok/f", "fine\n")
	for _, tt := range []struct {
		name, command string
		asks          []string
	}{
		{"inside", "cat f " + ws + "/f", nil},
		{"a granted folder", "cat " + out + "/ok/f", nil},
		{"the workspace's name as a prefix", "cat " + ws + "-evil/f", []string{base + "/ws-evil/f"}},
		{"a granted name as a prefix", "cat " + out + "2/f", []string{base + "/desktop2/f"}},
		{"climbing out of the workspace", "cat " + ws + "/../desktop/f", []string{out + "/f"}},
		{"climbing out of a grant", "cat " + out + "/ok/../f", []string{out + "/f"}},
		{"a relative path", "cat ../desktop/f", []string{out + "/f"}},
		{"not the first path", "cat " + ws + "/f " + out + "/ok/f " + out + "/f", []string{out + "/f"}},
		{"all paths are named", "cat " + out + "/f " + base + "/desktop2/f", []string{out + "/f", base + "/desktop2/f"}},
		{"the home by a tilde", "cat ~/f", []string{home + "/f"}},
		{"the home by its variable", "cat $HOME/f", []string{home + "/f"}},
		{"quotes", "cat '" + out + "'/\"f\"", []string{out + "/f"}},
		{"input from a file", "cat <" + out + "/f", []string{out + "/f"}},
		{"output to a file", "cat f >" + out + "/new", []string{out + "/new"}},
		{"a value joined by =", "dd if=f of=" + out + "/new", []string{out + "/new"}},
		{"an option's value", "grep --file=" + out + "/f f", []string{out + "/f"}},
		{"commands glued together", "ls;cat " + out + "/f", []string{out + "/f"}},
		{"the program's own path", "/bin/ls", nil},
		{"/dev/null", "ls none-such 2>/dev/null || ls", nil},
		{"text that looks like a path", "echo " + out + "/f 'rm -rf /'", nil},
		{"a changed directory", "cd .. && cat desktop/f", []string{out + "/f"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := r.Execute(t.Context(), "exec", map[string]any{"command": tt.command})
			if len(tt.asks) == 0 {
				if res.IsError || res.refused() {
					t.Errorf("%q: %s", tt.command, res.ForLLM)
				}
				return
			}
			wantText(t, tt.command, res.ForLLM, append(tt.asks, "Permission needed", "request_permission")...)
			if strings.Contains(res.ForLLM, "text of") {
				t.Error("it ran")
			}
		})
	}
}

// TestSeedFlowOnTheRealGate walks once, session and no from end to end.
func TestSeedFlowOnTheRealGate(t *testing.T) {
	b := newReal(t, everyday)
	r, ask := b.agent(t, "one", nil)
	other, _ := b.agent(t, "two", nil)
	command := map[string]any{"command": "ls " + b.outside}
	needs := func(r *Registry) bool {
		res := r.Execute(t.Context(), "exec", command)
		return strings.Contains(res.ForLLM, "Permission needed")
	}
	answer := func(c approval.Choice) *ToolResult {
		t.Helper()
		q := r.Execute(t.Context(), "request_permission", map[string]any{"path": b.outside, "command": command["command"]})
		if !q.Pending {
			t.Fatalf("no question: %+v", q)
		}
		res, err := ask.Answer(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if !needs(r) {
		t.Fatal("it ran without a permission")
	}
	answer(approval.Once)
	if needs(r) {
		t.Fatal("once does not run")
	}
	if !needs(r) {
		t.Fatal("once runs twice")
	}
	answer(approval.Session)
	for range 2 {
		if needs(r) {
			t.Fatal("session does not last")
		}
	}
	if res := r.Execute(t.Context(), "exec", map[string]any{"command": "touch " + b.outside + "/new"}); !res.refused() {
		t.Errorf("a read grant opens writing: %s", res.ForLLM)
	}
	if !needs(other) {
		t.Fatal("a grant leaks into another session")
	}
	b.cache("one").Revoke(b.outside)
	if !needs(r) {
		t.Fatal("a revoked grant lasts")
	}
	if res := answer(approval.No); !res.IsError {
		t.Errorf("%+v", res)
	}
	res := r.Execute(t.Context(), "exec", command)
	if !res.IsError || !strings.Contains(res.ForLLM, "denied") {
		t.Errorf("after no: %+v", res)
	}
	res = r.Execute(t.Context(), "exec", map[string]any{"command": "cat " + b.outside + "/f"})
	if !res.IsError || res.refused() {
		t.Errorf("the denial is not inherited: %+v", res)
	}
	if res := r.Execute(t.Context(), "request_permission", map[string]any{"path": b.outside, "command": command["command"]}); res.Pending || !res.IsError {
		t.Errorf("asked again: %+v", res)
	}
	b.record.mu.Lock()
	defer b.record.mu.Unlock()
	if len(b.record.list) == 0 {
		t.Error("nothing was recorded")
	}
}

// TestTypedIntoAShellOnTheRealGate: the real reading of the language sees
// through what a text match would not.
func TestTypedIntoAShellOnTheRealGate(t *testing.T) {
	for _, pty := range []bool{false, true} {
		b := newReal(t, everyday)
		r, _ := b.agent(t, "s", nil)
		res := r.Execute(t.Context(), "exec", map[string]any{"command": "bash --norc", "background": true, "pty": pty})
		m := sessionName.FindStringSubmatch(res.ForLLM)
		if m == nil {
			t.Fatalf("%+v", res)
		}
		typed := func(data string) *ToolResult {
			return r.Execute(t.Context(), "exec", map[string]any{"action": "write", "sessionId": m[1], "data": data})
		}
		for _, ok := range []string{"touch a\n", "mkdir sub\n", "cd sub\n", "touch b\n", "for i in 1 2\ndo\ntouch c$i\ndone\n", "cat <<EOF\nrm x\nEOF\n", "x=1\n", "touch d$x\n"} {
			if res := typed(ok); res.IsError || res.refused() {
				t.Fatalf("pty %v: %q: %+v", pty, ok, res)
			}
		}
		for _, bad := range []string{
			"rm -rf x\n", "r''m x\n", "touch e; rm x\n", "(rm x)\n", "cat ../../desktop/f\n", "cat ~/f\n",
			"f() { rm x; }\nf\n", "cat <<EOF\n$(rm x)\nEOF\n", "for i in 1\ndo\nrm x\ndone\n", "x=rm\n$x y\n",
		} {
			res := typed(bad)
			if !res.IsError && !res.refused() {
				t.Errorf("pty %v: %q was typed: %+v", pty, bad, res)
			}
		}
		for _, f := range []string{"a", "sub/b", "sub/c1", "sub/c2", "sub/d1"} {
			waitFor(t, filepath.Join(b.root, f))
		}
		if _, err := os.Stat(filepath.Join(b.root, "sub", "e")); err == nil {
			t.Error("a part of a refused line was run")
		}
	}
}

// TestTypedStateCannotHideACommand: each first line changes what the second
// one means; the pair must not get through, whichever line is refused.
func TestTypedStateCannotHideACommand(t *testing.T) {
	for name, lines := range map[string][2]string{
		"alias":          {"shopt -s expand_aliases; alias ls='touch planted; rm x'\n", "ls\n"},
		"function":       {"ls() { rm x; }\n", "ls\n"},
		"variable":       {"HOME=" + "/etc" + "\n", "cat ~/passwd\n"},
		"trap":           {"trap 'rm x' DEBUG\n", "ls\n"},
		"prompt command": {"PROMPT_COMMAND='rm x'\n", "ls\n"},
		"prompt":         {"PS1='$(rm x)'\n", "ls\n"},
		"prompt split":   {"P\\\nS1='$(rm x)'\n", "ls\n"},
		"prompt quoted":  {`declare "P""S1"='$(rm x)'` + "\n", "ls\n"},
		"prompt built":   {"x=S; printf -v P${x}1 '$(rm x)'\n", "ls\n"},
		"prompt looped":  {"for PS1 in '$(rm x)'; do :; done\n", "ls\n"},
		"prompt read":    {"x=$(cat f); read P$x < f\n", "ls\n"},
		"hash":           {"hash -p /bin/rm ls\n", "ls x\n"},
		"path":           {"PATH=/nowhere\n", "ls\n"},
		"source":         {"source ./planted.sh\n", "ls\n"},
		"eval":           {"eval \"$(cat f)\"\n", "ls\n"},
		"exec":           {"exec 0</dev/null; exec rm x\n", "ls\n"},
		"key":            {`bind '"\C-m": "rm x\C-j"'` + "\n", "ls\n"},
		"key command":    {`bind -x '"\C-m": rm x'` + "\n", "ls\n"},
		"loaded builtin": {"enable -f ./evil.so ls\n", "ls\n"},
		"completion":     {"complete -C 'rm x' ls\n", "ls\n"},
		"cd function":    {"cd() { builtin cd /; }\n", "cd sub; cat f\n"},
		"history":        {"fc -s\n", "ls\n"},
		"mapfile":        {"mapfile -C 'rm x' -c 1 a < f\n", "ls\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newReal(t, everyday)
			r, _ := b.agent(t, "s", nil)
			res := r.Execute(t.Context(), "exec", map[string]any{"command": "bash --norc", "background": true, "pty": true})
			m := sessionName.FindStringSubmatch(res.ForLLM)
			if m == nil {
				t.Fatalf("%+v", res)
			}
			for _, l := range lines {
				res := r.Execute(t.Context(), "exec", map[string]any{"action": "write", "sessionId": m[1], "data": l})
				if res.IsError || res.refused() {
					return
				}
			}
			t.Errorf("both lines were typed: %q", lines)
		})
	}
}
