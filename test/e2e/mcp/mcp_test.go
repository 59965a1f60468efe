// Package mcp drives mayi's MCP server and proxy with a client and a server of
// another SDK than its own, over each transport. The tests need node and that
// SDK (make e2e-mcp installs it) and are skipped without.
package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	sdkDir   = flag.String("sdk", "", "folder with the SDK's node_modules; without it every test is skipped")
	mayiPath = flag.String("mayi", "", "the mayi under test, as it is shipped")
)

// world is a home and a workspace with mayi's settings, and the scripts beside
// the SDK.
type world struct {
	home, space, mayi string
	env               []string
}

func newWorld(t *testing.T, settings string) world {
	t.Helper()
	if *sdkDir == "" || *mayiPath == "" {
		t.Skip("the SDK is not installed; make e2e-mcp does that")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := world{home: home, space: home + "/space", mayi: *mayiPath}
	for name, text := range map[string]string{home + "/.config/mayi/settings.json": settings, w.space + "/notes.txt": "a note\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, script := range []string{"client.mjs", "server.mjs"} {
		raw, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		// Node looks for the SDK from where the script lies.
		if err := os.WriteFile(filepath.Join(*sdkDir, script), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "USER=dev", "MAYI_MCP_TOKEN=" + token}
	return w
}

const token = "a-token-for-the-tests"

func script(name string) string { return filepath.Join(*sdkDir, name) }

// client runs the SDK's client and returns what it found.
func (w world) client(t *testing.T, how map[string]any) map[string]any {
	t.Helper()
	how["cwd"] = w.space
	raw, err := json.Marshal(how)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", script("client.mjs"), string(raw))
	cmd.Dir, cmd.Env = w.space, w.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the client failed: %v\n%s\n%s", err, out, errs.String())
	}
	var found map[string]any
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return found
}

// start runs a program until the test is over, and returns what the pattern's
// first group finds in what it prints.
func (w world) start(t *testing.T, pattern string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = w.space, w.env
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	err = cmd.Start()
	out.Close()
	if err != nil {
		t.Fatal(err)
	}
	found := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		re := regexp.MustCompile(pattern)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			if m := re.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case found <- m[1]:
				default:
				}
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		ended := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // however it ends
		ended.Stop()
		<-done
		r.Close()
	})
	select {
	case s := <-found:
		return s
	case <-time.After(time.Minute):
		t.Fatalf("%s did not start", argv[0])
	}
	return ""
}

// TestTheProxy is the SDK's client before the SDK's server, over each pair of
// transports.
func TestTheProxy(t *testing.T) {
	const settings = `{
		"allowNonWorkspaceAccess": true, "remote_default_mode": "accept-edits",
		"permissions": {
			"allow": ["mcp(third.echo)", "mcp(third.large)", "mcp(third.structured)", "mcp(third.steps)", "mcp(third.wait)", "mcp(third.cancelled)", "mcp(third.change)"],
			"deny": ["mcp(third.denied)"]
		}
	}`
	for _, to := range []string{"stdio", "http"} {
		for _, from := range []string{"stdio", "http"} {
			t.Run(from+" to "+to, func(t *testing.T) {
				w := newWorld(t, settings)
				args := []string{"mcp", "proxy", "--name", "third"}
				if from == "http" {
					args = append(args, "--http", "127.0.0.1:0")
				}
				if to == "http" {
					args = append(args, "--url", "http://127.0.0.1:"+w.start(t, `^(\d+)$`, "node", script("server.mjs"), "0"))
				} else {
					args = append(args, "--", "node", script("server.mjs"))
				}
				how := map[string]any{"command": w.mayi, "args": args}
				if from == "http" {
					how = map[string]any{"url": w.start(t, `listens at (\S+)`, append([]string{w.mayi}, args...)...), "token": token}
				}
				proxied(t, w.client(t, how))
			})
		}
	}
}

func proxied(t *testing.T, found map[string]any) {
	for key, want := range map[string]string{
		"tools":      "[asked cancelled change echo large steps structured wait]",
		"echo":       "<é>",
		"once":       "ran",
		"large":      "9.437184e+06",
		"structured": `{"n":1.5}`,
		"steps":      "[1 2 3]",
		"resource":   "a resource",
		"wait":       "given up",
		"cancelled":  "true",
		"many":       "1000",
		"shown":      "says it again",
	} {
		if got := fmt.Sprint(found[key]); got != want {
			t.Errorf("%s: %.300s, want %s", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"denied":    "denied by mcp(third.denied)",
		"asked":     "the person denied this call",
		"changed":   "the person denied this call",
		"questions": "- says it again",
	} {
		if got := fmt.Sprint(found[key]); !strings.Contains(got, want) {
			t.Errorf("%s: %.2000s, which lacks %s", key, got, want)
		}
	}
	if n := len(found["questions"].([]any)); n != 3 {
		t.Errorf("%d questions: %v", n, found["questions"])
	}
}

// TestTheServer is the SDK's client with mayi's own tools.
func TestTheServer(t *testing.T) {
	for _, from := range []string{"stdio", "http"} {
		t.Run(from, func(t *testing.T) {
			w := newWorld(t, `{"remote_default_mode":"accept-edits","permissions":{"deny":["command(rm)"]}}`)
			how := map[string]any{"command": w.mayi, "args": []string{"mcp"}, "own": true, "answer": "once"}
			if from == "http" {
				how = map[string]any{"url": w.start(t, `listens at (\S+)`, w.mayi, "mcp", "--http", "127.0.0.1:0"), "token": token, "own": true, "answer": "once"}
			}
			found := w.client(t, how)
			for key, want := range map[string]string{
				"tools": "approve edit exec find grep ls read request_permission tool_search web_fetch write",
				"read":  "a note", "exec": "exit code 0", "outside": "error: ", "approve": `"behavior":"deny"`, "questions": "touch made.txt",
			} {
				if got := fmt.Sprint(found[key]); !strings.Contains(got, want) {
					t.Errorf("%s: %s, which lacks %s", key, got, want)
				}
			}
			if raw, err := os.ReadFile(w.space + "/made.txt"); err != nil || len(raw) != 0 {
				t.Errorf("the command made %q, %v", raw, err)
			}
		})
	}
}
