//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"mayi/internal/confine"
	"mayi/internal/core"
	"mayi/internal/invoke"
	"mayi/internal/runner"
	"mayi/internal/ui"
	"mayi/pkg/approval"
	"mayi/pkg/config"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
)

// run is "mayi run" for a command that is allowed as it stands: nobody has to
// be asked, nothing told, and no connection be carried.
func run(ctx context.Context, args []string) (code int, done bool) {
	flags, words, ok := parse(args)
	if !ok {
		return 0, false
	}
	var ahead *sandbox.Prepared // its start and the decision take place at the same time
	if flags.Sandbox != confine.Off {
		ahead = sandbox.Prepare()
		defer ahead.Release()
	}
	o, err := flags.Config()
	if err != nil {
		return 0, false
	}
	name := flags.Name(os.Getenv("MAYI_SESSION"))
	list, _ := config.Environ()
	env := runner.ChildEnv(list)
	keeper, opened := light(name)
	c, err := core.Open(core.Options{Config: o, Env: config.ByName(env), Keep: keeper})
	if err != nil || len(c.Settings.Problems) > 0 || len(c.Settings.Notices) > 0 || !opened() {
		return 0, false
	}
	mode, err := flags.Confinement(c.Settings.Sandbox)
	if err != nil {
		return 0, false
	}
	request := invoke.Shell(name, "run", c.Config.Cwd, invoke.Line(words))
	request.Confines = mode != confine.Off
	v := c.Gate.Decide(ctx, request)
	if v.Verdict != permissions.Allow || connects(v.Call, c.Settings.Policy()) {
		return 0, false
	}
	begin := c.Gate.Begin
	if request.Confines {
		begin = c.Gate.BeginConfined
	}
	end, err := begin(ctx, v)
	if err != nil {
		return 0, false
	}
	style := ui.For(os.Stderr, noColor())
	job := confine.Job{
		Gate: c.Gate, Verdict: v, Mode: mode, Prepared: ahead,
		Command: runner.Command{
			Text: v.Text, Dir: c.Config.Cwd, Env: env,
			Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Terminal: term.IsTerminal(0),
		},
		Reach: func(ctx context.Context, a gate.Access) approval.Choice {
			return reach(ctx, invoke.Reaching{Config: c.Config, Verdict: v, Access: a})
		},
		Say: func(text string) { fmt.Fprintln(os.Stderr, style.Yellow("mayi:"), approval.Line(text)) },
	}
	if job.Command.Terminal && term.IsTerminal(1) {
		job.Tty = os.Stdin
	}
	code, err = confine.Run(ctx, job)
	if err != nil {
		end("failed: " + err.Error())
		if mode == confine.Auto && errors.Is(err, confine.ErrUnmet) {
			return 0, false // what the kernel cannot hold here is the person's to say
		}
		fmt.Fprintln(os.Stderr, style.Red("mayi: ")+err.Error())
		return code, true
	}
	end(fmt.Sprintf("exit %d", code))
	return code, true
}

// connects reports whether the call may reach the network under the policy: the
// front links nothing that could carry its connections.
func connects(c permissions.Call, p permissions.Policy) bool {
	return sandbox.FromCall(c, sandbox.Options{Policy: p}).Network.Proxy
}

// parse reads the flags that the front knows. Any other, and a flag behind the
// first word, is for the engine.
func parse(args []string) (f invoke.Flags, words []string, ok bool) {
	values := map[string]*string{
		"-w": &f.Workspace, "--workspace": &f.Workspace, "--cwd": &f.Cwd, "--session": &f.Session,
		"--mode": &f.Mode, "--settings": &f.Settings, "--sandbox": &f.Sandbox,
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return f, args[i+1:], len(args) > i+1
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			for _, later := range args[i:] {
				if strings.HasPrefix(later, "-") {
					return f, nil, false
				}
			}
			return f, args[i:], true
		}
		name, value, joined := strings.Cut(a, "=")
		to := values[name]
		if to == nil || joined && name == "-w" {
			return f, nil, false
		}
		if !joined {
			if i++; i == len(args) {
				return f, nil, false
			}
			value = args[i]
		}
		if value == "" {
			return f, nil, false
		}
		*to = value
	}
	return f, nil, false
}

func noColor() bool {
	_, none := os.LookupEnv("NO_COLOR")
	return none || os.Getenv("TERM") == "dumb"
}
