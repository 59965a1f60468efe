// Package onefile names the two statically linked programs that are one executable
// file: the front, which starts at once and does what is done often, and the
// engine, which can do everything and takes longer to start.
//
// A Go program initialises every package that it links before its main
// function, so a program with a database, web clients and a terminal interface
// in it pays for them also where it needs none. Two programs in one file stay
// one thing to install, and which of them runs is settled before either has
// begun: the file's entry point looks at argv[0] and jumps.
//
// Nothing is unpacked and nothing is written at run time; the kernel maps the
// segments of both, and only what is used is read from the disk. The programs
// have to be linked for different addresses (the linker's -T).
package onefile

// EngineName is the argv[0] that a process must be started with to be the
// engine. Only its first eight bytes are compared.
const EngineName = "mayi-engine"
