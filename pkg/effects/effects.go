package effects

import (
	"fmt"

	"mayi/pkg/permissions"
	"mayi/pkg/shell"
)

// Of works out what the call would do. It never fails: what it cannot make
// out is undeclared. Paths in the result are absolute but not resolved.
func Of(r Request, a *shell.Analyzer) (call permissions.Call) {
	call = permissions.Call{Tool: r.Tool, Remote: r.Remote}
	defer func() {
		if p := recover(); p != nil {
			call.Parts = nil
			call.Effects = undeclared(fmt.Sprintf("working out the call failed: %v", p))
			call.Unread = []permissions.Unread{{Why: "working out the call failed"}}
		}
	}()
	switch {
	case r.Tool.Server != "" || !r.Tool.Builtin:
		call.Effects = foreign(r)
	case IsShell(r.Tool.Name):
		shellCall(&call, r, a)
	default:
		call.Effects = builtin(r)
	}
	if len(call.Effects) == 0 && !call.Shell {
		call.Effects = undeclared("the tool declares no effect")
	}
	return call
}

// IsShell reports whether the built-in tool of this name runs a command line.
func IsShell(name string) bool { return name == "bash" || name == "exec" || name == "shell" }

func undeclared(why string) []permissions.Effect {
	return []permissions.Effect{{Kind: permissions.Undeclared, Part: -1, Why: why}}
}

func shellCall(call *permissions.Call, r Request, a *shell.Analyzer) {
	switch action := text(r.Input, "action"); action {
	case "", "run":
	case "list", "poll", "read":
		// Looks at the caller's own running sessions.
		call.Effects = []permissions.Effect{{Kind: permissions.Read, Certainty: permissions.Exact, Path: "", Part: -1, Origin: permissions.FromTool, Place: permissions.Place{Zone: permissions.Device}}}
		return
	case "kill":
		call.Effects = []permissions.Effect{{Kind: permissions.StateWrite, Certainty: permissions.Exact, Part: -1}}
		return
	default:
		call.Effects = undeclared(fmt.Sprintf("the action %q is not known", action))
		return
	}
	call.Shell = true
	command, ok := r.Input["command"].(string)
	if !ok {
		call.Unread = []permissions.Unread{{Why: "the call has no command text"}}
		call.Effects = undeclared("the call has no command text")
		return
	}
	call.Command = command
	cwd := r.Cwd
	if dir := firstText(r.Input, "cwd", "workdir", "dir_path"); dir != "" {
		cwd = absolute(dir, r)
	}
	real := ""
	if r.Real != nil {
		real = r.Real(cwd)
	}
	got := a.Analyze(command, shell.Env{Cwd: cwd, Real: real, Home: r.Home, User: r.User, Vars: r.Env})
	call.Parts, call.Effects, call.Unread = got.Parts, got.Effects, got.Unread
}

func text(in map[string]any, key string) string {
	s, _ := in[key].(string)
	return s
}

func firstText(in map[string]any, keys ...string) string {
	for _, k := range keys {
		if s := text(in, k); s != "" {
			return s
		}
	}
	return ""
}
