package sandbox

import "golang.org/x/sys/unix"

func oldForms() map[uint32]form {
	return map[uint32]form{
		unix.SYS_RENAMEAT: {act: actRename, dir: 1, path: 2, dir2: 3, path2: 4},
	}
}
