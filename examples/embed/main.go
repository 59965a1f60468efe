// Command embed is a Go program that puts mayi in front of its own tools, in
// about ten lines.
package main

import (
	"context"
	"fmt"
	"os"

	"mayi"
)

func main() {
	helper := mayi.Main() // first of all: it confines the commands below
	ctx := context.Background()
	gate, err := mayi.Open(mayi.Options{Caller: "embed", Ask: ask, Helper: helper})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer gate.Close()

	for _, line := range os.Args[1:] {
		if code, err := gate.Run(ctx, line, os.Stdout, os.Stderr); err != nil {
			fmt.Printf("%s: %v\n", line, err)
		} else {
			fmt.Printf("%s: exit %d\n", line, code)
		}
	}
}

// ask brings a question to the person; here, to whoever started the program.
func ask(_ context.Context, q mayi.Question) (mayi.Answer, error) {
	fmt.Print(mayi.Describe(q), "once, session or no? ")
	var choice string
	fmt.Scanln(&choice)
	return mayi.Answer{Choice: mayi.Choice(choice), By: "whoever started the program"}, nil
}
