// Package effects says what one tool call would do: the built-in tools'
// declarations, the reading of shell commands, and the arguments of foreign
// tools. It is pure; pkg/workspace then finds out where the paths lead.
//
// A tool that declares nothing, an argument of the wrong type and an unknown
// built-in name all end as an undeclared effect, the strictest.
package effects

import "mayi/pkg/permissions"

// Request is a tool call as an adapter hands it on.
type Request struct {
	Tool  permissions.Tool
	Input map[string]any
	// Cwd is the absolute working directory.
	Cwd string
	// Real says where an absolute path leads with every link followed; nil, and
	// an answer "", is not known.
	Real func(path string) string
	// Home and User are the person's; Env is what is known of the environment
	// that the call would run in.
	Home, User string
	Env        map[string]string
	Remote     bool
	// Declared are the effects that an operator declared for a foreign tool,
	// nil where there is no declaration.
	Declared []permissions.Kind
	// Foreign is what the server of a foreign tool says about it, nil where that
	// is not known.
	Foreign *Foreign
}
