package hook

// Prompts reports whether the agent can ask the person by itself when its hook
// tells it to.
func Prompts(name string) bool { return find(name).prompts != nil }
