// Command mcp measures what mayi mcp proxy adds to a call: the same server is
// asked directly and through the proxy, in turns, and the medians are compared.
// Its argument is the mayi to measure.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"mayi/pkg/config"
)

// calls is how many calls are measured on each way.
const calls = 2000

func main() {
	if len(os.Args) == 2 && os.Args[1] == "server" {
		serve(os.Stdin, os.Stdout)
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/mcp:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: mcp MAYI")
	}
	mayi, err := filepath.Abs(os.Args[1])
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "mayi-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	direct, err := start(home, self, "server")
	if err != nil {
		return err
	}
	defer direct.end()
	proxied, err := start(home, mayi, "mcp", "proxy", "--name", "bench", "--settings", `{"permissions":{"allow":["mcp(bench.*)"]}}`, "--", self, "server")
	if err != nil {
		return err
	}
	defer proxied.end()
	var took [2][]time.Duration
	for i := range calls {
		for n, p := range []*peer{direct, proxied} {
			d, err := p.call(i)
			if err != nil {
				return err
			}
			took[n] = append(took[n], d)
		}
	}
	a, b := median(took[0]), median(took[1])
	fmt.Printf("%-66s %6.2f  (under 1)\n", "mayi mcp proxy adds to a call, in ms (median)", float64(b-a)/float64(time.Millisecond))
	return nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// peer is a server that is spoken to line by line.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(home string, argv ...string) (*peer, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stderr = home, os.Stderr
	env, _ := config.Environ()
	cmd.Env = append(env, "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peer{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

func (p *peer) end() {
	p.in.Close()
	_ = p.cmd.Wait() // however it ends
}

// call makes one call and says how long it took.
func (p *peer) call(id int) (time.Duration, error) {
	begun := time.Now()
	if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`+"\n", id); err != nil {
		return 0, err
	}
	line, err := p.out.ReadBytes('\n')
	took := time.Since(begun)
	var got struct {
		ID     int
		Result struct{ IsError *bool }
	}
	if err != nil || json.Unmarshal(line, &got) != nil || got.ID != id || got.Result.IsError != nil {
		return 0, fmt.Errorf("call %d was answered with %s (%v)", id, line, err)
	}
	return took, nil
}

// serve answers calls and lists, and nothing else.
func serve(in io.Reader, out io.Writer) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		result := `{"content":[{"type":"text","text":"hello"}]}`
		if m.Method == "tools/list" {
			result = `{"tools":[{"name":"echo","description":"says it again","inputSchema":{"type":"object"}}]}`
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result); err != nil {
			return
		}
	}
}
