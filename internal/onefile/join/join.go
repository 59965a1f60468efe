// Package join makes the one file of the front and the engine.
package join

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
)

const (
	// base is where the joined file's own header and entry point are mapped:
	// above what the kernel lets nobody map, below every Go program.
	base = 0x200000
	// page is the largest page size in use; offsets and addresses agree on it.
	page = 0x10000

	headerSize  = 64
	segmentSize = 56
)

// Files returns the file that is the front unless it is started as the engine.
// Both must be 64-bit little-endian ELF executables of the same machine that
// need no dynamic linker and share no address.
func Files(front, engine []byte) ([]byte, error) {
	f, err := parse("front", front)
	if err != nil {
		return nil, err
	}
	e, err := parse("engine", engine)
	if err != nil {
		return nil, err
	}
	if f.Machine != e.Machine {
		return nil, fmt.Errorf("the front is for %s, the engine for %s", f.Machine, e.Machine)
	}
	entry, err := chooser(f.Machine, f.Entry, e.Entry)
	if err != nil {
		return nil, err
	}
	first, second := f, e
	if first.segments[0].Vaddr > second.segments[0].Vaddr {
		first, second = second, first
	}
	if last := first.segments[len(first.segments)-1]; last.Vaddr+last.Memsz > second.segments[0].Vaddr || first.segments[0].Vaddr < base+page {
		return nil, fmt.Errorf("the addresses overlap: link one of the programs with another -T")
	}
	count := 2 + len(first.segments) + len(second.segments)
	start := headerSize + count*segmentSize
	out := make([]byte, start, start+len(entry)+len(front)+len(engine)+16*page)
	out = append(out, entry...)
	segments := []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: base, Paddr: base, Filesz: uint64(len(out)), Memsz: uint64(len(out)), Align: page},
	}
	for _, p := range []program{first, second} {
		for _, s := range p.segments {
			at := roundUp(uint64(len(out)), page) + s.Vaddr%page
			out = append(out, make([]byte, at-uint64(len(out)))...)
			out = append(out, p.text[s.Off:s.Off+s.Filesz]...)
			s.Off, s.Align = at, page
			segments = append(segments, s)
		}
	}
	segments = append(segments, elf.Prog64{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W), Align: 8})
	var head bytes.Buffer
	for _, part := range []any{elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(f.Machine), Version: uint32(elf.EV_CURRENT),
		Entry: base + uint64(start), Phoff: headerSize, Ehsize: headerSize, Phentsize: segmentSize, Phnum: uint16(count), Shentsize: 64,
	}, segments} {
		if err := binary.Write(&head, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	copy(out, head.Bytes())
	return out, nil
}

// program is one of the two: what it wants to be mapped, in order.
type program struct {
	*elf.File
	text     []byte
	segments []elf.Prog64
}

func parse(what string, text []byte) (program, error) {
	p := program{text: text}
	var err error
	if p.File, err = elf.NewFile(bytes.NewReader(text)); err != nil {
		return p, fmt.Errorf("the %s is no ELF file: %w", what, err)
	}
	if p.Type != elf.ET_EXEC || p.Class != elf.ELFCLASS64 || p.Data != elf.ELFDATA2LSB {
		return p, fmt.Errorf("the %s is a %s of %s: wanted is a 64-bit little-endian executable for a fixed address", what, p.Type, p.Class)
	}
	for _, s := range p.Progs {
		switch s.Type {
		case elf.PT_INTERP, elf.PT_DYNAMIC:
			return p, fmt.Errorf("the %s needs a dynamic linker; build it with CGO_ENABLED=0", what)
		case elf.PT_LOAD:
			if s.Off+s.Filesz > uint64(len(text)) || s.Filesz > s.Memsz {
				return p, fmt.Errorf("the %s is cut short: %w", what, io.ErrUnexpectedEOF)
			}
			if n := len(p.segments); n > 0 && p.segments[n-1].Vaddr > s.Vaddr {
				return p, fmt.Errorf("the %s's segments are out of order", what)
			}
			p.segments = append(p.segments, elf.Prog64{
				Type: uint32(s.Type), Flags: uint32(s.Flags), Off: s.Off, Vaddr: s.Vaddr, Paddr: s.Vaddr, Filesz: s.Filesz, Memsz: s.Memsz,
			})
		}
	}
	if len(p.segments) == 0 {
		return p, fmt.Errorf("the %s has nothing to load", what)
	}
	return p, nil
}

func roundUp(n, to uint64) uint64 { return (n + to - 1) / to * to }
