package proxy_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// modesOf is a session's state with these modes.
func modesOf(current string, ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, `{"id":"`+id+`","name":"<`+id+`>","extra":1e3}`)
	}
	return `{"currentModeId":"` + current + `","availableModes":[` + strings.Join(list, ",") + `],"more":[1]}`
}

// opens answers a session/new with this state and returns what the editor hears.
func (p place) opens(state string) {
	p.editor.say(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":"` + p.space + `","mcpServers":[]}}`)
	p.agent.hear()
	p.agent.say(`{"jsonrpc":"2.0","id":"new","result":{"sessionId":"S","modes":` + state + `}}`)
}

func ids(m message) string {
	out := m.Result.Modes.CurrentModeID + ":"
	for _, one := range m.Result.Modes.AvailableModes {
		out += " " + one.ID
	}
	return out
}

// TestModesAboveTheCeiling are neither offered nor settable.
func TestModesAboveTheCeiling(t *testing.T) {
	all := []string{"default", "plan", "acceptEdits", "bypassPermissions", "own-mode"}
	for _, c := range []struct{ settings, want, settable, not string }{
		{`{}`, "default: default plan", "default plan Plan ask", "acceptEdits bypassPermissions own-mode auto accept_edits YOLO code"},
		{`{"remote_max_mode":"accept-edits"}`, "default: default plan acceptEdits", "plan acceptEdits", "bypassPermissions own-mode"},
		{`{"remote_max_mode":"auto"}`, "default: default plan acceptEdits bypassPermissions own-mode", "own-mode bypassPermissions", ""},
		{`{"remote_max_mode":"auto","maxExecutionMode":"accept-edits"}`, "default: default plan acceptEdits", "acceptEdits", "bypassPermissions own-mode"},
	} {
		t.Run(c.settings, func(t *testing.T) {
			p := start(t, c.settings)
			p.opens(modesOf("default", all...))
			if got := ids(p.editor.next()); got != c.want {
				t.Errorf("offered %s, want %s", got, c.want)
			}
			for _, mode := range strings.Fields(c.settable) {
				line := `{"jsonrpc":"2.0","id":"` + mode + `","method":"session/set_mode","params":{"sessionId":"S","modeId":"` + mode + `"}}`
				p.editor.say(line)
				p.agent.gets(line)
				p.agent.say(`{"jsonrpc":"2.0","id":"` + mode + `","result":{}}`)
				p.editor.gets(`{"jsonrpc":"2.0","id":"` + mode + `","result":{}}`)
			}
			for _, mode := range strings.Fields(c.not) {
				p.editor.say(`{"jsonrpc":"2.0","id":"` + mode + `","method":"session/set_mode","params":{"sessionId":"S","modeId":"` + mode + `"}}`)
				if m := p.editor.next(); !strings.Contains(m.Error.Message, "above the ceiling") || !strings.Contains(m.Error.Message, "remote_max_mode") {
					t.Errorf("%s: %+v", mode, m)
				}
			}
			// The agent has heard of none of those.
			p.editor.say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"S"}}`)
			p.agent.gets(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"S"}}`)
		})
	}
}

// TestAnAgentThatStartsTooHigh has to leave that mode before the editor hears of
// the session.
func TestAnAgentThatStartsTooHigh(t *testing.T) {
	for _, c := range []struct{ name, modes, answer, want string }{
		{"leaves", modesOf("yolo", "yolo", "plan", "default"), `"result":{}`, "plan: plan default"},
		{"does not", modesOf("yolo", "yolo", "plan"), `"error":{"code":1,"message":"no"}`, "does not leave it"},
		{"has no other", modesOf("yolo", "yolo"), "", "does not leave it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, `{}`)
			p.opens(c.modes)
			late := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"plan","entries":[]}}}`
			p.agent.say(late)
			if c.answer != "" {
				m := p.agent.next()
				if m.Method != "session/set_mode" || m.Params.ModeID != "plan" || m.Params.SessionID != "S" {
					t.Fatalf("%+v", m)
				}
				p.agent.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + c.answer + `}`)
			}
			m := p.editor.next()
			if got := ids(m) + m.Error.Message; !strings.Contains(got, c.want) {
				t.Errorf("%s: %+v", got, m)
			}
			p.editor.gets(late)
			// Where it stays, nothing is allowed.
			p.asks("7", `{"toolCallId":"1","kind":"read","rawInput":{"path":"a"}}`, usual)
			want := "yes"
			if m.Error.Code != 0 {
				want = "no"
			}
			if got := p.agent.next().word(); got != want {
				t.Errorf("answered %s, want %s", got, want)
			}
		})
	}
}

// TestAnAgentThatGoesHigher by itself is sent back, and the editor does not hear
// of it.
func TestAnAgentThatGoesHigher(t *testing.T) {
	p := start(t, `{"remote_max_mode":"accept-edits"}`)
	p.opens(modesOf("plan", "plan", "acceptEdits", "bypassPermissions"))
	p.editor.hear()
	enter := func(mode string) string {
		line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"current_mode_update","currentModeId":"` + mode + `"}}}`
		p.agent.say(line)
		return line
	}
	p.editor.gets(enter("acceptEdits"))
	enter("bypassPermissions")
	m := p.agent.next()
	if m.Method != "session/set_mode" || m.Params.ModeID != "acceptEdits" {
		t.Fatalf("%+v", m)
	}
	read := `{"toolCallId":"1","kind":"read","rawInput":{"path":"a"}}`
	p.asks("7", read, usual)
	if got := p.agent.next().word(); got != "no" {
		t.Errorf("while it is above the ceiling: %s", got)
	}
	p.agent.say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{}}`)
	p.editor.gets(enter("acceptEdits"))
	p.asks("8", read, usual)
	if got := p.agent.next().word(); got != "yes" {
		t.Errorf("after it was: %s", got)
	}
	if !strings.Contains(p.words(), "by itself") {
		t.Errorf("the operator was told %q", p.words())
	}
}

// TestTheModeInTheEditor is what the person asks for: the gate decides under it,
// up to the ceiling.
func TestTheModeInTheEditor(t *testing.T) {
	p := start(t, `{"remote_max_mode":"accept-edits"}`)
	p.opens(modesOf("default", "default", "plan", "acceptEdits"))
	p.editor.hear()
	set := func(mode string) {
		p.editor.say(`{"jsonrpc":"2.0","id":1,"method":"session/set_mode","params":{"sessionId":"S","modeId":"` + mode + `"}}`)
		p.agent.hear()
		p.agent.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		p.editor.hear()
	}
	edit := func(want string) {
		t.Helper()
		p.asks("7", `{"toolCallId":"1","kind":"edit","rawInput":{"path":"a"}}`, usual)
		if got := p.agent.next().word(); got != want {
			t.Errorf("answered %s, want %s", got, want)
		}
	}
	edit("no") // remote_default_mode is plan
	set("acceptEdits")
	edit("yes")
	set("default")
	edit("no")
	// The end of a plan is for the person, who thereby asks for the mode.
	p.asks("8", `{"toolCallId":"2","kind":"switch_mode"}`, `[{"optionId":"acceptEdits","name":"a","kind":"allow_always"},{"optionId":"plan","name":"n","kind":"reject_once"}]`)
	p.editor.hear()
	p.editor.say(`{"jsonrpc":"2.0","id":8,"result":{"outcome":{"outcome":"selected","optionId":"acceptEdits"}}}`)
	p.agent.gets(`{"jsonrpc":"2.0","id":8,"result":{"outcome":{"outcome":"selected","optionId":"acceptEdits"}}}`)
	edit("yes")
}

// TestConfigurationOptions that say how far the agent goes are limited like modes.
func TestConfigurationOptions(t *testing.T) {
	p := start(t, `{}`)
	options := func(current string) string {
		return `[{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"` + current + `","options":[{"value":"plan","name":"P"},{"value":"yolo","name":"Y"}]},` +
			`{"id":"approval-policy","name":"A","type":"select","currentValue":"ask","options":[{"group":"g","name":"G","options":[{"value":"ask","name":"A"},{"value":"auto","name":"B"}]}]},` +
			`{"id":"effort","name":"E","type":"select","currentValue":"auto","options":[{"value":"auto","name":"A"}]}]`
	}
	p.editor.say(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"` + p.space + `","mcpServers":[]}}`)
	p.agent.hear()
	p.agent.say(`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"S","configOptions":` + options("plan") + `}}`)
	line := p.editor.hear()
	var got struct {
		Result struct{ ConfigOptions json.RawMessage }
	}
	if err := json.Unmarshal([]byte(line), &got); err != nil || strings.Contains(line, "yolo") || strings.Count(line, `"auto"`) != 2 {
		t.Errorf("%s, %v", line, err)
	}
	for _, c := range []struct {
		id, value string
		ok        bool
	}{
		{"m", `"yolo"`, false}, {"m", `"plan"`, true}, {"m", `7`, false}, {"approval-policy", `"auto"`, false},
		{"effort", `"auto"`, true}, {"model", `"auto"`, true}, {"permissionMode", `"own"`, false}, {"bypass", `true`, false}, {"bypass", `false`, true},
	} {
		line := `{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"S","configId":"` + c.id + `","value":` + c.value + `}}`
		p.editor.say(line)
		if c.ok {
			p.agent.gets(line)
			p.agent.say(`{"jsonrpc":"2.0","id":2,"result":{"configOptions":` + options("plan") + `}}`)
		}
		m := p.editor.hear()
		if strings.Contains(m, "above the ceiling") == c.ok || strings.Contains(m, `"yolo","name"`) {
			t.Errorf("%+v: %s", c, m)
		}
	}
	p.agent.say(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"config_option_update","configOptions":` + options("yolo") + `}}}`)
	if m := p.agent.next(); m.Method != "session/set_config_option" {
		t.Errorf("%+v", m)
	}
	if line := p.editor.hear(); strings.Contains(line, "yolo") {
		t.Error(line)
	}
}

// TestWhatAnEditorMaySetBeside: a mode above the ceiling is not let in by another
// door either.
func TestWhatAnEditorMaySetBeside(t *testing.T) {
	for _, c := range []struct {
		meta string
		ok   bool
	}{
		{`{"claudeCode":{"options":{"permissionMode":"bypassPermissions"}}}`, false},
		{`{"claudeCode":{"options":{"allowDangerouslySkipPermissions":true}}}`, false},
		{`{"claudeCode":{"options":{"allowDangerouslySkipPermissions":false,"permissionMode":"plan","model":"auto"}}}`, true},
		{`{"x":[{"approval_mode":"yolo"}]}`, false},
		{`{"a":1,"a":2}`, false},
		{`{"systemPrompt":"yolo"}`, true},
	} {
		p := start(t, `{}`)
		line := `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"` + p.space + `","_meta":` + c.meta + `}}`
		p.editor.say(line)
		if c.ok {
			p.agent.gets(line)
		} else if m := p.editor.next(); m.Error.Message == "" {
			t.Errorf("%s: %+v", c.meta, m)
		}
	}
}

// TestMethodsOfTheAgentsOwn are no other door to its modes.
func TestMethodsOfTheAgentsOwn(t *testing.T) {
	p := start(t, `{}`)
	p.opens(modesOf("plan", "plan", "yolo"))
	p.editor.hear()
	p.editor.say(`{"jsonrpc":"2.0","id":1,"method":"own/session/update","params":{"sessionId":"S","approval_mode":"yolo"}}`)
	if m := p.editor.next(); m.Error.Code != -32001 {
		t.Errorf("%+v", m)
	}
	p.editor.say(`{"jsonrpc":"2.0","method":"_own","params":{"sessionId":"S","modeId":"auto"}}`)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":2,"method":"own/session/update","params":{"sessionId":"S","approval_mode":"plan","model":"auto"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"S","prompt":[{"type":"text","text":"x"}],"_meta":{"mode":"auto"}}}`,
	} {
		p.editor.say(line)
		p.agent.gets(line)
	}
	line := `{"jsonrpc":"2.0","method":"own/mode-update","params":{"sessionId":"S","currentModeId":"plan"}}`
	p.agent.say(line)
	p.editor.gets(line)
	p.agent.say(`{"jsonrpc":"2.0","method":"own/mode-update","params":{"sessionId":"S","currentModeId":"yolo"}}`)
	if m := p.agent.next(); m.Method != "session/set_mode" || m.Params.ModeID != "plan" {
		t.Errorf("%+v", m)
	}
}
