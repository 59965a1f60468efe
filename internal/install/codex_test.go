package install_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test binary be a program named codex.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "codex" {
		appServer()
		return
	}
	os.Exit(m.Run())
}

// fakeCodex puts a program on the PATH that answers hooks/list as Codex was
// seen to: a key of file, event and places, and a hash over the entry.
func fakeCodex(m *machine) {
	m.t.Helper()
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.Symlink(self, m.path("bin/codex")); err != nil {
		m.t.Fatal(err)
	}
}

func appServer() {
	home := os.Getenv("CODEX_HOME")
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if !strings.Contains(in.Text(), "hooks/list") {
			continue
		}
		file := filepath.Join(home, "hooks.json")
		var settings struct {
			Hooks map[string][]struct {
				Matcher string
				Hooks   []json.RawMessage
			}
		}
		data, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(data, &settings) != nil {
			fmt.Println(`{"id":2,"error":{"message":"hooks.json cannot be read"}}`)
			return
		}
		config, _ := os.ReadFile(filepath.Join(home, "config.toml"))
		var hooks []map[string]any
		for _, event := range []string{"PreToolUse", "PermissionRequest"} {
			for i, g := range settings.Hooks[event] {
				for k, raw := range g.Hooks {
					var h struct{ Command string }
					if json.Unmarshal(raw, &h) != nil {
						continue
					}
					snake := map[string]string{"PreToolUse": "pre_tool_use", "PermissionRequest": "permission_request"}[event]
					sum := sha256.Sum256(raw)
					hash := "sha256:" + hex.EncodeToString(sum[:])
					trust := "untrusted"
					if strings.Contains(string(config), hash) {
						trust = "trusted"
					}
					hooks = append(hooks, map[string]any{
						"key": fmt.Sprintf("%s:%s:%d:%d", file, snake, i, k), "eventName": event, "command": h.Command, "source": "user",
						"enabled": true, "currentHash": hash, "trustStatus": trust,
					})
				}
			}
		}
		answer, err := json.Marshal(map[string]any{"id": 2, "result": map[string]any{"data": []any{map[string]any{"hooks": hooks}}}})
		if err != nil {
			return
		}
		fmt.Println(string(answer))
		return
	}
}
