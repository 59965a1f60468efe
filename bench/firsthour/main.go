// Firsthour counts the questions of a coding session: those that each agent asks
// by itself when nothing is set, and those that mayi asks with the starting policy
// that mayi install offers.
//
//	go run ./bench/firsthour        the table
//	go run ./bench/firsthour -v     and what mayi asks about, with the reason
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mayi/internal/assembly"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
)

func main() {
	verbose := flag.Bool("v", false, "list what mayi asks about")
	flag.Parse()
	rows, err := measure()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(table(rows))
	if *verbose {
		for _, line := range rows[0].reasons {
			fmt.Println(line)
		}
	}
}

// row is what one agent's session asks.
type row struct {
	agent
	calls, alone, with, denied int
	// more are the calls that mayi asks about and the agent does not.
	more []string
	// reasons are the calls that mayi does not allow, with why.
	reasons []string
}

// measure replays the session for every agent, in a project and a home of its own.
func measure() ([]row, error) {
	list, err := calls()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mayi-firsthour-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	home, project := filepath.Join(dir, "home"), filepath.Join(dir, "home", "src", "app")
	if err := furnish(project); err != nil {
		return nil, err
	}
	settings := filepath.Join(home, "settings.json")
	if err := os.WriteFile(settings, []byte(config.UserTemplate), 0o600); err != nil {
		return nil, err
	}
	app, err := assembly.Open(assembly.Options{NoRecord: true, Config: config.Options{Cwd: project, Workspace: project, Home: home, User: "dev", UserFile: settings}})
	if err != nil {
		return nil, err
	}
	defer app.Close()
	if len(app.Settings.Problems) > 0 {
		return nil, app.Settings.Problems
	}
	var rows []row
	for _, a := range agents {
		r := row{agent: a, calls: len(list)}
		for _, c := range list {
			tool, input, foreign, err := c.request(project, home)
			if err != nil {
				return nil, err
			}
			v := app.Gate.Decide(context.Background(), gate.Request{Caller: "hook " + a.name, Cwd: project, Tool: tool, Input: input, Foreign: foreign, Confines: a.confines})
			r.count(c, v)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func (r *row) count(c call, v gate.Verdict) {
	if c.asks(r.agent) {
		r.alone++
	}
	shown := c.kind + " " + strings.ReplaceAll(c.what, "\n", `\n`)
	switch v.Verdict {
	case permissions.Allow:
		return
	case permissions.Ask:
		r.with++
		if !c.asks(r.agent) {
			r.more = append(r.more, shown)
		}
	default:
		r.denied++
	}
	r.reasons = append(r.reasons, fmt.Sprintf("%-4s %s\n     %s", v.Verdict, shown, v.Reason))
}

// table is the rows as docs/first-hour.md has them.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| agent | calls | it asks by itself | with mayi | of those, it would not have asked |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", r.title, r.calls, r.alone, r.with, len(r.more))
	}
	return b.String()
}

// furnish makes a project as the calls expect it.
func furnish(project string) error {
	for name, text := range map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\trepositoryformatversion = 0\n", ".git/objects/.keep": "", ".git/refs/heads/.keep": "",
		".gitignore": "bin/\n", ".env": "TOKEN=x\n", "README.md": "", "CHANGELOG.md": "", "Makefile": "all:\n", "go.mod": "module app\n", "package.json": "{}\n", "requirements.txt": "",
		"cmd/app/main.go": "package main\n", "internal/server/server.go": "package server\n", "internal/server/server_test.go": "package server\n", "internal/config/config.go": "package config\n",
		"web/package.json": "{}\n", "web/package-lock.json": "{}\n", "web/src/index.ts": "", "web/src/api.ts": "", "config.example.yml": "",
		"scripts/check.sh": "#!/bin/sh\n", "scripts/release.sh": "#!/bin/sh\n", "scripts/version.mjs": "", "scripts/stats.py": "", "tests/test_stats.py": "", "docs/index.md": "", ".github/workflows/ci.yml": "",
		".venv/bin/pip": "#!/bin/sh\n", ".venv/bin/activate": "VIRTUAL_ENV=x\n",
	} {
		at := filepath.Join(project, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
