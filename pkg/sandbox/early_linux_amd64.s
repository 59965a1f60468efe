#include "textflag.h"

// earlyEntry is where the front starts (the Makefile names it to the linker).
// The stack is as the kernel left it, and Go's own entry point wants it so.
TEXT ·earlyEntry(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	// What calls a Go function from here loads the goroutine, which there is
	// not, from in front of this register, until Go's own start sets it.
	MOVQ $158, AX // arch_prctl
	MOVQ $0x1002, DI // ARCH_SET_FS
	LEAQ ·earlyThread+16(SB), SI
	SYSCALL
	MOVQ SP, ·earlyStack(SB)
	ANDQ $~15, SP
	CALL ·early(SB)
	MOVQ ·earlyStack(SB), SP
	JMP _rt0_amd64_linux(SB)
