package serve

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	acp "github.com/coder/acp-go-sdk"

	"mayi/pkg/agent"
	"mayi/pkg/approval"
)

// renderer shows a conversation in the editor. Safe for concurrent use.
type renderer struct {
	conn    *acp.AgentSideConnection
	session acp.SessionId
	cwd     string

	mu    sync.Mutex
	count int
}

// Render implements agent.Renderer. An editor that is gone is no reason to stop
// here.
func (r *renderer) Render(ev agent.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var u acp.SessionUpdate
	switch ev.Kind {
	case agent.Text:
		u = acp.UpdateAgentMessageText(ev.Text)
	case agent.Notice:
		u = acp.UpdateAgentThoughtText("mayi: " + ev.Text)
	case agent.Calling:
		r.count++
		// The SDK's helper for locations would write into the arguments.
		u = acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
			ToolCallId: r.call(), Title: title(ev), Kind: kind(ev.Tool), Status: acp.ToolCallStatusInProgress,
			RawInput: ev.Args, Locations: r.locations(ev.Args),
		}}
	case agent.Returned:
		// Tabs and CRLF would be shown as the control characters that they are.
		plain := strings.NewReplacer("\r\n", "\n", "\t", "    ")
		status, text := acp.ToolCallStatusCompleted, ev.Result.ForUser
		if ev.Result.IsError {
			status = acp.ToolCallStatusFailed
		}
		if text == "" {
			text = ev.Result.ForLLM
		}
		u = acp.UpdateToolCall(r.call(), acp.WithUpdateStatus(status),
			acp.WithUpdateContent([]acp.ToolCallContent{acp.ToolContent(acp.TextBlock(approval.Clip(plain.Replace(text), 100_000)))}))
	default:
		return
	}
	_ = r.conn.SessionUpdate(context.Background(), acp.SessionNotification{SessionId: r.session, Update: u})
}

// call is the id of the call that runs.
func (r *renderer) call() acp.ToolCallId {
	return acp.ToolCallId(fmt.Sprintf("call-%d", r.count))
}

// title is the call on one line.
func title(ev agent.Event) string {
	for _, k := range []string{"command", "file_path", "path", "url", "pattern", "query"} {
		if s, ok := ev.Args[k].(string); ok && s != "" {
			return approval.Clip(approval.Line(ev.Tool+" "+s), 500)
		}
	}
	return approval.Line(ev.Tool)
}

func (r *renderer) locations(args map[string]any) []acp.ToolCallLocation {
	for _, k := range []string{"file_path", "path"} {
		if s, ok := args[k].(string); ok && s != "" {
			if !filepath.IsAbs(s) {
				s = filepath.Join(r.cwd, s)
			}
			return []acp.ToolCallLocation{{Path: s}}
		}
	}
	return nil
}

// kind is what the editor calls what the tool does.
func kind(tool string) acp.ToolKind {
	switch tool {
	case "read", "ls":
		return acp.ToolKindRead
	case "write", "edit":
		return acp.ToolKindEdit
	case "grep", "find", "tool_search":
		return acp.ToolKindSearch
	case "exec", "bash":
		return acp.ToolKindExecute
	case "web_fetch":
		return acp.ToolKindFetch
	}
	return acp.ToolKindOther
}
