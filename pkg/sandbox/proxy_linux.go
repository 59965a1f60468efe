//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

func (j *Job) serveProxy(fd int) error { unix.Close(fd); return nil }

func proxyVariables(env []string) []string { return env }
