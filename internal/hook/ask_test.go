package hook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mayi/internal/hook"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/store"
)

// answer answers the next question that opens, as another process does.
func (p *place) answer(t *testing.T, c approval.Choice) (question approval.Question) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		open, err := p.store.Questions().Open(context.Background())
		if err != nil || len(open) == 0 {
			continue
		}
		if err := p.store.Questions().Answer(context.Background(), open[0].ID, "dev", approval.Answer{Choice: c, By: "dev"}); err != nil {
			t.Fatal(err)
		}
		return open[0]
	}
	t.Fatal("no question was asked")
	return question
}

// waiting are the agents that have no prompt of their own.
func waiting() []string { return []string{"codex", "gemini", "opencode", "crush", "claude-code"} }

func TestAQuestionWaitsOnTheQueue(t *testing.T) {
	for _, name := range waiting() {
		p := newPlace(t, everyday)
		p.wait = time.Minute
		told := make(chan string, 1)
		result := make(chan bool, 1)
		go func() {
			var out, errs bytes.Buffer
			o := p.options(name, payload(name, "make"), &out, &errs)
			o.Notify = func(title, text string) { told <- title + ": " + text }
			code, err := hook.Run(context.Background(), o)
			if err != nil {
				t.Error(err)
			}
			result <- judge(t, name, out.String(), errs.String(), code)
		}()
		q := p.answer(t, approval.Session)
		if <-result {
			t.Errorf("%s: the call is blocked although a person allowed it", name)
		}
		if q.Session != name+":s1" || q.Command != "make" {
			t.Errorf("%s: the question is of the session %q about %q", name, q.Session, q.Command)
		}
		if text := <-told; !strings.Contains(text, name) || !strings.Contains(text, "make") {
			t.Errorf("%s: the notification says %q", name, text)
		}
		// The answer holds in this session of this agent, however the command is
		// described, and nowhere else.
		p.wait = time.Millisecond
		if p.blocked(t, name, strings.Replace(payload(name, "make"), `"command"`, `"description":"other words","command"`, 1)) {
			t.Errorf("%s: a session's answer does not hold", name)
		}
		if !p.blocked(t, name, strings.Replace(payload(name, "make"), `"s1"`, `"s2"`, 1)) {
			t.Errorf("%s: a session's answer holds in another one", name)
		}
		if !p.blocked(t, name, strings.Replace(payload(name, "make"), `"s1"`, `""`, 1)) {
			t.Errorf("%s: a session's answer holds where no session is named", name)
		}
		for _, other := range waiting() {
			if other != name && !p.blocked(t, other, payload(other, "make")) {
				t.Errorf("%s: its answer holds for %s", name, other)
			}
		}
	}
}

func TestNobodyAnswers(t *testing.T) {
	for _, name := range waiting() {
		p := newPlace(t, everyday)
		stdout, stderr, code := p.run(t, name, payload(name, "make"))
		if !judge(t, name, stdout, stderr, code) {
			t.Errorf("%s: the call runs without an answer", name)
		}
		if !strings.Contains(stdout, "mayi approvals") || !strings.Contains(stdout, "no allow rule covers make") {
			t.Errorf("%s: the reason does not say why it was asked and how to answer: %s", name, stdout)
		}
		// An answer that comes late is good for the next try, once.
		p.answer(t, approval.Once)
		if p.blocked(t, name, payload(name, "make")) {
			t.Errorf("%s: a late answer does not count", name)
		}
		if !p.blocked(t, name, payload(name, "make")) {
			t.Errorf("%s: an answer for one time counts twice", name)
		}
	}
}

func TestARefusalIsKept(t *testing.T) {
	p := newPlace(t, everyday)
	p.run(t, "crush", payload("crush", "make"))
	p.answer(t, approval.No)
	stdout, _, _ := p.run(t, "crush", payload("crush", "make"))
	if !strings.Contains(stdout, "refused") || strings.Contains(stdout, "still open") {
		t.Errorf("after a no: %s", stdout)
	}
	if stdout, _, _ = p.run(t, "crush", payload("crush", "make")); !strings.Contains(stdout, "refused") {
		t.Errorf("it is asked again after a no: %s", stdout)
	}
}

// TestThePersonWaitsLessThanTheAgent: the queue gives up, and the last answer is
// given, before the agent's limit.
func TestThePersonWaitsLessThanTheAgent(t *testing.T) {
	for _, name := range hook.Names() {
		limit := hook.Limit(name)
		if wait := hook.Wait(limit); wait < limit/2 || wait > limit-5*time.Second || wait > 50*time.Second {
			t.Errorf("%s: of %s a person has %s", name, limit, wait)
		}
	}
}

// TestAnAgentsOwnPrompt: it is used where there is one and a person is there, or
// where the person says so; everything else is asked on the queue.
func TestAnAgentsOwnPrompt(t *testing.T) {
	var (
		there  = map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "1"}
		nobody = map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "0"}
	)
	const (
		gemini = `{"hooks":{"gemini_prompt":true}}`
		prompt = `{"hooks":{"ask":"prompt"}}`
		queue  = `{"hooks":{"ask":"queue"}}`
		auto   = `{"hooks":{"ask":"auto"}}`
	)
	one := func(agent, all, one string) string {
		return fmt.Sprintf(`{"hooks":{"ask":%q,%q:{"ask":%q}}}`, all, agent, one)
	}
	for _, c := range []struct {
		agent, settings string
		env             map[string]string
		alone           bool
		asks            bool
	}{
		{agent: "claude-code", settings: everyday, env: there, asks: true},
		{agent: "claude-code", settings: everyday, env: nobody},
		{agent: "claude-code", settings: everyday, asks: true}, // an older one does not say
		{agent: "claude-code", settings: auto, env: nobody},
		{agent: "claude-code", settings: queue, env: there},
		{agent: "claude-code", settings: prompt, env: nobody, asks: true},
		{agent: "claude-code", settings: one("claude-code", "prompt", "queue"), env: there},
		{agent: "claude-code", settings: one("claude-code", "queue", "prompt"), env: there, asks: true},
		{agent: "claude-code", settings: one("qwen", "queue", "prompt"), env: there},
		{agent: "cursor", settings: everyday, asks: true},
		{agent: "cursor", settings: queue},
		{agent: "cursor", settings: one("cursor", "prompt", "queue")},
		{agent: "copilot", settings: everyday, asks: true},
		{agent: "copilot", settings: everyday, alone: true},
		{agent: "copilot", settings: queue},
		{agent: "copilot", settings: prompt, alone: true, asks: true},
		{agent: "copilot", settings: one("copilot", "prompt", "auto"), alone: true},
		{agent: "qwen", settings: everyday, asks: true},
		{agent: "qwen", settings: everyday, alone: true},
		{agent: "qwen", settings: queue},
		{agent: "qwen", settings: prompt, alone: true, asks: true},
		{agent: "qwen", settings: one("qwen", "auto", "queue")},
		{agent: "gemini", settings: everyday},
		{agent: "gemini", settings: gemini, asks: true},
		{agent: "gemini", settings: gemini, alone: true}, // it would wait for ever
		{agent: "gemini", settings: prompt, asks: true},
		{agent: "gemini", settings: one("gemini", "queue", "prompt"), asks: true},
		{agent: "gemini", settings: `{"hooks":{"gemini_prompt":true,"ask":"queue"}}`},
		// They have none.
		{agent: "codex", settings: gemini, env: there},
		{agent: "codex", settings: prompt, env: there},
		{agent: "opencode", settings: prompt, env: there},
		{agent: "crush", settings: prompt},
	} {
		p := newPlace(t, c.settings)
		p.env, p.alone = c.env, c.alone
		stdout, _, _ := p.run(t, c.agent, payload(c.agent, "make"))
		if asks := strings.Contains(stdout, `:"ask"`); asks != c.asks {
			t.Errorf("%s with %v, alone %v, under %s: %s", c.agent, c.env, c.alone, c.settings, stdout)
		}
		open, err := p.store.Questions().Open(context.Background())
		if err != nil || len(open) == 0 != c.asks {
			t.Errorf("%s with %v, alone %v, under %s: %d questions are open (%v)", c.agent, c.env, c.alone, c.settings, len(open), err)
		}
	}
}

// TestWithoutAStoreNothingIsLost: a process that has no store answers what needs
// none, and else nothing at all.
func TestWithoutAStoreNothingIsLost(t *testing.T) {
	for _, c := range []struct {
		agent, command string
		remembers      bool
		needs          bool
	}{
		{"claude-code", "touch a", false, false},
		{"claude-code", "rm a", false, false},
		{"claude-code", "make", false, true},
		{"cursor", "make", false, false},
		{"cursor", "make", true, true},
		{"crush", "touch a", true, false},
		{"crush", "touch /etc/a", true, true},
		{"crush", "rm /etc/a", true, false},
	} {
		p := newPlace(t, everyday)
		absent := &hook.Absent{}
		var out, errs bytes.Buffer
		o := p.options(c.agent, payload(c.agent, c.command), &out, &errs)
		o.Open = func(at hook.Place) (*hook.Door, error) { return p.light(t, at, absent, c.remembers) }
		_, err := hook.Run(context.Background(), o)
		if needs := errors.Is(err, hook.ErrNeedsStore); needs != c.needs {
			t.Errorf("%+v: %v, answered %s", c, err, &out)
		}
		if c.needs && out.Len()+errs.Len() > 0 {
			t.Errorf("%+v: something was written: %q %q", c, &out, &errs)
		}
		if n := len(p.records(t)); (n == 0) != c.needs {
			t.Errorf("%+v: %d records", c, n)
		}
	}
}

// light is a door without a store; the record is kept all the same.
func (p *place) light(t *testing.T, at hook.Place, absent *hook.Absent, remembers bool) (*hook.Door, error) {
	full, err := p.open(at)
	if err != nil {
		return nil, err
	}
	d := &hook.Door{Absent: absent, Close: full.Close}
	grants := func(string) approval.Grants {
		if remembers {
			return absent.Grants()
		}
		return nil
	}
	d.Gate, err = gate.New(gate.Options{Settings: full.Gate.Settings(), Analyzer: analyzer(), Grants: grants, Recorder: note{p},
		Cwd: at.Cwd, Home: p.home, User: "dev", Env: map[string]string{}})
	return d, err
}

// records are the audit log's.
func (p *place) records(t *testing.T) []store.Record {
	t.Helper()
	var out []store.Record
	for r, err := range p.store.Audit().Records(context.Background(), store.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// TestASwitchOffIsRefused: Claude Code tells of changed settings.
func TestASwitchOffIsRefused(t *testing.T) {
	for text, blocks := range map[string]bool{
		`{}`:                          false,
		`{"disableAllHooks":false}`:   false,
		`{"disableAllHooks":true}`:    true,
		`{"disableAllHooks":"yes"}`:   true,
		`{"disableAllHooks":null}`:    true,
		`{"disable\u0041llHooks":1}`:  true,
		`{"disableAllHooks":`:         true,
		`{"a":1,"a":2}`:               true,
		`{"permissions":{"deny":[]}}`: false,
	} {
		p := newPlace(t, everyday)
		file := filepath.Join(p.space, ".claude", "settings.local.json")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		stdout, _, code := p.run(t, "claude-code", `{"session_id":"s1","cwd":"/ws","hook_event_name":"ConfigChange","source":"local_settings","file_path":"/ws/.claude/settings.local.json"}`)
		if got := strings.Contains(stdout, `"decision":"block"`); got != blocks || code != 0 {
			t.Errorf("%s: %s exit %d", text, stdout, code)
		}
	}
}

// TestTheWorkspaceIsTheSessions: Codex' calls name their own folder.
func TestTheWorkspaceIsTheSessions(t *testing.T) {
	p := newPlace(t, everyday)
	roots := []string{}
	open := func(at hook.Place) (*hook.Door, error) {
		roots = append(roots, at.Root)
		return p.open(at)
	}
	call := func(text string) {
		var out, errs bytes.Buffer
		o := p.options("codex", text, &out, &errs)
		o.Open = open
		if _, err := hook.Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	record := filepath.Join(p.home, "rollout.jsonl")
	if err := os.WriteFile(record, []byte(p.real(`{"type":"session_meta","payload":{"id":"x","cwd":"/ws"}}`)+"\n{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	elsewhere := strings.Replace(payload("codex", "touch a"), `"/ws"`, `"/ws/sub"`, 1)
	call(strings.Replace(elsewhere, "{", `{"transcript_path":"/home/dev/rollout.jsonl",`, 1))
	call(payload("codex", "touch a")) // the first call of a session without a record
	call(elsewhere)
	call(strings.Replace(elsewhere, `"s1"`, `"s3"`, 1))
	want := []string{p.space, p.space, p.space, p.space + "/sub"}
	if strings.Join(roots, " ") != strings.Join(want, " ") {
		t.Errorf("the workspace is looked for from %v, want %v", roots, want)
	}
}

// TestWhoCanBeToldWhereToAsk: the settings know hooks.NAME.ask for the agents
// that can ask by themselves, and for no other.
func TestWhoCanBeToldWhereToAsk(t *testing.T) {
	for _, name := range hook.Names() {
		p := newPlace(t, fmt.Sprintf(`{"hooks":{%q:{"ask":"queue"}}}`, name))
		d, err := p.open(hook.Place{Cwd: p.space})
		if err != nil {
			t.Fatal(err)
		}
		problems := d.Gate.Settings().Problems
		if can := hook.Prompts(name); can != (len(problems) == 0) {
			t.Errorf("%s can ask by itself: %v; hooks.%s.ask gives %v", name, can, name, problems)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
