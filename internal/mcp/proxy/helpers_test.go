package proxy_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mayi/internal/assembly"
	"mayi/internal/mcp/frame"
	"mayi/internal/mcp/ledger"
	"mayi/internal/mcp/pins"
	"mayi/internal/mcp/proxy"
	"mayi/pkg/config"
)

// place is a workspace with its settings.
type place struct {
	dir string
	app *assembly.App
}

func newPlace(t testing.TB, settings string) place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/space", 0o755); err != nil {
		t.Fatal(err)
	}
	app, err := assembly.Open(assembly.Options{Config: config.Options{
		Cwd: dir + "/space", Workspace: dir + "/space", Home: dir, User: "dev",
		UserFile: dir + "/settings.json", StateDir: dir + "/state", Override: []byte(settings),
	}, Append: ledger.Append})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(app.Settings.Problems); n > 0 {
		t.Fatal(app.Settings.Problems)
	}
	t.Cleanup(func() { app.Close() })
	return place{dir, app}
}

func (p place) options(t testing.TB) proxy.Options {
	t.Helper()
	store, err := pins.Open(p.dir+"/state/mcp/pins", "a test")
	if err != nil {
		t.Fatal(err)
	}
	return proxy.Options{
		Name: "srv", Gate: p.app.Gate, Session: "test", Caller: "mcp proxy srv", Cwd: p.dir + "/space", Pins: store,
		Say: func(text string) { t.Log("said: " + text) },
	}
}

// pipe is a line connection in memory: one end as a frame.Conn, the other as two
// streams.
func pipe() (frame.Conn, io.ReadCloser, io.WriteCloser) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var once sync.Once
	end := func() error {
		once.Do(func() { inR.Close(); outW.Close() })
		return nil
	}
	return frame.NewLines(inR, outW, end), outR, inW
}

// run starts a proxy and returns the streams of the client's and the server's
// side. done is closed when it has ended.
func run(t testing.TB, o proxy.Options) (client, server *mcp.IOTransport, done <-chan struct{}) {
	t.Helper()
	cc, cr, cw := pipe()
	sc, sr, sw := pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := proxy.Run(ctx, cc, sc, o); err != nil && ctx.Err() == nil {
			t.Errorf("the proxy failed: %v", err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		cw.Close()
		sw.Close()
		<-ended
	})
	return &mcp.IOTransport{Reader: cr, Writer: cw, MaxLineLength: -1}, &mcp.IOTransport{Reader: sr, Writer: sw, MaxLineLength: -1}, ended
}

// connect puts the SDK's client and server on both sides of a proxy.
func connect(t testing.TB, o proxy.Options, server *mcp.Server, co *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	ct, st, _ := run(t, o)
	ss, err := server.Connect(context.Background(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = ss
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, co)
	cs, err := client.Connect(context.Background(), ct, &mcp.ClientSessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return cs
}

func text(t testing.TB, r *mcp.CallToolResult) string {
	t.Helper()
	out := ""
	for _, c := range r.Content {
		if tc, ok := c.(*mcp.TextContent); ok {
			out += tc.Text
		}
	}
	return out
}
