package mayi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"mayi/internal/confine"
	"mayi/internal/confine/connect"
	"mayi/internal/runner"
	"mayi/pkg/sandbox"
)

// Helper says that the program has called [Main]. The zero Helper says that it
// has not.
type Helper struct{ called bool }

// Main lets [Gate.Run] confine the commands that it runs. The confinement is put
// up by the running program itself, started once more as a helper, so a program
// that embeds the gate calls Main before anything else in its main function and
// hands the result to [Open]:
//
//	func main() {
//		helper := mayi.Main()
//		gate, err := mayi.Open(mayi.Options{Helper: helper, …})
//
// In the helper Main does not return. Everywhere else it returns at once.
func Main() Helper {
	sandbox.Main()
	return Helper{called: true}
}

// BeforeTool is called before a tool of the agent's own runs: it decides, asks,
// uses up a permission that was for one time, and writes the record. An error
// means that the tool must not run; it wraps [ErrRefused] and its text is for the
// model. Otherwise end is called with what came of the tool. Nothing confines the
// agent's own tools, so that under sandbox "required" a command line is refused.
func (g *Gate) BeforeTool(ctx context.Context, c Call) (end func(outcome string), err error) {
	v := g.check(ctx, c)
	if v.Verdict == Allow && v.Call.Shell && g.app.Gate.Settings().Sandbox == confine.Required {
		v.Decision = Decision{Reason: `the settings say sandbox "required", and nothing confines what the agent runs itself; use Gate.Run`}
	}
	end, err = g.app.Gate.Begin(ctx, v)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return end, nil
}

// Run decides a command line, asks where a person must decide, and runs it with
// bash, held by the kernel to what was decided; the output goes to stdout and
// stderr. The setting "sandbox" says whether it must be held ("required"), is held
// as far as this machine and program can ("auto", the default), or is not ("off").
// What it reaches for beyond what was decided is asked about while it waits.
//
// exit is the command's exit code, 128 + n where signal n ended it. An error that
// wraps [ErrRefused] means that it was not run; exit is then -1. While it runs,
// this process's SIGINT, SIGQUIT, SIGTERM and SIGHUP go to it; the end of ctx ends
// it.
func (g *Gate) Run(ctx context.Context, line string, stdout, stderr io.Writer) (exit int, err error) {
	mode := g.app.Gate.Settings().Sandbox
	say := g.teller(stderr)
	if !g.opts.Helper.called && mode != confine.Off {
		const hint = "the program does not call mayi.Main first and hand its result to mayi.Open"
		if mode == confine.Required {
			return -1, fmt.Errorf(`%w: the settings say sandbox "required", and %s`, ErrRefused, hint)
		}
		say("the command is not confined: " + hint)
		mode = confine.Off
	}
	exit, err = g.run(ctx, line, mode, stdout, stderr, say)
	if mode == confine.Auto && errors.Is(err, confine.ErrUnmet) {
		// What the kernel cannot hold here is the person's to say.
		return g.run(ctx, line, confine.Off, stdout, stderr, say)
	}
	return exit, err
}

func (g *Gate) run(ctx context.Context, line, mode string, stdout, stderr io.Writer, say func(string)) (exit int, err error) {
	r := g.request(Command(line))
	r.Confines = mode != confine.Off
	v := g.decide(ctx, r)
	begin := g.app.Gate.Begin
	if r.Confines {
		begin = g.app.Gate.BeginConfined
	}
	end, err := begin(ctx, v)
	if err != nil {
		return -1, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	exit, err = confine.Run(ctx, confine.Job{
		Gate: g.app.Gate, Verdict: v, Mode: mode, Asker: g.asker, Proxy: connect.Proxy(g.app.Gate, v), Say: say,
		Command: runner.Command{Text: line, Dir: g.app.Config.Cwd, Env: g.env, Stdout: stdout, Stderr: stderr},
	})
	switch {
	case err == nil:
		end(fmt.Sprintf("exit %d", exit))
		return exit, nil
	case errors.Is(err, confine.ErrUnmet), exit == 125 && mode == confine.Required:
		exit, err = -1, fmt.Errorf("%w: %w", ErrRefused, err)
	default:
		err = fmt.Errorf("mayi: %w", err)
	}
	end("failed: " + err.Error())
	return exit, err
}

// teller is who is told what became of a command.
func (g *Gate) teller(stderr io.Writer) func(string) {
	switch {
	case g.opts.Say != nil:
		return g.opts.Say
	case stderr == nil:
		return func(string) {}
	}
	var mu sync.Mutex
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(stderr, "mayi: "+text)
	}
}
