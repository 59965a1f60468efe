package shell

import (
	"strings"

	"mayi/pkg/shell/value"
)

// noDash begins the pattern of a text that is no option; with ** behind it, the
// text may hold slashes.
const noDash = "[^-]"

// gitOutput is what is known of the one word that some commands of git print.
// The name of a branch has no blank, no character of a pattern and no leading
// dash, and cannot climb; a commit's is a number in hexadecimal digits.
func gitOutput(args []string) (value.Value, bool) {
	switch strings.Join(args, " ") {
	case "rev-parse HEAD", "rev-parse --short HEAD", "rev-parse --verify HEAD":
		return value.Concat(value.Pattern("[0-9a-f]"), value.Pattern("*")), true
	case "rev-parse --abbrev-ref HEAD", "branch --show-current", "symbolic-ref --short HEAD":
		return value.Pattern(noDash + "**"), true
	}
	return value.Value{}, false
}
