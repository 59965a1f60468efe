package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mayi/internal/mcp/frame"
)

// The header fields of the transport.
const (
	sessionField = "Mcp-Session-Id"
	versionField = "Mcp-Protocol-Version"
	lastField    = "Last-Event-ID"
	streamType   = "text/event-stream"
	jsonType     = "application/json"
)

// event is one server-sent event.
type event struct {
	id, name string
	data     []byte
	retry    time.Duration
}

// readEvents calls f for each event of the stream until it ends.
func readEvents(r io.Reader, f func(event) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var e event
	var some bool
	for {
		line, err := readLine(in)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if len(line) == 0 {
			if some {
				if err := f(e); err != nil {
					return err
				}
			}
			e, some = event{}, false
			continue
		}
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(key) {
		case "data":
			if some && e.data != nil {
				e.data = append(e.data, '\n')
			}
			e.data, some = append(e.data, value...), true
			if len(e.data) > frame.MaxMessage {
				return fmt.Errorf("an event is larger than %d bytes", frame.MaxMessage)
			}
		case "id":
			e.id, some = string(value), true
		case "event":
			e.name = string(value)
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 {
				e.retry, some = time.Duration(ms)*time.Millisecond, true
			}
		}
	}
}

// readLine reads a line without its end, which may be any of the three.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) && len(line) <= frame.MaxMessage {
			continue
		}
		if err != nil {
			return nil, err
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// writeEvent sends one message as an event.
func writeEvent(w http.ResponseWriter, data []byte) error {
	if _, err := fmt.Fprintf(w, "event: message\ndata: %s\n\n", data); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// accepts reports whether the request takes an answer of the media type.
func accepts(r *http.Request, media string) bool {
	for _, v := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(v, ",") {
			got, _, _ := strings.Cut(strings.TrimSpace(part), ";")
			kind, _, _ := strings.Cut(media, "/")
			if got = strings.ToLower(strings.TrimSpace(got)); got == media || got == "*/*" || got == kind+"/*" {
				return true
			}
		}
	}
	return false
}
