//go:build linux

// Command front is the part of mayi that starts at once: it answers hooks,
// runs allowed commands and is the sandbox's helper. Whatever it cannot do
// alone the engine does, the other program in the same file, from the start
// and with the same arguments; so the front prints no error and asks nobody.
package main

import (
	"context"
	"os"

	"mayi/pkg/sandbox"
)

func main() {
	sandbox.Main() // does not return in a helper of the sandbox
	roomy()
	if code, done := front(context.Background(), os.Args[1:]); done {
		os.Exit(code)
	}
	become(os.Args[1:])
}

// front does what the arguments say where it can; done is false where the
// engine has to, and nothing was done yet.
func front(ctx context.Context, args []string) (code int, done bool) {
	if len(args) == 0 {
		return 0, false
	}
	switch args[0] {
	case "run":
		return run(ctx, args[1:])
	case "hook":
		return answer(ctx, args[1:])
	case "exec-confined":
		return runTicket(ctx, args[1:])
	}
	return 0, false
}
