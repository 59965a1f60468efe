package store

import (
	"mayi/pkg/journal"
)

// files is what stands beside the database, read at one moment.
type files struct {
	fresh    bool
	old      string
	key      journal.Key
	keyErr   error
	state    journal.State
	stateErr error
	rebooted bool
	data     []byte
	lines    []journal.Line
}

func filesOf(h *journal.Held) (*files, error) {
	f := &files{fresh: h.Fresh(), old: h.Old(), rebooted: h.Rebooted()}
	f.key, f.keyErr = h.Key()
	f.state, f.stateErr = h.State()
	var err error
	f.data, err = h.Read(0)
	return f, err
}

// nothing reports whether nothing was ever written.
func (v *verifier) nothing(f *files, inside string) bool {
	return f.fresh && len(f.data) == 0 && v.base.seq == 0 && inside == "" && v.o == (VerifyOptions{})
}

// heads checks the signed heads and notes what they claim.
func (v *verifier) heads(f *files, inside string) {
	v.last = v.base.seq
	for l := range f.key.Lines(f.data, 0) {
		f.lines = append(f.lines, l)
		switch {
		case l.Row == nil:
		case l.Row.Seq > v.base.seq:
			v.last = max(v.last, l.Row.Seq)
		default: // taken over already
			v.wanted[l.Row.Seq] = append(v.wanted[l.Row.Seq], claimed{l.Row.Hash, "a line of the journal"})
		}
	}
	if f.keyErr != nil {
		v.problem(0, "%v", f.keyErr)
		return
	}
	var err error
	if v.key, err = v.a.signer(f.key); err != nil {
		v.problem(0, "%v", err)
		return
	}
	if v.base.seq == 0 && inside == "" && f.stateErr == nil && f.state.Base == 0 {
		v.id = f.state.ID // the database has yet to adopt the log
	}
	v.r.Key = v.key.public
	if v.o.Key != "" && v.o.Key != v.key.public {
		v.problem(0, "the log's key is not the one that you kept")
	}
	if v.o.Head != "" {
		h, err := openSigned(v.o.Head, v.key.public)
		v.claim(h, err, "the head that you kept")
	}
	v.outside(f)
	v.inside(inside)
}

// outside checks what the head file says.
func (v *verifier) outside(f *files) {
	if f.old != "" {
		h, err := v.key.open(f.old)
		v.claim(h, err, "the head file")
		v.r.Unconfirmed = max(0, v.last-h.seq)
		return
	}
	if f.stateErr != nil {
		v.problem(0, "%v", f.stateErr)
		return
	}
	s := f.state
	switch {
	case s.ID != v.id && v.id != "":
		v.problem(0, "the head file belongs to another database: this one was replaced")
	case v.id == "":
		v.problem(0, "the database %s is gone, but the head file says that it held %d records", v.a.db.path, s.Base)
	case v.base.seq < s.Base:
		v.problem(v.base.seq+1, "it is missing in the database: the head file says that it held %d records", s.Base)
	case v.base.seq > s.Seq:
		v.problem(s.Seq+1, "it and what follows is not known to the head file")
	}
	switch {
	case s.Seq <= v.last:
		v.r.Unconfirmed = v.last - s.Seq
		v.wanted[s.Seq] = append(v.wanted[s.Seq], claimed{s.Hash, "the head file"})
	case f.rebooted && v.last >= s.Synced:
		v.r.Lost = s.Seq - v.last
	default:
		v.problem(v.last+1, "the end of the log is missing: the head file says that there were %d records", s.Seq)
	}
}

// inside checks the head in the database.
func (v *verifier) inside(text string) {
	if text == "" {
		if v.base.seq > 0 {
			v.problem(0, "the head in the database is missing")
		}
		return
	}
	h, err := v.key.open(text)
	v.claim(h, err, "the head in the database")
	if err == nil && h.seq < v.base.seq {
		v.problem(h.seq+1, "it and what follows was added without a signature")
	}
	if err == nil && h.seq > v.base.seq {
		v.problem(v.base.seq+1, "the end of the log is missing in the database: its head says that there were %d records", h.seq)
	}
}

// claim notes what a head says about the records.
func (v *verifier) claim(h head, err error, who string) {
	switch {
	case err != nil:
		v.problem(0, "%s was changed: %v", who, err)
	case h.id != v.id:
		v.problem(0, "%s belongs to another database: this one was replaced", who)
	case h.seq > v.last:
		v.problem(v.last+1, "the end of the log is missing: %s says that there were %d records", who, h.seq)
	default:
		v.wanted[h.seq] = append(v.wanted[h.seq], claimed{h.hash, who})
	}
}

// journal checks what stands in the journal: what the database holds already is
// the same there, the rest goes on from it.
func (v *verifier) journal(f *files) {
	for _, l := range f.lines {
		switch {
		case l.Err != nil && f.rebooted && v.at.seq >= f.state.Synced,
			l.Err != nil && l.Torn && f.stateErr == nil && l.From >= f.state.Size && v.at.seq >= f.state.Seq:
			return // what a killed process or a loss of power left
		case l.Err != nil:
			v.problem(v.at.seq+1, "it was changed in the journal (byte %d): %v", l.From, l.Err)
		case l.Row.Seq <= v.base.seq && v.at.seq > v.base.seq:
			v.problem(l.Row.Seq, "it stands in the journal behind record %d", v.at.seq)
		case l.Row.Seq > v.base.seq:
			v.r.Pending++
			v.row(l.Row)
		}
	}
}

// sign makes the head to be kept elsewhere: it stands for the whole log, as far
// as nothing is wrong with it.
func (v *verifier) sign(inside string) {
	v.r.Head = inside
	if len(v.r.Problems) > 0 || v.key == nil || v.at.seq == 0 {
		return
	}
	if signed, err := v.key.sign(head{id: v.id, seq: v.at.seq, hash: v.at.hash}); err == nil {
		v.r.Head = signed
	}
}
