//lint:file-ignore SA1019 what older versions of the protocol have is passed on, too

package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/internal/assembly"
	"mayi/internal/mcp/child"
	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/ledger"
	"mayi/internal/mcp/proxy"
	"mayi/internal/mcp/web"
	"mayi/pkg/config"
)

const (
	token = "a token of some length"
	// asServer makes the test's own program a server on standard input and output.
	asServer = "MAYI_TEST_MCP_SERVER"
)

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		if err := thirdParty().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type in struct {
	Text string `json:"text,omitempty"`
	Size int    `json:"size,omitempty"`
}

// thirdParty is a server that makes use of everything.
func thirdParty() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "third", Version: "1"}, nil)
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		return text(a.Text), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "denied"}, func(_ context.Context, _ *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		return text("ran"), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "large"}, func(_ context.Context, _ *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		return text(strings.Repeat("x", a.Size)), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "steps"}, func(ctx context.Context, r *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1)}); err != nil {
				return nil, nil, err
			}
		}
		return text("done"), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "ask"}, func(ctx context.Context, r *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		e, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}})
		if err != nil {
			return nil, nil, err
		}
		m, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 1, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}})
		if err != nil {
			return nil, nil, err
		}
		roots, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		return text(fmt.Sprint(e.Content["name"], " ", m.Content.(*mcp.TextContent).Text, " ", len(roots.Roots))), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait"}, func(ctx context.Context, r *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, os.WriteFile(a.Text, []byte("cancelled"), 0o600)
	})
	s.AddResource(&mcp.Resource{URI: "test://r", Name: "r"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://r", Text: "a resource"}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "a prompt"}, nil
	})
	return s
}

func options(t testing.TB) proxy.Options {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/space", 0o755); err != nil {
		t.Fatal(err)
	}
	app, err := assembly.Open(assembly.Options{Config: config.Options{
		Cwd: dir + "/space", Workspace: dir + "/space", Home: dir, User: "dev", UserFile: dir + "/settings.json", StateDir: dir + "/state",
		Override: []byte(`{"allowNonWorkspaceAccess":true,"permissions":{"allow":["mcp(srv.*)"],"deny":["mcp(srv.denied)"]}}`),
	}, Append: ledger.Append})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return proxy.Options{Name: "srv", Gate: app.Gate, Session: "test", Caller: "test", Cwd: dir + "/space", Say: func(s string) { t.Log("said: " + s) }}
}

// upstreams are the two ways to the server.
func upstreams(t *testing.T) map[string]func() frame.Conn {
	s := thirdParty()
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(h.Close)
	return map[string]func() frame.Conn{
		"stdio": func() frame.Conn {
			c, err := child.Start([]string{os.Args[0]}, "", append(os.Environ(), asServer+"=1"), os.Stderr)
			if err != nil {
				t.Fatal(err)
			}
			return c
		},
		"http": func() frame.Conn { return web.NewBack(h.URL, nil) },
	}
}

// transports are the two ways from the client.
func transports(t *testing.T, upstream func() frame.Conn) map[string]func(t *testing.T) mcp.Transport {
	o := options(t)
	return map[string]func(t *testing.T) mcp.Transport{
		"stdio": func(t *testing.T) mcp.Transport {
			inR, inW, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			outR, outW, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				if err := proxy.Run(context.Background(), frame.NewLines(inR, outW, func() error { outW.Close(); return inR.Close() }), upstream(), o); err != nil {
					t.Error(err)
				}
			}()
			t.Cleanup(func() {
				inW.Close()
				<-done
				outR.Close()
			})
			return &mcp.IOTransport{Reader: outR, Writer: inW, MaxLineLength: -1}
		},
		"http": func(t *testing.T) mcp.Transport {
			o := o
			o.Sessions = true
			front := web.NewFront(func(ctx context.Context, c frame.Conn) {
				if err := proxy.Run(ctx, c, upstream(), o); err != nil {
					t.Error(err)
				}
			})
			h := httptest.NewServer(web.Guard(token, nil, front))
			t.Cleanup(func() {
				front.Close()
				h.Close()
			})
			return &mcp.StreamableClientTransport{Endpoint: h.URL, HTTPClient: &http.Client{Transport: bearer{token}}}
		},
	}
}

// bearer adds the token.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// patience bounds what must happen.
const patience = 30 * time.Second
