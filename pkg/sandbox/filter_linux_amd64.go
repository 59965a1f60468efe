package sandbox

import "golang.org/x/sys/unix"

const (
	nativeArch     = unix.AUDIT_ARCH_X86_64
	foreignNumbers = 0x40000000 // x32
)

func refusedHere() []uint32 {
	return []uint32{
		unix.SYS_KEXEC_FILE_LOAD, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB, unix.SYS_USTAT,
		unix.SYS__SYSCTL, unix.SYS_SYSFS,
	}
}

func oldModeBlocks(body []unix.SockFilter) []block { return []block{{unix.SYS_CHMOD, body}} }
