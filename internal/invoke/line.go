package invoke

import "mayi/internal/runner"

// Line is one argument as it is, a command line; or several, a program and its
// arguments, quoted into one.
func Line(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return runner.Join(args)
}
