//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"os/exec"
	"testing"
	"unsafe"
)

// TestMemoryIsReadWithoutTheSystemCall: Codex's sandbox refuses
// process_vm_readv, and mayi runs commands within it.
func TestMemoryIsReadWithoutTheSystemCall(t *testing.T) {
	text := []byte("/a/path that is held")
	got := make([]byte, len(text))
	n, err := readMemoryFile(os.Getpid(), uint64(uintptr(unsafe.Pointer(&text[0]))), got)
	if err != nil || string(got[:n]) != string(text) {
		t.Errorf("%q, %v", got[:n], err)
	}
	if _, err := readMemoryFile(os.Getpid(), 0, got); err == nil {
		t.Error("what is not mapped was read")
	}
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := readMemoryFile(cmd.Process.Pid, 4096, got); err == nil {
		t.Error("the memory of a process that is over was read")
	}
}
