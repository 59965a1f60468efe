package install

import (
	"bytes"
	"encoding/json"
	"strings"
)

// provePicoclaw talks to the hook as PicoClaw does: one process, one message a
// line.
func provePicoclaw(p Places, in []installed) []Proof {
	var out []Proof
	for _, i := range in {
		program, ok := strings.CutSuffix(i.command, " hook picoclaw")
		if !ok || !sameFile(program, p.Program) {
			out = append(out, notWritten(i.file, "picoclaw"))
			continue
		}
		out = append(out, talkPicoclaw(p, program)...)
	}
	if len(out) == 0 {
		out = append(out, Proof{Name: "the hook", Text: "no hook of mayi's is in the settings"})
	}
	return out
}

func talkPicoclaw(p Places, program string) []Proof {
	type object = map[string]any
	call := func(id int, params any) object {
		return object{"jsonrpc": "2.0", "id": id, "method": "hook.approve_tool", "params": params}
	}
	exec := func(command string) object {
		return object{
			"meta":    object{"AgentID": "main", "SessionKey": proofSession, "Source": "runTurn"},
			"context": object{"inbound": object{"channel": "cli", "chat_id": "direct", "sender_id": "cron"}},
			"tool":    "exec", "arguments": object{"action": "run", "command": command, "cwd": p.Cwd},
		}
	}
	const event = "hook.approve_tool"
	tries := []struct {
		probe
		params any
	}{
		{denied(event, nil), exec(p.forbidden())}, {passed(event, nil), exec(Harmless)}, {broken(event), "broken"},
	}
	messages := []object{{"jsonrpc": "2.0", "id": 1, "method": "hook.hello", "params": object{"name": "mayi", "version": 1, "modes": []string{"approve"}}}}
	for i, t := range tries {
		if t.want == passes && p.Control.Asks {
			continue
		}
		messages = append(messages, call(i+2, t.params))
	}
	var in bytes.Buffer
	for _, m := range messages {
		line, err := json.Marshal(m)
		if err != nil {
			return []Proof{{Name: "the hook", Text: err.Error()}}
		}
		in.Write(append(line, '\n'))
	}
	a, err := run(p.Cwd, []string{program, "hook", "picoclaw"}, in.Bytes())
	if err != nil {
		return []Proof{{Name: "the hook", Text: err.Error()}}
	}
	answers := picoclawAnswers(a.stdout)
	var out []Proof
	for i, t := range tries {
		said, there := answers[i+2]
		switch {
		case t.want == passes && p.Control.Asks:
			out = append(out, untried(t.name))
		case !there:
			out = append(out, Proof{Name: t.name, Text: "no answer"})
		default:
			out = append(out, p.judge(t.name, t.want, !said.approved, first(said.reason, "no objection")))
		}
	}
	return out
}

type picoclawAnswer struct {
	approved bool
	reason   string
}

// picoclawAnswers reads the answers by their numbers. An error is a refusal.
func picoclawAnswers(stdout []byte) map[int]picoclawAnswer {
	out := map[int]picoclawAnswer{}
	for _, line := range bytes.Split(stdout, []byte("\n")) {
		var m struct {
			ID     int `json:"id"`
			Result struct {
				Approved bool   `json:"approved"`
				Reason   string `json:"reason"`
			} `json:"result"`
			Error *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID == 0 {
			continue
		}
		said := picoclawAnswer{m.Result.Approved, m.Result.Reason}
		if m.Error != nil {
			said = picoclawAnswer{false, m.Error.Message}
		}
		out[m.ID] = said
	}
	return out
}
