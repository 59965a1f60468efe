package mayi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mayi"
)

// place makes a home and a workspace for an example and returns how to open a
// gate there.
func place() (mayi.Options, func()) {
	dir, err := os.MkdirTemp("", "mayi-example-")
	if err != nil {
		panic(err)
	}
	space := filepath.Join(dir, "project")
	if err := os.MkdirAll(space, 0o755); err != nil {
		panic(err)
	}
	return mayi.Options{
		Workspace: space, Cwd: space, StateDir: filepath.Join(dir, "state"),
		NoUserSettings: true,
		Helper:         helper, Say: func(string) {},
		Settings: `{"executionMode": "accept-edits", "readOnlyShell": true, "permissions": {"deny": ["command(rm)"]}}`,
	}, func() { os.RemoveAll(dir) }
}

func ExampleOpen() {
	o, done := place()
	defer done()
	gate, err := mayi.Open(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	fmt.Println(gate.Decide(context.Background(), mayi.Command("ls")).Verdict)
	// Output: allow
}

func ExampleGate_Decide() {
	o, done := place()
	defer done()
	gate, err := mayi.Open(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	for _, line := range []string{"ls | wc -l", "make", "timeout 5 rm -rf /tmp/x"} {
		fmt.Printf("%s: %s\n", line, gate.Decide(context.Background(), mayi.Command(line)).Verdict)
	}
	// Output:
	// ls | wc -l: allow
	// make: ask
	// timeout 5 rm -rf /tmp/x: deny
}

func ExampleGate_Check() {
	o, done := place()
	defer done()
	o.Ask = func(_ context.Context, q mayi.Question) (mayi.Answer, error) {
		fmt.Println("asked about:", q.Command)
		return mayi.Answer{Choice: "session", By: "the person"}, nil
	}
	gate, err := mayi.Open(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	fmt.Println(gate.Check(context.Background(), mayi.Command("ls /etc")).Verdict)
	fmt.Println(gate.Check(context.Background(), mayi.Command("ls /etc")).Verdict)
	// Output:
	// asked about: ls /etc
	// allow
	// allow
}

func ExampleGate_Run() {
	o, done := place()
	defer done()
	gate, err := mayi.Open(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	code, err := gate.Run(context.Background(), "echo hello; exit 3", os.Stdout, os.Stderr)
	fmt.Println(code, err)
	_, err = gate.Run(context.Background(), "rm -rf /", os.Stdout, os.Stderr)
	fmt.Println(errors.Is(err, mayi.ErrRefused))
	// Output:
	// hello
	// 3 <nil>
	// true
}

func ExampleGate_BeforeTool() {
	o, done := place()
	defer done()
	gate, err := mayi.Open(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	ctx := context.Background()
	write := mayi.Call{Tool: "write", Input: map[string]any{"file_path": "notes.txt", "content": "hello"}}
	if end, err := gate.BeforeTool(ctx, write); err == nil {
		// The agent's own tool runs here.
		end("written")
		fmt.Println("ran")
	}
	write.Input["file_path"] = "/etc/hosts"
	_, err = gate.BeforeTool(ctx, write)
	fmt.Println(errors.Is(err, mayi.ErrRefused))
	// Output:
	// ran
	// true
}
