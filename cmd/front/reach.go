//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
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
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, os.Stderr
	sandbox.AsStarted(func() { err = cmd.Start() })
	if err != nil || cmd.Wait() != nil {
		return approval.No
	}
	switch c := approval.Choice(strings.TrimSpace(out.String())); c {
	case approval.Once, approval.Session, gate.Unasked:
		return c
	}
	return approval.No
}
