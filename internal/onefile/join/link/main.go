// Command link joins the front and the engine into one file.
package main

import (
	"fmt"
	"os"

	"mayi/internal/onefile/join"
)

func main() {
	if err := link(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "link:", err)
		os.Exit(1)
	}
}

func link(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("usage: link FRONT ENGINE OUT")
	}
	front, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	engine, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	joined, err := join.Files(front, engine)
	if err != nil {
		return err
	}
	// A file that is being run cannot be written to, but it can be replaced.
	fresh := args[2] + ".new"
	if err := os.WriteFile(fresh, joined, 0o755); err != nil {
		return err
	}
	return os.Rename(fresh, args[2])
}
