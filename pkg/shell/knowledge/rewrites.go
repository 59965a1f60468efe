package knowledge

import "mayi/pkg/shell/value"

// rewrites notes what a formatter does with an operand: it rewrites the file, or
// of a folder the files at any depth whose names end in one of the endings.
func (c *call) rewrites(v value.Value, arg int, endings []string) {
	if isDash(v) {
		c.stdin(StdinData)
		return
	}
	c.access(ReadFile, v, arg, true, false)
	if text, ok := v.Text(); !ok || !dirByName(text) {
		c.access(WriteFile, v, arg, false, true)
	}
	for _, e := range endings {
		c.access(WriteFile, under(v, value.Pattern("**/*."+e)), arg, false, true)
	}
}
