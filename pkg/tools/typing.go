package tools

import (
	"strings"
	"sync"
	"time"
)

// typing is what is known about the input of one session. What is typed at a
// shell's prompt is decided like a command before the shell sees it; what is
// typed into any other program cannot be read, and a person has to agree.
type typing struct {
	mu sync.Mutex
	// shell: the session was started as a plain shell, so that its state is
	// known from what was typed since.
	shell bool
	utf8  bool
	// dir is where the session began, or where history began.
	dir string
	// history is what was typed at the prompt; it goes in front of each decision
	// once stateful is set: something typed may have changed what later words
	// mean (a variable, a function, an alias, an option).
	history  []string
	stateful bool
	// line is typed text that waits for its end of line; the shell has not
	// seen it.
	line string
	// unknown: keys were sent (history, completion) that may have put text
	// into the shell's line which nobody decided on.
	unknown bool
	// due is how much the shell will have read, of anything, once it has
	// taken what was typed last at sentAt; 0 where nothing is under way.
	due    uint64
	sentAt time.Time
}

// expect notes that n bytes are about to be typed at the prompt. The kernel
// hands input to a terminal in its own time and shows it nowhere on the way,
// so that the shell seems to wait for input while it is on its way.
func (s *shellSession) expect(n int) {
	s.typed.due, s.typed.sentAt = 0, time.Now()
	if read, ok := bytesRead(s.proc.pid); ok {
		s.typed.due = read + uint64(n)
	}
}

// arrived reports whether the shell has read what was typed last. Where the
// kernel does not count what a program reads, a while has to do.
func (s *shellSession) arrived() bool {
	read, ok := bytesRead(s.proc.pid)
	if !ok || s.typed.due == 0 {
		return s.typed.sentAt.IsZero() || time.Since(s.typed.sentAt) > arriveWait
	}
	return read >= s.typed.due
}

const (
	maxHistory   = 64 << 10
	maxTyped     = 64 << 10
	promptWait   = 2 * time.Second
	startWait    = 300 * time.Millisecond
	writeTimeout = 5 * time.Second
	arriveWait   = 500 * time.Millisecond
	// maxTerminal is what a terminal takes in one piece.
	maxTerminal = 3000
)

// plainShell reports whether the words start nothing but a shell with its
// ordinary state, which reads its commands from its input.
func plainShell(words []string) bool {
	if len(words) > 0 && words[0] == "exec" {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	switch strings.TrimPrefix(strings.TrimPrefix(words[0], "/usr"), "/bin/") {
	case "bash", "sh", "dash":
	default:
		return false
	}
	for _, w := range words[1:] {
		switch w {
		case "-i", "-l", "-il", "-li", "-s", "--login", "--norc", "--noprofile", "--noediting", "--posix":
		default:
			return false
		}
	}
	return true
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' }

func (ty *typing) start(s processSpec) {
	ty.shell, ty.dir = plainShell(strings.FieldsFunc(s.command, isBlank)), s.dir
	ty.utf8 = utf8Locale(s.env)
}

func utf8Locale(env []string) bool {
	set := map[string]string{}
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			set[k] = v
		}
	}
	v := strings.ToLower(orElse(set["LC_ALL"], orElse(set["LC_CTYPE"], set["LANG"])))
	return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
}

// continued reports whether the shell would wait for another line: the last
// one ends in a backslash that is not itself escaped.
func continued(block string) bool {
	s := strings.TrimSuffix(block, "\n")
	return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1
}

// wanted is the block as a command: alone in the shell's own directory, or
// after all that was typed before where that may matter.
func (s *shellSession) wanted(block, dir string) wanted {
	command := strings.TrimSuffix(block, "\n")
	if !s.typed.stateful {
		return wanted{command: command, dir: dir}
	}
	return wanted{command: strings.Join(s.typed.history, "") + command, dir: s.typed.dir}
}

// remember keeps what was typed at the prompt in dir, from the first block on
// that may change what later ones mean.
func (ty *typing) remember(block, dir string) {
	if !ty.stateful {
		if stateless(block) {
			return
		}
		ty.stateful, ty.dir = true, dir
	}
	ty.history = append(ty.history, block)
}

// stateless reports whether the block changes nothing in the shell but its
// directory, which can be looked up: one program with plain words. When in
// doubt it does.
func stateless(block string) bool {
	words := strings.FieldsFunc(strings.TrimSuffix(block, "\n"), isBlank)
	for i, w := range words {
		plain := func(r rune) bool {
			return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
				strings.ContainsRune("_./-", r) || i > 0 && strings.ContainsRune(":,@%+=", r)
		}
		if strings.ContainsFunc(w, func(r rune) bool { return !plain(r) }) {
			return false
		}
	}
	return len(words) > 0 && !changesState(words[0])
}

// changesState lists words that can change what later commands mean.
func changesState(word string) bool {
	switch word {
	case ".", "source", "eval", "exec", "alias", "unalias", "set", "shopt", "export", "declare", "typeset", "local",
		"readonly", "unset", "read", "mapfile", "readarray", "printf", "let", "trap", "enable", "hash", "builtin",
		"command", "history", "fc", "bind", "complete", "compopt", "umask", "ulimit", "pushd", "popd", "dirs",
		"getopts", "shift", "return", "function", "if", "for", "while", "until", "case", "select", "time", "coproc",
		"test", "wait", "then", "else", "elif", "fi", "do", "done", "esac", "in":
		return true
	}
	return false
}

func (ty *typing) dirOr(dir string) string { return orElse(dir, ty.dir) }

// front is the program that reads a session's input.
type front struct {
	// prompt: it is the session's own shell, waiting for a command.
	prompt bool
	// data: it is a program for which all input is plain data.
	data bool
	// starting: it is the shell that runs the session's command, and runs
	// nothing now.
	starting bool
	// other: it is another program than the session's first.
	other bool
	name  string
	argv  []string
	dir   string
}
