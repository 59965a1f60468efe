//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"fmt"
	"os"
)

// serveProxy hands the listening socket on the job's loopback to whoever
// carries the connections: they are accepted out here, so nothing in the job
// has to carry the bytes.
func (j *Job) serveProxy() {
	f := os.NewFile(uintptr(j.listener), "proxy")
	j.listener = -1
	j.proxied.Add(1)
	go func() {
		defer j.proxied.Done()
		defer func() { _ = recover() }() // what it held is refused
		_ = j.cmd.Proxy.Serve(j.ctx, f, Supervisor{Report: j.report, Ask: j.ask})
	}()
}

// ask brings what the proxy holds to the person.
func (j *Job) ask(ctx context.Context, a Access) bool {
	return j.broker != nil && !j.broker.asks.closed() && j.broker.asks.ask(ctx, a)
}

// proxyVariables tell common clients where the proxy is. What unsets them is
// left without a network.
func proxyVariables(env []string) []string {
	url := fmt.Sprintf("http://127.0.0.1:%d", proxyPort)
	for _, n := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "npm_config_proxy", "npm_config_https_proxy"} {
		env = setenv(env, n, url)
	}
	const here = "localhost,127.0.0.1,::1"
	env = setenv(env, "no_proxy", here)
	env = setenv(env, "NO_PROXY", here)
	return setenv(env, "NODE_USE_ENV_PROXY", "1")
}
