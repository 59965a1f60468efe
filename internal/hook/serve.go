package hook

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"mayi/internal/wire"
)

// message is one of JSON-RPC, as a request or its answer.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// serve answers one message a line until the input ends. A call that waits for
// a person does not hold up the others.
func (h *hook) serve(ctx context.Context) error {
	in := bufio.NewReaderSize(h.o.Stdin, 64<<10)
	waiting := make(chan struct{}, 64)
	defer func() {
		for range cap(waiting) { // until the last call has its answer
			waiting <- struct{}{}
		}
	}()
	for {
		line, err := nextLine(in)
		if len(bytes.TrimSpace(line)) > 0 {
			waiting <- struct{}{}
			go func() {
				defer func() { <-waiting }()
				h.message(ctx, line)
			}()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the messages cannot be read: %w", err)
		}
	}
}

// nextLine is the next line, of which no more is kept than one byte over what a
// message may have.
func nextLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := MaxInput + 1 - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// message answers one message. What cannot be read has no answer that could be
// told apart; PicoClaw refuses a call without one.
func (h *hook) message(ctx context.Context, line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		h.say(message{Version: "2.0", ID: json.RawMessage("null"), Error: &fault{-32700, "the message is not readable"}})
		return
	}
	if m.ID == nil {
		return // a notification
	}
	back := message{Version: "2.0", ID: m.ID}
	switch m.Method {
	case "hook.hello":
		back.Result = map[string]any{"ok": true}
	case "hook.approve_tool":
		back.Result = h.approve(ctx, m.Params)
	case "hook.before_tool":
		back.Result = map[string]any{"action": "continue"}
	case "hook.after_tool":
		back.Result = map[string]any{}
	default:
		back.Error = &fault{-32601, "the method " + m.Method + " is not known"}
	}
	h.say(back)
}

// approve decides one call within the agent's time limit.
func (h *hook) approve(ctx context.Context, params []byte) any {
	limit := h.agent.limit - slack(h.agent.limit)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan any, 1)
	go func() {
		r, err := h.answer(ctx, params, nil)
		if err != nil {
			r.stdout = approved{Reason: "mayi: " + err.Error()}
		}
		done <- r.stdout
	}()
	select {
	case v := <-done:
		return v
	case <-time.After(limit):
		return approved{Reason: "mayi: the decision took too long"}
	}
}

// say writes one message on one line.
func (h *hook) say(m message) {
	line, err := wire.Line(m)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = h.o.Stdout.Write(line)
}
