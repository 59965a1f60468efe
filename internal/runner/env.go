package runner

import "strings"

// ChildEnv is the environment that commands run in: env, given as NAME=value,
// without mayi's own variables and without those that would change what a
// command line means. The gate should know the environment in this form.
func ChildEnv(env []string) []string {
	out := make([]string, 0, len(env))
	for _, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		if ok && name != "" && !steers(name) && !strings.ContainsRune(kv, 0) {
			out = append(out, kv)
		}
	}
	return out
}

// steers reports whether a variable makes bash run or mean something else
// than the command line says (start-up files, options, imported functions,
// prompts, the places that cd and globs look in), or is mayi's own.
func steers(name string) bool {
	switch name {
	case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4",
		"CDPATH", "GLOBIGNORE", "PWD", "OLDPWD":
		return true
	}
	return strings.HasPrefix(name, "BASH_FUNC_") || strings.HasPrefix(name, "MAYI_")
}
