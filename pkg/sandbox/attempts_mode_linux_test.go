//go:build linux && (amd64 || arm64)

package sandbox

// modeAttempts leave a program in the workspace that runs as its owner for
// whoever finds it.
func modeAttempts() []attempt {
	out := []attempt{{name: "set-user-id by chmod", script: "echo RAN; cp /bin/true s; chmod 4755 s; [ -u s ] && echo CANARY"}}
	for name, code := range map[string]string{
		"open":       "os.open('s',os.O_CREAT|os.O_WRONLY,0o4755)",
		"descriptor": "os.fchmod(os.open('s',os.O_CREAT|os.O_WRONLY,0o755),0o4755)",
		"mknod":      "os.mknod('s',0o104755)",
		"no name":    "f=os.open('.',os.O_TMPFILE|os.O_RDWR,0o4755); ctypes.CDLL(None).linkat(-100,b'/proc/self/fd/%d'%f,-100,b's',0x400)",
		"number":     "open('s','w'); ctypes.CDLL(None).syscall(452,-100,b's',0o4755,0)",
	} {
		out = append(out, attempt{name: "set-user-id by " + name, script: "echo RAN; umask 0; /usr/bin/python3 -c \"import os,ctypes\n" + code + "\"; [ -u s ] && echo CANARY"})
	}
	return out
}
