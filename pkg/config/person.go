package config

import (
	"os"
	"os/user"
	"strconv"
	"strings"

	"mayi/pkg/workspace"
)

// passwd is where most systems keep who their users are.
const passwd = "/etc/passwd"

// person is who runs this process. What [user.Current] does is first tried with
// one read of the file.
func person() (*user.User, error) {
	if data, err := workspace.ReadFile(passwd, 1<<20); err == nil {
		if name, home, ok := accountOf(string(data), os.Getuid()); ok {
			return &user.User{Username: name, HomeDir: home}, nil
		}
	}
	return user.Current()
}

// accountOf finds the first account of a uid in the text of a passwd file:
// name:password:uid:gid:about:home:shell.
func accountOf(text string, uid int) (name, home string, ok bool) {
	want := strconv.Itoa(uid)
	for line := range strings.SplitSeq(text, "\n") {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 6 || f[2] != want || f[0] == "" || strings.ContainsRune("#+-", rune(f[0][0])) {
			continue
		}
		if _, err := strconv.Atoi(f[3]); err == nil {
			return f[0], f[5], true
		}
	}
	return "", "", false
}
