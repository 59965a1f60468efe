package journal

import (
	"fmt"
	"path/filepath"
	"time"

	"mayi/pkg/journal/entry"
)

// compactAt is the size in bytes from which a journal that was taken over is
// emptied. Below, its lines stay: emptying costs a sync of its own.
const compactAt = 256 << 10

// Append chains the row to the log's end, which Resume or Replay has found, and
// writes it. When it returns, the record survives the end of this process, and
// with durable a loss of power. It returns the rows that were written: where
// records were lost, one that says so goes before. Without a row only that one
// is written.
func (h *Held) Append(row *entry.Row, durable bool) ([]*entry.Row, error) {
	var rows []*entry.Row
	if h.lost > 0 {
		rows = append(rows, lostRow(h.end.Seq, h.lost))
	}
	if row != nil {
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	end := h.end
	var text []byte
	for _, r := range rows {
		r.Chain(h.state.ID, end.Seq, end.Hash)
		end = End{r.Seq, r.Hash}
		text = appendLine(text, r, h.key)
	}
	next := h.state
	next.Seq, next.Hash, next.Size = end.Seq, end.Hash, h.at+int64(len(text))
	durable = h.sync(&next, durable)
	if err := h.write(text, durable); err != nil {
		return nil, err
	}
	if err := h.put(next, false); err != nil {
		h.cut()
		return nil, err
	}
	h.end, h.at, h.lost = end, next.Size, 0
	return rows, nil
}

// sync fills in how far the next state is synced, and returns whether the new
// lines have to be: where runs of the machine cannot be told apart, always.
func (h *Held) sync(next *State, durable bool) bool {
	if !durable {
		boot := BootID()
		durable = boot == ""
		if next.Boot != boot {
			// What survived the end of another run is on the disk.
			next.Synced, next.Boot = min(h.state.Seq, h.end.Seq), boot
		}
	}
	if durable {
		next.Synced, next.Boot = next.Seq, ""
	}
	return durable
}

// write puts the lines where the good part of the journal ends.
func (h *Held) write(text []byte, durable bool) error {
	made, err := h.open(true)
	if err != nil {
		return err
	}
	info, err := h.lines.Stat()
	if err != nil {
		return err
	}
	if info.Size() > h.at {
		if err := h.lines.Truncate(h.at); err != nil {
			return err
		}
	}
	_, err = h.lines.WriteAt(text, h.at)
	if err == nil && durable {
		err = syncData(h.lines)
	}
	if err == nil && made {
		err = syncDir(filepath.Dir(h.path))
	}
	if err != nil {
		h.cut()
	}
	return err
}

// cut takes lines away again that could not be finished. Where that fails, too,
// they stand behind the head, as after a crash.
func (h *Held) cut() { _ = h.lines.Truncate(h.at) }

// lostRow is the record that stands where n records behind record seq were.
func lostRow(seq, n int64) *entry.Row {
	return &entry.Row{Time: time.Now().UnixNano(), Event: entry.Lost, Effects: "[]", Rules: "[]",
		Text: fmt.Sprintf("%d records that followed record %d were lost with a loss of power", n, seq)}
}

// Sync makes all that the head speaks of survive a loss of power. The database
// takes nothing over before: it must never know more than the head, or a
// process without it would give a number a second time.
func (h *Held) Sync() error {
	s := h.state
	s.Seq, s.Hash, s.Size = h.end.Seq, h.end.Hash, h.at
	if s.Synced < s.Seq && h.lines != nil {
		if err := syncData(h.lines); err != nil {
			return err
		}
	}
	s.Synced, s.Boot = s.Seq, ""
	return h.put(s, true)
}

// Taken notes that the database holds, durably, all records up to the end, and
// empties the journal where it has grown.
func (h *Held) Taken() error {
	s := h.state
	s.Base, s.Start = s.Seq, s.Size
	compact := s.Size >= compactAt
	if err := h.put(s, compact); err != nil || !compact {
		return err
	}
	if err := h.lines.Truncate(0); err != nil {
		return err
	}
	s.Start, s.Size, h.at = 0, 0, 0
	return h.put(s, false)
}
