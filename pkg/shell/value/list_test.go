package value

import (
	"testing"
)

func TestListing(t *testing.T) {
	names := Union(Concat(Exact("./"), Deep(false)), Exact("a.go"))
	l := Listing{Names: names, Sep: '\n', Quoted: true, Tree: "/ws"}
	v := Listed(l, "why")
	got, ok := v.Listing()
	if !ok || !Equal(got.Names, names) || got.Sep != '\n' || !got.Quoted || got.Index || got.Tree != "/ws" {
		t.Errorf("reads back as %+v, %v", got, ok)
	}
	if _, unknown := v.HasUnknown(); !unknown {
		t.Error("a list counts as known text")
	}
	if _, ok := Union(v, Value{}).Listing(); !ok {
		t.Error("a list that may be empty is none")
	}
	other := Listed(Listing{Names: Exact("/etc/x"), Sep: '\n'}, "why")
	for name, none := range map[string]Value{
		"two lists":      Concat(v, other),
		"a list twice":   Concat(v, v),
		"one of two":     Union(v, other),
		"text behind it": Concat(v, Exact("/x")),
		"text before it": Concat(Exact("/etc/"), v),
		"unknown text":   Concat(v, Unknown("x")),
		"any text":       Union(v, Unknown("x")),
		"plain text":     Exact("a"),
		"unknown names":  Listed(Listing{Names: Unknown("x"), Sep: '\n'}, "why"),
	} {
		if _, ok := none.Listing(); ok {
			t.Errorf("%s is a list", name)
		}
	}
}
