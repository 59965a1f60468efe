package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// proofSession is the session of the payloads that try the hook.
const proofSession = "mayi-proof"

// Harmless is a command that does nothing.
const Harmless = "true"

// patience is how long a payload may take; an agent's own limit is longer.
const patience = 30 * time.Second

// forbidden is a command that no mode, rule or answer allows: it removes what
// mayi keeps.
func (p Places) forbidden() string { return "rm -rf -- " + quote(p.StateDir) }

// Proof is one try of the installed hook.
type Proof struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Skipped: it could not be tried here, and Text says why.
	Skipped bool   `json:"skipped,omitempty"`
	Text    string `json:"text"`
}

// expected is what a payload has to be answered with.
type expected uint8

const (
	blocked expected = iota
	passes
)

// probe is one payload for the hook.
type probe struct {
	name, event string
	want        expected
	// payload is what is sent; it may put files into the folder that it is
	// given.
	payload func(dir string) ([]byte, error)
}

func denied(event string, payload any) probe {
	return probe{event + ": a forbidden call is denied", event, blocked, sent(payload)}
}

func passed(event string, payload any) probe {
	return probe{event + ": a harmless call passes", event, passes, sent(payload)}
}

func broken(event string) probe {
	return probe{event + ": a broken payload is denied", event, blocked, func(string) ([]byte, error) {
		return []byte(`{"hook_event_name":"` + event + `","event":"` + event + `","tool_input":{"command":"tr`), nil
	}}
}

func sent(payload any) func(string) ([]byte, error) {
	return func(string) ([]byte, error) { return json.Marshal(payload) }
}

// answer is what the hook did.
type answer struct {
	stdout, stderr []byte
	// code is the exit status, -1 where a signal or the time limit ended it.
	code int
}

// try sends a payload through the command line, run as agents run it.
func try(p Places, command string, pr probe, read func(string, answer) (bool, string)) Proof {
	out := Proof{Name: pr.name}
	dir, err := os.MkdirTemp("", "mayi-proof-*")
	if err != nil {
		out.Text = err.Error()
		return out
	}
	defer os.RemoveAll(dir)
	payload, err := pr.payload(dir)
	if err != nil {
		out.Text = err.Error()
		return out
	}
	a, err := run(p.Cwd, []string{"sh", "-c", command}, payload)
	if err != nil {
		out.Text = err.Error()
		return out
	}
	isBlocked, said := read(pr.event, a)
	return p.judge(pr.name, pr.want, isBlocked, said)
}

// judge holds what the hook did against what it was to do.
func (p Places) judge(name string, want expected, isBlocked bool, said string) Proof {
	out := Proof{Name: name, OK: isBlocked == (want == blocked), Text: said}
	if want == passes && p.Control.Refusal != "" {
		out.Name = strings.Replace(name, "passes", "is refused, as the policy says", 1)
		out.OK = isBlocked && strings.Contains(said, p.Control.Refusal)
	}
	if !out.OK {
		out.Text = fmt.Sprintf("%s (%s)", map[bool]string{false: "it was let through", true: "it was blocked"}[isBlocked], said)
	}
	return out
}

// untried is the proof of a call that would ask a person.
func untried(name string) Proof {
	return Proof{Name: name, Skipped: true, Text: "your policy asks a person about every command"}
}

func run(cwd string, argv []string, stdin []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = cwd
	// What a tool complains about is shown in plain quotes.
	cmd.Env = append(cmd.Environ(), "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	a := answer{stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		a.code = -1
	case err != nil && !errors.As(err, &exit) && a.code < 0:
		return a, fmt.Errorf("%s cannot be run: %w", argv[0], err)
	}
	return a, nil
}

// tryAll tries every command line that is in an agent's settings.
func (a agent) tryAll(p Places, in []installed) []Proof {
	if a.prove != nil {
		return a.prove(p, in)
	}
	if len(in) == 0 {
		return []Proof{{Name: "the hook", Text: "no hook of mayi's is in the settings"}}
	}
	var out []Proof
	seen := map[string]bool{}
	for _, i := range in {
		if seen[i.command] {
			continue
		}
		seen[i.command] = true
		if i.command != p.as(programIn(i.command)).command(a.name, a.guarded) || !sameFile(programIn(i.command), p.Program) {
			out = append(out, notWritten(i.file, a.name))
			continue
		}
		for _, pr := range a.probes(p) {
			if pr.want == passes && p.Control.Asks {
				out = append(out, untried(pr.name))
			} else {
				out = append(out, try(p, i.command, pr, a.read))
			}
			if pr.want == passes {
				gone := strings.Replace(i.command, quote(programIn(i.command)), "/nonexistent/mayi", 1)
				pr.name, pr.want = pr.event+": without mayi the call is denied", blocked
				out = append(out, try(p, gone, pr, a.read))
			}
		}
	}
	return out
}

// as is p with another name of mayi's program.
func (p Places) as(program string) Places {
	p.Program = program
	return p
}

// notWritten is the proof of a command line that this mayi has not written. It
// is not run: settings come with repositories too, and what stands in them may
// be anything that looks like mayi's.
func notWritten(file, agent string) Proof {
	return Proof{Name: "the hook", Text: "what " + file + " calls is not what this mayi writes there, so it was not tried; run mayi install " + agent + " again"}
}

// programIn is the program in a command line that [Places.command] wrote, or in a
// list of words that was joined.
func programIn(command string) string {
	s := command
	// The program, with what may stand before it, and the rest.
	line := regexp.MustCompile(`(?s)^(.*) hook [a-z-]+(?: \|\| sh -c .*)?$`)
	if m := line.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	if strings.HasSuffix(s, "'") {
		s = lastWord(s)
	}
	return filepath.Clean(s)
}

// lastWord is the last word of a line whose words are plain or quoted by quote.
func lastWord(line string) string {
	var word strings.Builder
	for i, open := 0, false; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			open = !open
		case c == '\\' && !open && i+1 < len(line):
			i++
			word.WriteByte(line[i])
		case c == ' ' && !open:
			word.Reset()
		default:
			word.WriteByte(c)
		}
	}
	return word.String()
}
