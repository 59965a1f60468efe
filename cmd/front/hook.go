//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"os"

	"mayi/internal/core"
	"mayi/internal/hook"
	"mayi/internal/runner"
	"mayi/pkg/approval"
	"mayi/pkg/config"
)

// answer is "mayi hook NAME" for a call that can be decided without the store
// of answers. What was read of the payload is given on to the engine.
func answer(ctx context.Context, args []string) (code int, done bool) {
	if len(args) != 1 || hook.Limit(args[0]) == 0 || hook.Stays(args[0]) {
		return 0, false
	}
	input, err := hook.ReadInput(os.Stdin)
	if err != nil {
		return 0, false
	}
	list, env := config.Environ()
	executable, err := os.Executable()
	if err != nil {
		return 0, fed(input)
	}
	code, err = hook.Run(ctx, hook.Options{
		Name: args[0], Stdin: bytes.NewReader(input), Stdout: os.Stdout, Stderr: os.Stderr,
		Env: env, Self: executable, Alone: hook.Alone, Exit: os.Exit,
		Open: func(p hook.Place) (*hook.Door, error) { return door(p, config.ByName(runner.ChildEnv(list))) },
	})
	if errors.Is(err, hook.ErrNeedsStore) {
		return 0, fed(input)
	}
	return code, true
}

// fed gives the payload back to whoever reads standard input next. It returns
// that the call is not done; without its input the engine denies it.
func fed(input []byte) (done bool) {
	_ = feed(input)
	return false
}

// door opens the gate for one call, with the record but without the store.
func door(p hook.Place, env map[string]string) (*hook.Door, error) {
	absent := &hook.Absent{}
	keeper, known := light(p.Session)
	c, err := core.Open(core.Options{Config: p.Config(), Env: env, Keep: func(stateDir string) core.Keeper {
		k := keeper(stateDir)
		if !known() {
			k.Grants = func(string) approval.Grants { return absent.Grants() }
		}
		return k
	}})
	if err != nil {
		return nil, err
	}
	return &hook.Door{Gate: c.Gate, Absent: absent}, nil
}
