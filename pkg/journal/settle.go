package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Settle makes the record with the number seq, and all before it, what a loss
// of power cannot take and whose removal would be found. It is for whoever acts
// on a record that another process wrote with [Light.Note]: on an error the
// action must not run. Where this process may only read the files, they are
// synced all the same, and the head does not say so.
func (l *Light) Settle(ctx context.Context, seq int64) error {
	h, err := Hold(ctx, l.path, l.wait, false)
	if err != nil {
		return explain("sync the records beside", l.path, err)
	}
	defer h.Close()
	err = h.Resume(exists(l.path))
	if err == nil {
		err = h.settle(seq)
	}
	return explain("sync the records beside", l.path, err)
}

// settle is Settle where the log's end is known.
func (h *Held) settle(seq int64) error {
	switch {
	case seq <= 0 || seq > h.end.Seq:
		return fmt.Errorf("there is no record %d", seq)
	case seq <= h.state.Synced && h.lost == 0:
		return nil
	case h.Rebooted():
		// Whether the record survived was to be told before it was acted on.
		return fmt.Errorf("record %d was not synced before the machine was started anew", seq)
	}
	if h.lines != nil {
		if err := syncData(h.lines); err != nil {
			return err
		}
	}
	s := h.state
	s.Seq, s.Hash, s.Size = h.end.Seq, h.end.Hash, h.at
	s.Synced, s.Boot = s.Seq, ""
	if err := h.put(s, false); err != nil && !h.readOnly {
		return err
	}
	return nil
}

// onlyRead reports whether a file could not be opened because this process may
// not write it.
func onlyRead(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}
