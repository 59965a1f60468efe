// Command mayi is the gate between an AI agent and this machine.
package main

import (
	"os"

	"mayi/pkg/sandbox"
)

// version is set by the linker.
var version = "dev"

func main() {
	sandbox.Main() // does not return in a helper of the sandbox
	os.Exit(execute(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
