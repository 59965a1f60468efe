package serve

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"mayi/internal/acp/ask"
	"mayi/pkg/approval/approvaltest"
)

// typist is an SDK's editor whose user types: what stands for no option that is
// offered is passed over, as a key that means nothing is.
type typist struct {
	acp.Client
	lines chan string

	mu    sync.Mutex
	shown strings.Builder
	// close closes the dialog that is open.
	close context.CancelFunc
}

func (e *typist) show(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shown.WriteString(text)
}

func (e *typist) RequestPermission(ctx context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.mu.Lock()
	e.close = cancel
	e.mu.Unlock()
	e.show(*p.ToolCall.Title + "\n" + p.ToolCall.Content[0].Content.Content.Text.Text)
	for {
		select {
		case l := <-e.lines:
			for _, o := range p.Options {
				id := string(o.OptionId)
				if l = strings.ToLower(strings.Trim(l, " ")); l != "" && (l == id || l == id[:1]) {
					return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
				}
			}
		case <-ctx.Done():
			return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
		}
	}
}

func (e *typist) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	e.close() // it says that the question is over; the withdrawal may come later
	e.mu.Unlock()
	e.show(n.Update.ToolCall.Content[0].Content.Content.Text.Text)
	return nil
}

// TestTheEditorIsAnAsker: through the SDK on both sides.
func TestTheEditorIsAnAsker(t *testing.T) {
	approvaltest.Asker(t, func(t *testing.T) approvaltest.Driver {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		e := &typist{lines: make(chan string)}
		a := &Agent{o: Options{Say: func(string) {}}, sessions: map[acp.SessionId]*session{}}
		a.conn = acp.NewAgentSideConnection(a, outW, inR)
		a.conn.SetLogger(slog.New(slog.DiscardHandler))
		acp.NewClientSideConnection(e, inW, outR).SetLogger(slog.New(slog.DiscardHandler))
		hangup := func() { inW.Close(); outR.Close() }
		t.Cleanup(hangup)
		return approvaltest.Driver{
			Asker: ask.New(editorSide{a, "s"}),
			Type: func(line string) {
				select {
				case e.lines <- line:
				case <-time.After(30 * time.Second):
					t.Error("no request took the line")
				}
			},
			Shown: func() string {
				e.mu.Lock()
				defer e.mu.Unlock()
				return e.shown.String()
			},
			Hangup: hangup,
		}
	})
}
