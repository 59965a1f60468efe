#include "textflag.h"

// earlyEntry is where the front starts (the Makefile names it to the linker).
// The stack is as the kernel left it: argc, then argv[0], argv[1], …; Go's own
// entry point wants it so. Behind argv[1] eight bytes can be read: the strings
// of the arguments are followed by those of the environment and by the file's
// name.
TEXT ·earlyEntry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	CMPQ 0(SP), $3
	JLT  start
	MOVQ 16(SP), AX
	CMPL (AX), $0x006e7572 // "run", and its end
	JEQ  early
	MOVQ $0x6e6f632d63657865, CX // "exec-con"
	CMPQ (AX), CX
	JNE  start
early:
	// What calls a Go function from here loads the goroutine, which there is
	// not, from behind this register, until Go's own start sets it.
	MOVQ $158, AX // arch_prctl
	MOVQ $0x1002, DI // ARCH_SET_FS
	LEAQ ·earlyThread+16(SB), SI
	SYSCALL
	MOVQ SP, ·earlyStack(SB)
	ANDQ $~15, SP
	CALL ·early(SB)
	MOVQ ·earlyStack(SB), SP
start:
	JMP _rt0_amd64_linux(SB)
