package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"mayi/internal/wire"
)

// MaxInput bounds one call's payload, in bytes.
const MaxInput = 8 << 20

// ErrNeedsStore says that the call cannot be answered without the store of
// answers, which this process has not. Nothing was written, recorded or used
// up: a process that has the store answers the same bytes.
var ErrNeedsStore = errors.New("the call needs the store of answers")

// ErrUnknown says that no translator has this name.
var ErrUnknown = errors.New("no agent of this name is known")

// Options say for whom and with what a hook answers.
type Options struct {
	// Name is the agent, one of [Names].
	Name string
	// Open opens the gate for one call. It is called once for each call.
	Open   func(Place) (*Door, error)
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Env is the environment of this process, by name.
	Env map[string]string
	// StateDir is mayi's state folder; "" is the one that the environment gives.
	StateDir string
	// Cwd is the working directory of this process.
	Cwd string
	// Self is the absolute path of the executable that runs confined commands;
	// "" leaves commands as they are.
	Self string
	// Alone reports whether it is sure that nobody sits in front of the agent;
	// nil is never.
	Alone func() bool
	// Notify tells the person of a waiting question; nil is nobody. It must not
	// block.
	Notify func(title, text string)
	// Exit ends the process where a time limit has passed while the call was
	// still being worked on; nil only answers.
	Exit func(code int)
	// Limit replaces the agent's own time limit, and Wait how long a question may
	// wait under it, where they are not 0.
	Limit, Wait time.Duration
	// Now is the clock, nil for time.Now.
	Now func() time.Time
}

// Run answers one call, or for an agent whose hook [Stays] all that come, and
// returns the exit code. The error is [ErrNeedsStore], [ErrUnknown] or that of
// writing the answer; it is never about the call.
func Run(ctx context.Context, o Options) (int, error) {
	a := find(o.Name)
	if a.read == nil {
		return 2, fmt.Errorf("%w: %q", ErrUnknown, o.Name)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Limit > 0 {
		a.limit = o.Limit
	}
	h := &hook{agent: a, o: o}
	if Stays(o.Name) {
		return 0, h.serve(ctx)
	}
	stop := h.watch()
	defer stop()
	data, err := ReadInput(o.Stdin)
	r, again := h.answer(ctx, data, err)
	if again != nil {
		return 0, again
	}
	code, err := h.send(r)
	if errors.Is(err, errSent) {
		err = nil
	}
	return code, err
}

// ReadInput reads a payload, at most a little more than [MaxInput] of it. What
// is longer is read to its end and dropped, so that the agent, which may still
// be writing, gets no broken pipe.
func ReadInput(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxInput+1))
	if err == nil && len(data) > MaxInput {
		_, err = io.Copy(io.Discard, r)
	}
	return data, err
}

// hook is one agent's hook at work.
type hook struct {
	agent agent
	o     Options
	// mu guards done: an answer is written once, by the call or the watchdog.
	mu   sync.Mutex
	done bool
}

// answer is the answer to one payload. It always has one, save where the store
// is needed.
func (h *hook) answer(ctx context.Context, data []byte, failed error) (r reply, err error) {
	var c call
	defer func() {
		if p := recover(); p != nil {
			r, err = h.agent.write(&c, refusal("the call could not be decided: %s", shown(p))), nil
		}
	}()
	if failed != nil {
		return h.agent.write(&c, refusal("the hook's input could not be read: %v", failed)), nil
	}
	in, err := wire.Object(data, MaxInput)
	if err != nil {
		return h.agent.write(&c, refusal("the hook's input cannot be used: %v", err)), nil
	}
	c, err = h.agent.read(in, around{h.o.Env, h.o.Cwd})
	if err != nil {
		return h.agent.write(&c, refusal("the hook's input cannot be used: %v", err)), nil
	}
	out, err := h.decide(ctx, &c)
	if err != nil {
		return reply{}, err
	}
	return h.agent.write(&c, out), nil
}

// shown is a panic's value; of an error in the program itself no more than that.
func shown(p any) string {
	if e, ok := p.(runtime.Error); ok {
		return "an error in the program (" + e.Error() + ")"
	}
	return fmt.Sprint(p)
}

// watch answers with a deny where the call takes too long: past its limit the
// agent would run it. The returned stop ends the watch.
func (h *hook) watch() (stop func()) {
	t := time.AfterFunc(h.agent.limit-slack(h.agent.limit), func() {
		code, err := h.send(h.agent.write(&call{}, refusal("the decision took longer than %s waits for it", h.agent.name)))
		if err == nil && h.o.Exit != nil {
			h.o.Exit(code)
		}
	})
	return func() { t.Stop() }
}

// slack is how long before the agent's limit the last answer is given.
func slack(limit time.Duration) time.Duration { return min(limit/4, 4*time.Second) }

// errSent says that the answer was written already.
var errSent = errors.New("the call was answered already")

// send writes the answer, once: one JSON object on one line and nothing around
// it, since text around it makes some agents ignore it.
func (h *hook) send(r reply) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done {
		return r.exit, errSent
	}
	h.done = true
	if r.stderr != "" {
		_, _ = io.WriteString(h.o.Stderr, r.stderr+"\n")
	}
	if r.stdout == nil {
		return r.exit, nil
	}
	line, err := wire.Line(r.stdout)
	if err == nil {
		_, err = h.o.Stdout.Write(line)
	}
	if err != nil {
		// Nobody reads the answer; a code that blocks is what is left.
		return 2, fmt.Errorf("the answer could not be written: %w", err)
	}
	return r.exit, nil
}
