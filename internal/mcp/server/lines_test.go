package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestALineThatIsNoMessage: it is answered, and the requests before and after
// it are, too.
func TestALineThatIsNoMessage(t *testing.T) {
	h := newPlace(t).host(t, `{}`)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- h.Run(context.Background(), inR, outW) }()
	go func() {
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			"garbage", "7", `{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/call"}`, "", "\xff\xfe", `{"jsonrpc":"2.0",`,
			strings.Repeat("x", 65<<20), `[]`, `[7]`, `[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","id":9,"method":"ping","method":"tools/call"},{"jsonrpc":"2.0","id":10,"method":"ping"}]`,
			`{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		} {
			fmt.Fprintln(inW, line)
		}
	}()
	in := bufio.NewReader(outR)
	failures, answered := 0, map[string]bool{}
	for !answered["2"] {
		line, err := in.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%v; the server: %v", err, <-done)
		}
		var m struct {
			ID     json.RawMessage
			Error  *struct{ Code int }
			Result json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if answered[string(m.ID)] = true; m.Error != nil {
			failures++
		}
	}
	if failures != 9 || !answered["1"] || !answered["7"] || !answered["8"] || !answered["9"] || !answered["10"] {
		t.Errorf("%d lines are refused, answered are %v", failures, answered)
	}
	inW.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
