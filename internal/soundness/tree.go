package soundness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mayi/pkg/workspace"
)

// Tree is a throw-away home with a workspace in it and files around it:
//
//	home/        HOME: .bashrc, .gitconfig, notes.txt, .ssh/id
//	home/ws/     the workspace and working directory, a git repository
//	out/         somebody else's files; OUT in the environment
//	bin/         programs of the tree's own, first in PATH
type Tree struct {
	Root, Home, Work, Out, Bin string
}

func newTree(root string) *Tree {
	home := filepath.Join(root, "home")
	return &Tree{Root: root, Home: home, Work: filepath.Join(home, "ws"), Out: filepath.Join(root, "out"), Bin: filepath.Join(root, "bin")}
}

// env is the whole environment of a script. It is also what the analysis is
// told of it.
func (t *Tree) env() map[string]string {
	return map[string]string{
		"HOME": t.Home, "USER": "dev", "LOGNAME": "dev", "LANG": "C.UTF-8", "TERM": "dumb", "SHELL": "/bin/bash",
		"PATH": t.Bin + ":" + goBin() + "/usr/local/bin:/usr/bin:/bin", "OUT": t.Out, "PWD": t.Work,
		"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOTELEMETRY": "off",
	}
}

// goBin is the folder of the go command with a colon behind it, where it is
// none of the system's own.
func goBin() string {
	p, err := exec.LookPath("go")
	if dir := filepath.Dir(p); err == nil && dir != "/usr/bin" && dir != "/usr/local/bin" {
		return dir + ":"
	}
	return ""
}

func (t *Tree) workspace() *workspace.Workspace {
	return workspace.New(workspace.Config{Roots: []string{t.Work}, Home: t.Home, Cwd: t.Work})
}

func (t *Tree) inWorkspace(a *access) bool {
	for _, n := range a.names {
		if n == t.Work || below(n, t.Work) {
			return true
		}
	}
	return false
}

// homeRelative is a name of the access relative to the home, "" where it lies
// elsewhere or in the workspace.
func (t *Tree) homeRelative(a *access) string {
	for _, n := range a.names {
		if below(n, t.Home) && !below(n, t.Work) && n != t.Work {
			return n[len(t.Home)+1:]
		}
	}
	return ""
}

// plant makes the tree by a script of its own.
func (t *Tree) plant() error {
	if err := os.MkdirAll(t.Work, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("bash", "-euc", planting)
	cmd.Dir = t.Work
	cmd.Env = []string{}
	for k, v := range t.env() {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Env = append(cmd.Env, "BIN="+t.Bin, "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the throw-away tree cannot be made: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// copyTo makes a fresh copy of the tree.
func (t *Tree) copyTo(root string) (*Tree, error) {
	if out, err := exec.Command("cp", "-a", t.Root+"/.", root).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the throw-away tree cannot be copied: %w: %s", err, out)
	}
	return newTree(root), nil
}
