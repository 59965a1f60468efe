package install

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// codexHook is what Codex says of one hook.
type codexHook struct {
	Key         string `json:"key"`
	EventName   string `json:"eventName"`
	Command     string `json:"command"`
	Source      string `json:"source"`
	Enabled     bool   `json:"enabled"`
	IsManaged   bool   `json:"isManaged"`
	CurrentHash string `json:"currentHash"`
	TrustStatus string `json:"trustStatus"`
}

// codexHooks asks Codex's app server which hooks it reads for a folder. It
// starts one, asks, and ends it.
func codexHooks(program, home, cwd string) ([]codexHook, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "app-server")
	cmd.Dir = cwd
	cmd.Env = append(cmd.Environ(), "CODEX_HOME="+home)
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		in.Close()
		cancel()
		_ = cmd.Wait() // it was killed, which is how it ends here
	}()
	type object = map[string]any
	for _, m := range []object{
		{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": object{"clientInfo": object{"name": "mayi", "version": "1"}}},
		{"jsonrpc": "2.0", "method": "initialized"},
		{"jsonrpc": "2.0", "id": 2, "method": "hooks/list", "params": object{"cwds": []string{cwd}}},
	} {
		line, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		if _, err := in.Write(append(line, '\n')); err != nil {
			return nil, fmt.Errorf("codex app-server ended: %s", bytes.TrimSpace(complaint.Bytes()))
		}
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m struct {
			ID     int `json:"id"`
			Result struct {
				Data []struct {
					Hooks []codexHook `json:"hooks"`
				} `json:"data"`
			} `json:"result"`
			Error *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID != 2 {
			continue
		}
		if m.Error != nil {
			return nil, errors.New(m.Error.Message)
		}
		var hooks []codexHook
		for _, d := range m.Result.Data {
			hooks = append(hooks, d.Hooks...)
		}
		return hooks, nil
	}
	if ctx.Err() != nil {
		return nil, errors.New("codex app-server did not answer in time")
	}
	return nil, fmt.Errorf("codex app-server ended without an answer: %s", bytes.TrimSpace(complaint.Bytes()))
}
