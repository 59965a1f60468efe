package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

// typing is what is known about the input of one session. What is typed at a
// shell's prompt is decided like a command before the shell sees it; what is
// typed into any other program cannot be read, and a person has to agree.
type typing struct {
	mu sync.Mutex
	// shell: the session was started as a plain shell, so that its state is
	// known from what was typed since.
	shell bool
	utf8  bool
	// dir is where the session began, or where history began.
	dir string
	// history is what was typed at the prompt; it goes in front of each decision
	// once stateful is set: something typed may have changed what later words
	// mean (a variable, a function, an alias, an option).
	history  []string
	stateful bool
	// line is typed text that waits for its end of line; the shell has not
	// seen it.
	line string
	// unknown: keys were sent (history, completion) that may have put text
	// into the shell's line which nobody decided on.
	unknown bool
}

const (
	maxHistory   = 64 << 10
	maxTyped     = 64 << 10
	promptWait   = 2 * time.Second
	startWait    = 300 * time.Millisecond
	writeTimeout = 5 * time.Second
)

// plainShell is a command that starts nothing but a shell with its ordinary
// state.
var plainShell = regexp.MustCompile(`^\s*(exec\s+)?(/(usr/)?bin/)?(bash|sh|dash)(\s+(-[il]+|-s|--login|--norc|--noprofile|--noediting|--posix))*\s*$`)

func (ty *typing) start(s processSpec) {
	ty.shell, ty.dir = plainShell.MatchString(s.command), s.dir
	ty.utf8 = utf8Locale(s.env)
}

func utf8Locale(env []string) bool {
	set := map[string]string{}
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			set[k] = v
		}
	}
	v := strings.ToLower(orElse(set["LC_ALL"], orElse(set["LC_CTYPE"], set["LANG"])))
	return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
}

func (t *ExecTool) write(ctx context.Context, args map[string]any) *ToolResult {
	s, res := t.typable(text(args, "sessionId"))
	if res != nil {
		return res
	}
	data := text(args, "data")
	if data == "" {
		return ErrorResult("data is missing: give the text to type")
	}
	s.typed.mu.Lock()
	defer s.typed.mu.Unlock()
	return t.typeText(ctx, s, data)
}

// typable finds a session that still takes input.
func (t *ExecTool) typable(id string) (*shellSession, *ToolResult) {
	s, res := t.find(id)
	if res != nil {
		return nil, res
	}
	if !s.proc.running() {
		status, _ := s.proc.status()
		return nil, ErrorResult(fmt.Sprintf("session %s takes no input any more: %s", s.id, status))
	}
	if s.proc.in == nil {
		return nil, ErrorResult(fmt.Sprintf("session %s takes no input", s.id))
	}
	return s, nil
}

// typeText decides data for whoever would read it and writes what is allowed.
func (t *ExecTool) typeText(ctx context.Context, s *shellSession, data string) *ToolResult {
	if len(data)+len(s.typed.line) > maxTyped {
		return ErrorResult(fmt.Sprintf("more than %s at once cannot be typed; write it to a file instead", byteCount(maxTyped)))
	}
	if strings.ContainsRune(data, 0) {
		return ErrorResult("NUL bytes cannot be typed")
	}
	front := t.awaitPrompt(ctx, s)
	if !front.prompt {
		return t.typeOpaque(ctx, s, front, data)
	}
	data = strings.ReplaceAll(strings.ReplaceAll(data, "\r\n", "\n"), "\r", "\n")
	if why := s.unreadable(data); why != "" {
		return ErrorResult("not typed: " + why)
	}
	return t.typeLines(ctx, s, front, s.typed.line+data)
}

// unreadable says why text at a shell's prompt would not mean what it says.
func (s *shellSession) unreadable(data string) string {
	if s.typed.unknown {
		return "keys were sent that may have left other text in the shell's line; send ctrl-c first"
	}
	if s.proc.tty == nil {
		return ""
	}
	for i, c := range data {
		switch {
		case c != '\n' && (c < ' ' || c == 0x7f):
			return "control characters mean editing at a terminal's prompt; use send-keys, and blanks instead of tabs"
		case c > 0x7f && !s.typed.utf8:
			return "characters outside of ASCII mean editing in a shell without a UTF-8 locale"
		case c == '!' && i+1 < len(data) && !strings.ContainsRune(" \n=", rune(data[i+1])):
			return "\"!\" calls up earlier commands in an interactive shell; put a blank after it or run the command without pty"
		case c == '^' && (i == 0 || data[i-1] == '\n'):
			return "a line that begins with \"^\" repeats an earlier command in an interactive shell"
		}
	}
	return ""
}

// typeLines takes complete commands to the gate one after the other, each
// before it is written, and holds an incomplete line back.
func (t *ExecTool) typeLines(ctx context.Context, s *shellSession, front front, data string) *ToolResult {
	s.typed.line = ""
	lines := strings.SplitAfter(data, "\n")
	rest := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	block, written := "", 0
	for i, line := range lines {
		block += line
		last := i == len(lines)-1
		if continued(block) {
			if last {
				return t.stopped(written, ErrorResult("not typed: the last line goes on (backslash); send the whole command at once"))
			}
			continue
		}
		w := s.wanted(block, front.dir)
		if len(w.command) > maxHistory {
			return t.stopped(written, ErrorResult("not typed: too much was typed into this session to tell what the next command would do; start a new one"))
		}
		v, word, res := t.checkPermission(ctx, w)
		if len(v.Call.Unread) > 0 && !last {
			continue // not a complete command yet
		}
		if word != granted {
			if word == needsPermission {
				v, res = t.permit(ctx, w)
			}
			if res != nil {
				return t.stopped(written, res)
			}
		}
		end, res := t.opt.Session.begin(ctx, v)
		if res != nil {
			return t.stopped(written, res)
		}
		if err := s.send(block); err != nil {
			end("failed: " + err.Error())
			return t.stopped(written, ErrorResult(err.Error()))
		}
		end("typed into session " + s.id)
		s.typed.remember(block, front.dir)
		written += strings.Count(block, "\n")
		block = ""
		if last {
			break
		}
		if front = t.awaitPrompt(ctx, s); !front.prompt {
			return ErrorResult(fmt.Sprintf("%d lines were typed; %s is reading the input now, so the other %d were not typed. Look with read, then go on",
				written, approval.Line(front.name), len(lines)-i-1))
		}
	}
	s.typed.line = rest
	if rest != "" {
		return textResult(fmt.Sprintf("%d lines typed; the incomplete line %q is held back until its newline is sent", written, approval.Line(rest)))
	}
	return textResult(fmt.Sprintf("%d lines typed; read shows what comes of it", written))
}

func (t *ExecTool) stopped(written int, res *ToolResult) *ToolResult {
	if written > 0 {
		res.ForLLM = fmt.Sprintf("%d lines were typed before this one. %s", written, res.ForLLM)
	}
	return res
}

// continued reports whether the shell would wait for another line: the last
// one ends in a backslash that is not itself escaped.
func continued(block string) bool {
	s := strings.TrimSuffix(block, "\n")
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// wanted is the block as a command: alone in the shell's own directory, or
// after all that was typed before where that may matter.
func (s *shellSession) wanted(block, dir string) wanted {
	command := strings.TrimSuffix(block, "\n")
	if !s.typed.stateful {
		return wanted{command: command, dir: dir}
	}
	return wanted{command: strings.Join(s.typed.history, "") + command, dir: s.typed.dir}
}

// remember keeps what was typed at the prompt in dir, from the first block on
// that may change what later ones mean.
func (ty *typing) remember(block, dir string) {
	if !ty.stateful {
		if stateless(block) {
			return
		}
		ty.stateful, ty.dir = true, dir
	}
	ty.history = append(ty.history, block)
}

// simpleLine is one program with plain words.
var simpleLine = regexp.MustCompile(`^[ \t]*([A-Za-z0-9_./-]+)([ \t]+[A-Za-z0-9_./:,@%+=-]+)*[ \t]*\n?$`)

// changesState are words that can change what later commands mean.
var changesState = regexp.MustCompile(`^(\.|source|eval|exec|alias|unalias|set|shopt|export|declare|typeset|local|readonly|unset|read|mapfile|readarray|printf|let|trap|enable|hash|builtin|command|history|fc|bind|complete|compopt|umask|ulimit|pushd|popd|dirs|getopts|shift|return|function|if|for|while|until|case|select|time|coproc|test|wait)$`)

// stateless reports whether the block changes nothing in the shell but its
// directory, which can be looked up. When in doubt it does.
func stateless(block string) bool {
	m := simpleLine.FindStringSubmatch(block)
	return m != nil && !changesState.MatchString(m[1])
}

// typeOpaque is for input that some other program reads.
func (t *ExecTool) typeOpaque(ctx context.Context, s *shellSession, f front, data string) *ToolResult {
	if s.typed.line != "" {
		held := s.typed.line
		s.typed.line = ""
		return ErrorResult(fmt.Sprintf("not typed: %s is reading the input now, and the line %q was held back for the shell; it is dropped", approval.Line(f.name), approval.Line(held)))
	}
	w := wanted{
		command: opaqueInput(f, data),
		dir:     s.typed.dirOr(f.dir),
		label:   fmt.Sprintf("type into %s (session %s): %s", f.name, s.id, data),
	}
	if f.data {
		w.command = feed(f, data)
	}
	v, res := t.permit(ctx, w)
	if res != nil {
		return res
	}
	if v.Verdict != permissions.Allow {
		return t.opt.Session.refuse(v)
	}
	end, res := t.opt.Session.begin(ctx, v)
	if res != nil {
		return res
	}
	if err := s.send(data); err != nil {
		end("failed: " + err.Error())
		return ErrorResult(err.Error())
	}
	end("typed into session " + s.id)
	return textResult(fmt.Sprintf("%s typed into %s; read shows what comes of it", byteCount(len(data)), approval.Line(f.name)))
}

func (ty *typing) dirOr(dir string) string { return orElse(dir, ty.dir) }

// feed is the program with the data as its standard input, as a command.
func feed(f front, data string) string {
	mark := "INPUT"
	for strings.Contains("\n"+data+"\n", "\n"+mark+"\n") {
		mark += "_"
	}
	var b strings.Builder
	for i, a := range f.argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quoteWord(a))
	}
	fmt.Fprintf(&b, " <<'%s'\n%s", mark, data)
	if !strings.HasSuffix(data, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString(mark + "\n")
	return b.String()
}

// opaqueInput is feed inside of an eval: what the program makes of the input
// is as unknown as program text, and no rule for its name covers that.
func opaqueInput(f front, data string) string { return `eval "$(` + feed(f, data) + `)"` }

func quoteWord(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// send writes to the session's input; a program that does not read is an error.
func (s *shellSession) send(data string) error {
	if f, ok := s.proc.in.(*os.File); ok {
		// A file that knows no deadline blocks; the session's end frees it.
		_ = f.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
	n, err := s.proc.in.Write([]byte(data))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the program does not read its input: %d of %d bytes were typed", n, len(data))
	}
	if err != nil {
		return fmt.Errorf("typing failed: %w", err)
	}
	return nil
}

// awaitPrompt waits a moment for the session's shell to read its input again
// and says who does.
func (t *ExecTool) awaitPrompt(ctx context.Context, s *shellSession) front {
	began, quiet := time.Now(), 0
	for {
		f := frontOf(s, t.opt.Shell)
		if f.prompt {
			// Twice in a row, so that a shell about to start a program is not
			// taken for one that waits.
			if quiet++; quiet > 1 {
				return f
			}
		} else {
			quiet = 0
		}
		wait := promptWait
		if !s.typed.shell {
			// The shell that starts the program is in front for a moment.
			wait = 0
			if f.starting {
				wait = startWait
			}
		}
		if !s.proc.running() || ctx.Err() != nil || time.Since(began) >= wait {
			f.prompt = false
			return f
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// front is the program that reads a session's input.
type front struct {
	// prompt: it is the session's own shell, waiting for a command.
	prompt bool
	// data: it is a program for which all input is plain data.
	data bool
	// starting: it is the shell that runs the session's command, and runs
	// nothing now.
	starting bool
	name     string
	argv     []string
	dir      string
}
