package knowledge

import "encoding/json"

// Entry returns the built-in entry for a program, in the form that the schema
// describes; nil where there is none. Other names of a program have the entry
// of the program itself.
func (b *Base) Entry(name string) json.RawMessage {
	if b.from != nil {
		return b.from.Entry(name)
	}
	if data := entryOf(name); data != nil {
		return data
	}
	return entryOf(alias(name))
}
