package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mayi/test/e2e/model"
)

// world is one clean machine for one run: a home, a workspace, a place outside
// of it, and a PATH with the agent and mayi on it.
type world struct {
	t     *testing.T
	agent *agent
	root  string
	home  string
	ws    string
	out   string // outside of the workspace
	bin   string
	probe string // what reached the MCP server
	model *model.Server
}

// limit is for one agent's whole run; an agent that hangs is a finding, not a
// reason to wait.
const limit = 3 * time.Minute

func newWorld(t *testing.T, a *agent) *world {
	t.Helper()
	w := &world{t: t, agent: a, root: newRoot(t)}
	w.home, w.ws, w.out, w.bin = w.path("home"), w.path("ws"), w.path("out"), w.path("bin")
	w.probe = w.path("probe.log")
	for _, dir := range []string{w.home, w.ws, w.out, w.bin, w.path("requests")} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	w.write("ws/notes.txt", "the content of the notes\n")
	w.write("out/secret.txt", "the content of the secret\n")
	w.write("out/precious/file", "precious\n")
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-qm", "begin")
	w.model = model.New(w.path("requests"))
	t.Cleanup(w.model.Close)
	w.link(a)
	a.configure(w)
	return w
}

func newRoot(t *testing.T) string {
	t.Helper()
	if *keep != "" {
		root := filepath.Join(*keep, strings.ReplaceAll(t.Name(), "/", "_"))
		must(t, os.RemoveAll(root))
		return root
	}
	// Not in /tmp, of which a confined command has its own.
	root, err := os.MkdirTemp(filepath.Dir(*agentsDir), "world-")
	must(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	return root
}

func (w *world) link(a *agent) {
	start := a.start(*agentsDir)
	for _, part := range start {
		if _, err := os.Stat(part); err != nil {
			w.t.Fatalf("%s is not installed: %v", a.name, err)
		}
	}
	w.script("bin/"+a.program, "exec "+strings.Join(start, " ")+` "$@"`)
	w.useMayi()
}

func (w *world) git(args ...string) {
	w.t.Helper()
	args = append([]string{"-c", "user.name=e2e", "-c", "user.email=e2e@localhost"}, args...)
	if out, err := w.command("git", args...).CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// env is all that the agents get of an environment.
func (w *world) env() []string {
	return []string{
		"HOME=" + w.home, "PATH=" + w.bin + ":/usr/bin:/bin", "PWD=" + w.ws, "SHELL=/bin/bash",
		"LANG=C.UTF-8", "TERM=dumb", "USER=e2e", "NO_COLOR=1",
		// Agents look for updates and packages; nothing is to be found.
		"npm_config_registry=http://127.0.0.1:9", "npm_config_fetch_retries=0", "NO_UPDATE_NOTIFIER=1",
	}
}

func (w *world) command(name string, args ...string) *exec.Cmd {
	path := name
	if own := filepath.Join(w.bin, name); exists(own) {
		path = own
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = w.ws, w.env()
	return cmd
}

// play lets the agent work through script and returns what it reported to the
// model for each call.
func (w *world) play(script ...model.Call) []string {
	w.t.Helper()
	w.model.Play(script)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := w.command(w.agent.program, w.agent.args(w)...)
	if w.agent.env != nil {
		cmd.Env = append(cmd.Env, w.agent.env(w)...)
	}
	log, err := os.Create(filepath.Join(w.root, "agent.log"))
	must(w.t, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	together(cmd)
	begin := time.Now()
	must(w.t, cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = errors.New("still running after " + limit.String())
	}
	// Helpers that the agent left behind go with it.
	endAll(cmd)
	w.t.Logf("%s: %d calls in %.1fs, %v", w.agent.name, len(w.model.Results()), time.Since(begin).Seconds(), err)
	results := w.model.Results()
	if len(results) != len(script) {
		out, _ := os.ReadFile(log.Name())
		w.t.Fatalf("%s reported %d of %d calls; tools %v; results %q; it said:\n%s", w.agent.name, len(results), len(script), w.model.Tools(), results, tail(out))
	}
	for i, r := range results {
		w.t.Logf("%d %s: %q", i+1, script[i].Tool, tail([]byte(r)))
	}
	return results
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

func (w *world) write(name, content string) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	must(w.t, os.WriteFile(w.path(name), []byte(content), 0o644))
}

func (w *world) script(name, body string) {
	w.t.Helper()
	// The old file may be a link to something that is not ours to write.
	must(w.t, os.RemoveAll(w.path(name)))
	w.write(name, "#!/bin/sh\n"+body+"\n")
	must(w.t, os.Chmod(w.path(name), 0o755))
}

func (w *world) has(name string) bool { return exists(w.path(name)) }

func (w *world) read(name string) string {
	data, err := os.ReadFile(w.path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(data)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func tail(out []byte) []byte {
	if len(out) > 4000 {
		return out[len(out)-4000:]
	}
	return out
}
