// Command mayi is the gate between an AI agent and this machine.
package main

import "os"

// version is set by the linker.
var version = "dev"

func main() {
	os.Exit(execute(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}
