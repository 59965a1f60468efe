package hook

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
)

// sessionFolder is the folder that a Codex session was started in, from the
// first line of its own record; "" where that does not say. The payload's cwd
// is no substitute: the model chooses it for each call.
func sessionFolder(transcript string) string {
	if transcript == "" {
		return ""
	}
	f, err := os.Open(transcript)
	if err != nil {
		return ""
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	line, err := bufio.NewReaderSize(io.LimitReader(f, 1<<20), 1<<16).ReadBytes('\n')
	if err != nil {
		return ""
	}
	var first struct {
		Payload struct {
			Cwd string `json:"cwd"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &first) != nil {
		return ""
	}
	return first.Payload.Cwd
}
