//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"mayi/internal/invoke"
	"mayi/internal/onefile"
	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/sandbox"
)

// reach takes what a running command reaches for to an engine, which has the
// store of answers and the way to the person. Every failure is a no.
func reach(ctx context.Context, r invoke.Reaching) approval.Choice {
	in, err := json.Marshal(r)
	if err != nil {
		return approval.No
	}
	cmd := exec.CommandContext(ctx, self, "reach")
	cmd.Args[0] = onefile.EngineName
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sandbox.Punctual()
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return approval.No
	}
	switch c := approval.Choice(strings.TrimSpace(string(out))); c {
	case approval.Once, approval.Session, gate.Unasked:
		return c
	}
	return approval.No
}
