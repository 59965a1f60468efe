package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"mayi/pkg/gate"
)

// Confined is a command line that is to be run inside what was granted.
type Confined struct {
	Command, Dir string
	Env          []string
	// Out gets standard output and standard error.
	Out io.Writer
	// Say is told in plain words of what was refused while it ran.
	Say func(text string)
}

// confined runs the command through [Options.Confine] and says how it ended.
func (t *ExecTool) confined(ctx context.Context, v gate.Verdict, spec processSpec) (*ToolResult, string) {
	if spec.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, spec.timeout, errTimedOut)
		defer cancel()
	}
	out := newOutput(spec.limit)
	var mu sync.Mutex
	var said []string
	code, err := t.opt.Confine(ctx, v, Confined{
		Command: spec.command, Dir: spec.dir, Env: append(spec.env[:len(spec.env):len(spec.env)], "PWD="+spec.dir), Out: out,
		Say: func(text string) {
			mu.Lock()
			said = append(said, text)
			mu.Unlock()
		},
	})
	status, ok := fmt.Sprintf("exit code %d", code), code == 0
	switch {
	case err != nil:
		status = "failed: " + err.Error()
		return refusedResult(v, "the command could not be run: "+err.Error()), status
	case errors.Is(context.Cause(ctx), errTimedOut):
		status, ok = fmt.Sprintf("timed out after %s; %s", spec.timeout, status), false
	case ctx.Err() != nil:
		status, ok = "interrupted; "+status, false
	case code > 128 && code < 128+65:
		status += fmt.Sprintf(", as signal %d gives it", code-128)
	}
	mu.Lock()
	defer mu.Unlock()
	return &ToolResult{ForLLM: confinedReport(out, status, said), IsError: !ok, Verdict: &v}, status
}

var errTimedOut = errors.New("timed out")

func confinedReport(out *output, status string, said []string) string {
	var b strings.Builder
	if text := out.String(); text != "" {
		b.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	} else {
		b.WriteString("(no output)\n")
	}
	fmt.Fprintf(&b, "[%s]", status)
	for _, s := range said {
		b.WriteString("\n[" + s + "]")
	}
	return b.String()
}
