package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"mayi/pkg/approval"
	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/workspace"
)

// fileTool is the common part of the tools that work on files. They open what
// the gate decided on, by its canonical path and without following links, so
// that swapping something in between gains nothing.
type fileTool struct {
	native
	s    *Session
	name string
	text string
	args map[string]any
	// kinds are the effects to take the canonical path from, the first that
	// the verdict has.
	kinds []permissions.Kind
	run   func(ctx context.Context, real string, args map[string]any) (string, error)
}

func (f *fileTool) Name() string               { return f.name }
func (f *fileTool) Description() string        { return f.text }
func (f *fileTool) Parameters() map[string]any { return f.args }
func (f *fileTool) Category() string           { return "files" }
func (f *fileTool) ConfigKey() string          { return "" }

// Execute takes the call to the gate and runs it on what was decided.
func (f *fileTool) Execute(ctx context.Context, args map[string]any) *ToolResult {
	r := f.s.request(permissions.Tool{Name: f.name, Builtin: true}, args, f.s.Cwd())
	return f.s.guard(ctx, r, func(ctx context.Context, v gate.Verdict) (*ToolResult, string) {
		real, err := place(v, f.kinds...)
		if err == nil {
			var out string
			if out, err = f.run(ctx, real, args); err == nil {
				return textResult(out), "done"
			}
		}
		msg := fmt.Sprintf("%s: %s", f.name, plainError(err))
		return ErrorResult(msg), "failed: " + msg
	})
}

// FileTools returns the tools read, write, edit, ls, find and grep.
func FileTools(s *Session) []Tool {
	return []Tool{newRead(s), newWrite(s), newEdit(s), newLs(s), newFind(s), newGrep(s)}
}

// plainError puts an error of the file system in plain words.
func plainError(err error) string {
	var pe *fs.PathError
	name := ""
	if errors.As(err, &pe) {
		name = approval.Line(pe.Path) + ": "
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name + "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return name + "the system does not let this user do that"
	case isLoop(err):
		return name + "became a symbolic link since it was checked; nothing was opened"
	}
	return err.Error()
}

// newWrite is the tool that writes a whole file.
func newWrite(s *Session) Tool {
	return &fileTool{
		s: s, name: "write",
		text: "Writes a file as a whole, making the folders above it. An existing file is replaced at once or not at all.",
		args: object(map[string]any{
			"file_path": property("string", "the file to write"),
			"content":   property("string", "the whole new content"),
		}, "file_path", "content"),
		kinds: []permissions.Kind{permissions.FSWrite},
		run: func(_ context.Context, real string, args map[string]any) (string, error) {
			before, err := workspace.Stat(real)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
			if before != nil && before.IsDir() {
				return "", fmt.Errorf("%s is a folder", approval.Line(real))
			}
			if err := workspace.MkdirAll(path.Dir(real), 0o755); err != nil {
				return "", err
			}
			content := text(args, "content")
			if err := workspace.WriteFile(real, []byte(content), 0o644); err != nil {
				return "", err
			}
			was := "a new file"
			if before != nil {
				was = "in place of " + byteCount(int(before.Size()))
			}
			return fmt.Sprintf("wrote %s to %s, %s", byteCount(len(content)), approval.Line(real), was), nil
		},
	}
}
