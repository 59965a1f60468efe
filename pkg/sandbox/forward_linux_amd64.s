#include "textflag.h"

// forwardSignal is called by the kernel, with the signal's number in DI and on
// the signals' stack of whichever thread. The kernel restores all registers.
TEXT ·forwardSignal(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVQ DI, -8(SP) // the byte that is sent is the lowest
	MOVL ·forwardTo(SB), DI
	LEAQ -8(SP), SI
	MOVQ $1, DX
	MOVQ $0x4040, R10 // MSG_NOSIGNAL | MSG_DONTWAIT
	XORQ R8, R8
	XORQ R9, R9
	MOVQ $44, AX // sendto
	SYSCALL
	RET

TEXT ·forwardReturn(SB),NOSPLIT|NOFRAME|TOPFRAME,$0
	MOVQ $15, AX // rt_sigreturn
	SYSCALL
	INT $3

TEXT ·forwarding(SB),NOSPLIT,$0-16
	LEAQ ·forwardSignal(SB), AX
	MOVQ AX, handler+0(FP)
	LEAQ ·forwardReturn(SB), AX
	MOVQ AX, restorer+8(FP)
	RET
