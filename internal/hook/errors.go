package hook

import "errors"

// errNoTool: the payload of a tool's call names no tool.
var errNoTool = errors.New("there is no tool_name")
