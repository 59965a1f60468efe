package journal

import (
	"mayi/pkg/journal/entry"
)

// Resume finds the log's end without the database. It reads the journal only
// where something was cut short; exists says whether there is a database.
func (h *Held) Resume(exists bool) error {
	if h.Old() != "" {
		return ErrDatabase
	}
	s, err := h.trusted()
	if err != nil {
		return err
	}
	if s.Base > 0 && !exists {
		return Tampered("the database %s is gone, but the head file says that it holds %d records", h.path, s.Base)
	}
	size, err := h.size()
	if err != nil {
		return err
	}
	if size == s.Size {
		h.end, h.at = End{s.Seq, s.Hash}, size
		return nil
	}
	base := End{Seq: s.Base}
	switch s.Base {
	case s.Seq:
		base.Hash = s.Hash
	case 0:
		base.Hash = entry.NoHash
	}
	return h.Replay(base, nil)
}

// trusted is State with an error that wraps [ErrTampered].
func (h *Held) trusted() (State, error) {
	s, err := h.State()
	if err != nil {
		return s, Tampered("%w", err)
	}
	return s, nil
}

// Replay finds the log's end behind what the database holds, and gives each
// record there to visit, oldest first. A base without a hash is not compared.
// Its error wraps [ErrTampered] where the journal is not as it was written.
func (h *Held) Replay(base End, visit func(*entry.Row) error) error {
	s, err := h.trusted()
	if err != nil {
		return err
	}
	size, err := h.size()
	if err != nil {
		return err
	}
	var from int64
	if size == s.Size {
		from = s.Start // what is before that is in the database
	}
	data, err := h.Read(from)
	if err != nil {
		return err
	}
	h.end, h.at, h.state.Start = base, from, from
	if base.Seq == s.Seq && base.Hash != "" && base.Hash != s.Hash {
		return Tampered("record %d is not the one that the head file speaks of", s.Seq)
	}
	for l := range h.key.Lines(data, from) {
		if l.Err != nil {
			if h.droppable(s, l) {
				break
			}
			return Tampered("the journal was changed behind record %d (byte %d): %w", h.end.Seq, l.From, l.Err)
		}
		if err := h.follow(s, base, l.Row); err != nil {
			return err
		}
		if visit != nil && l.Row.Seq > base.Seq {
			if err := visit(l.Row); err != nil {
				return err
			}
		}
		h.at = l.To
	}
	if h.end.Seq >= s.Seq {
		return nil
	}
	if h.end.Seq < s.Synced || !h.Rebooted() {
		return Tampered("the end of the log is missing: the head file says that there were %d records, there are %d", s.Seq, h.end.Seq)
	}
	if h.end.Hash == "" {
		return ErrDatabase // it has the last record that is left
	}
	h.lost = s.Seq - h.end.Seq
	return nil
}

// droppable reports whether a line that cannot be read is what a process left
// that was killed, or a loss of power: nobody was told that it is kept.
func (h *Held) droppable(s State, l Line) bool {
	if h.Rebooted() {
		return h.end.Seq >= s.Synced
	}
	return l.Torn && l.From >= s.Size && h.end.Seq >= s.Seq
}

// follow checks one record against the one before and the head.
func (h *Held) follow(s State, base End, r *entry.Row) error {
	switch {
	case r.Sum(s.ID) != r.Hash:
		return Tampered("record %d was changed", r.Seq)
	case r.Seq == s.Seq && r.Hash != s.Hash:
		return Tampered("record %d is not the one that the head file speaks of", r.Seq)
	case r.Seq <= base.Seq && h.end.Seq > base.Seq:
		return Tampered("record %d stands behind record %d", r.Seq, h.end.Seq)
	case r.Seq == base.Seq && base.Hash != "" && r.Hash != base.Hash:
		return Tampered("record %d is another one in the database", r.Seq)
	case r.Seq <= base.Seq:
		return nil // it was taken over, and the journal not emptied yet
	case r.Seq != h.end.Seq+1:
		return Tampered("record %d is missing", h.end.Seq+1)
	case h.end.Hash != "" && r.Prev != h.end.Hash:
		return Tampered("record %d does not follow record %d", r.Seq, h.end.Seq)
	}
	h.end = End{r.Seq, r.Hash}
	return nil
}

// Rebooted reports whether the machine was started anew since the last records
// were written, so that those that were not synced may be gone.
func (h *Held) Rebooted() bool {
	return h.state.Synced < h.state.Seq && h.state.Boot != BootID()
}

// End is the log's end, after Resume or Replay.
func (h *Held) End() End { return h.end }

// Settled reports whether the database holds all that the files speak of.
func (h *Held) Settled() bool {
	s, err := h.State()
	size, sizeErr := h.size()
	return err == nil && sizeErr == nil && s.Base == s.Seq && size == s.Size
}
