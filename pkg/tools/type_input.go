package tools

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"mayi/pkg/approval"
	"mayi/pkg/permissions"
)

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
		w.confined = s.proc.whole()
		if s.proc.tty != nil && len(block) > maxTerminal {
			return t.stopped(written, ErrorResult(fmt.Sprintf("not typed: a command of more than %s is too long for a terminal; write it to a file", byteCount(maxTerminal))))
		}
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
		if s.proc.tty != nil {
			if why := hidesPromptCode(block, v.Call); why != "" {
				return t.stopped(written, ErrorResult("not typed: "+why+"; run it as a command of its own"))
			}
		}
		end, res := t.opt.Session.begin(ctx, v, w.confined)
		if res != nil {
			return t.stopped(written, res)
		}
		s.proc.allow(v)
		s.expect(len(block))
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

// typeOpaque is for input that some other program reads.
func (t *ExecTool) typeOpaque(ctx context.Context, s *shellSession, f front, data string) *ToolResult {
	if s.typed.line != "" {
		held := s.typed.line
		s.typed.line = ""
		return ErrorResult(fmt.Sprintf("not typed: %s is reading the input now, and the line %q was held back for the shell; it is dropped", approval.Line(f.name), approval.Line(held)))
	}
	w := wanted{
		command:  opaqueInput(f, data),
		dir:      s.typed.dirOr(f.dir),
		label:    fmt.Sprintf("type into %s (session %s): %s", f.name, s.id, data),
		confined: s.proc.whole(),
	}
	if f.data {
		w.command = feed(f, data)
	}
	v, res := t.permit(ctx, w)
	if res != nil {
		return res
	}
	if v.Verdict != permissions.Allow {
		return t.opt.Session.refuse(ctx, v)
	}
	end, res := t.opt.Session.begin(ctx, v, w.confined)
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
		if f.prompt && s.arrived() {
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
