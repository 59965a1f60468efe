package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// probeArg makes the test binary an MCP server: FILE is where it writes down
// each call that reached it.
const probeArg = "mcp-probe"

// serveProbe is an MCP server on stdio with two tools that only write down
// that they were called. Written out by hand, so that no part of it can be
// blamed on a library that mayi uses too.
func serveProbe(file string, in io.Reader, out io.Writer) int {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var msg struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				ProtocolVersion string `json:"protocolVersion"`
				Name            string `json:"name"`
				Arguments       struct {
					Text string `json:"text"`
				} `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(lines.Bytes(), &msg) != nil || msg.ID == nil {
			continue
		}
		var result any
		switch msg.Method {
		case "initialize":
			version := msg.Params.ProtocolVersion
			if version == "" {
				version = "2025-03-26"
			}
			result = map[string]any{
				"protocolVersion": version,
				"capabilities":    map[string]any{"tools": map[string]any{}},
				"serverInfo":      map[string]any{"name": "probe", "version": "1"},
			}
		case "tools/list":
			result = map[string]any{"tools": []any{probeTool("note"), probeTool("erase")}}
		case "tools/call":
			said := msg.Params.Name + " " + msg.Params.Arguments.Text
			if err := appendLine(file, said); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": "probe did " + said}}}
		default:
			result = map[string]any{}
		}
		answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": msg.ID, "result": result})
		if err != nil {
			return 1
		}
		if _, err := fmt.Fprintf(out, "%s\n", answer); err != nil {
			return 1
		}
	}
	return 0
}

func probeTool(name string) any {
	return map[string]any{
		"name": name, "description": "write down that it was called",
		"inputSchema": map[string]any{
			"type": "object", "required": []string{"text"},
			"properties": map[string]any{"text": map[string]any{"type": "string"}},
		},
	}
}

func appendLine(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
