package join

import (
	"debug/elf"
	"encoding/binary"
	"fmt"

	"mayi/internal/onefile"
)

// chooser is the machine code that the joined file starts with. When it runs,
// the stack is as the kernel left it: argc, then argv[0], …; both programs'
// own entry points want it so, and nothing but scratch registers is changed.
// Eight bytes can be read behind argv[0]: the strings of the arguments are
// followed by those of the environment and by the file's name.
func chooser(m elf.Machine, front, engine uint64) ([]byte, error) {
	name := binary.LittleEndian.Uint64([]byte(onefile.EngineName))
	switch m {
	case elf.EM_X86_64:
		return amd64(name, front, engine), nil
	case elf.EM_AARCH64:
		return arm64(name, front, engine), nil
	}
	return nil, fmt.Errorf("there is no entry point for %s", m)
}

func amd64(name, front, engine uint64) []byte {
	word := binary.LittleEndian.AppendUint64
	b := []byte{
		0x48, 0x8b, 0x44, 0x24, 0x08, // mov rax, [rsp+8]
		0x48, 0x85, 0xc0, // test rax, rax
		0x74, 27, // jz front
		0x48, 0xb9, // mov rcx, name
	}
	b = append(word(b, name),
		0x48, 0x39, 0x08, // cmp [rax], rcx
		0x75, 12, // jne front
		0x48, 0xb8, // mov rax, engine
	)
	b = append(word(b, engine), 0xff, 0xe0, // jmp rax
		0x48, 0xb8, // front: mov rax, front
	)
	return append(word(b, front), 0xff, 0xe0) // jmp rax
}

func arm64(name, front, engine uint64) []byte {
	var b []byte
	for _, instruction := range []uint32{
		0xf94007e9, // ldr x9, [sp, #8]
		0xb40000e9, // cbz x9, front
		0xf940012a, // ldr x10, [x9]
		0x580000eb, // ldr x11, name
		0xeb0b015f, // cmp x10, x11
		0x54000061, // b.ne front
		0x580000cc, // ldr x12, engine
		0xd61f0180, // br x12
		0x580000cc, // front: ldr x12, front
		0xd61f0180, // br x12
	} {
		b = binary.LittleEndian.AppendUint32(b, instruction)
	}
	for _, word := range []uint64{name, engine, front} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}
