package scripted

import (
	"strings"

	"mayi/pkg/agent/model"
)

// turn is the running turn, read off the conversation.
type turn struct {
	// work is the call that the person's line became.
	work model.Call
	// asked counts the request_permission calls of the turn.
	asked int
	// last is the newest call and result what it came to.
	last   model.Call
	result model.Result
}

// turnOf reads the running turn: everything since the person's last line.
func turnOf(messages []model.Message) turn {
	var t turn
	for _, m := range messages {
		if m.Role == model.User && len(m.Results) == 0 {
			t = turn{}
			continue
		}
		for _, c := range m.Calls {
			t.last = c
			if c.Name == permissionTool {
				t.asked++
			} else {
				t.work = c
			}
		}
		for _, r := range m.Results {
			t.result = r
		}
	}
	return t
}

// next is the reply to the turn's newest result.
func (t turn) next() model.Reply {
	if t.last.Name == permissionTool {
		return t.answered()
	}
	if path, command, ok := needs(t.result); ok && t.concerns(command) {
		if t.asked >= mostAsks {
			return say("I have asked %d times and it still needs permission, so I stop here.", t.asked)
		}
		args := map[string]any{"path": path}
		if command != "" {
			args["command"] = command
		}
		return call(permissionTool, args)
	}
	if t.result.IsError {
		// What went wrong stands above: the person is shown every result.
		return say("That did not work.")
	}
	return say("Done.")
}

// answered is the reply to what request_permission came to.
func (t turn) answered() model.Reply {
	switch {
	case t.result.IsError:
		return say("Permission was not given, so I did not do it.")
	case t.work.Name == "":
		return say("Permission was given, but there is nothing that waits for it.")
	}
	return model.Reply{Calls: []model.Call{{Name: t.work.Name, Args: t.work.Args}}, Stop: model.StopTools}
}

// concerns says whether a refusal that names command is about the turn's own
// call: a file or a program's output can look like a refusal.
func (t turn) concerns(command string) bool {
	in, err := t.work.Input()
	if err != nil {
		return false
	}
	if own, ok := in["command"].(string); ok {
		return own == command
	}
	return command == "" || strings.HasPrefix(command, t.work.Name+" ")
}

// needs reads a tool's result that says which permission is needed. Only a
// result counts that is a refusal from its first words to its last: a file that
// merely holds one, or a program's output (which ends with how the program
// ended), is data.
func needs(r model.Result) (path, command string, ok bool) {
	if !strings.HasPrefix(r.Text, "Permission needed") || !strings.HasSuffix(r.Text, "permission is given.") {
		return "", "", false
	}
	i := strings.Index(r.Text, "Call "+permissionTool)
	if i < 0 {
		return "", "", false
	}
	rest := r.Text[i:]
	path, ok = quotedAfter(rest, "path=")
	if !ok {
		return "", "", false
	}
	command, _ = quotedAfter(rest, "command=")
	return path, command, true
}
