package knowledge

// printed says what find prints, where it prints names and nothing else, and
// every name only once all tests have held: without alternatives the tests
// narrow down what is printed.
func (f *finder) printed(i int) {
	p := Prints{Kind: PrintsNames, Sep: '\n'}
	prints := 0
	for ops, k := f.operands, i; k < len(ops); k++ {
		t, ok := ops[k].val.Text()
		if !ok {
			return
		}
		switch t {
		case "-L", "-H", "-follow", "-exec", "-execdir", "-ok", "-okdir", "-printf", "-ls", "-files0-from", "-delete",
			"-help", "--help", "-version", "--version", "-fls", "-fprintf", "-fprint", "-fprint0":
			return
		case "-print", "-print0":
			if prints++; prints > 1 {
				return
			}
			if t == "-print0" {
				p.Sep = 0
			}
		}
	}
	for _, op := range f.operands[:i] {
		if t, _ := op.val.Text(); t == "-L" || t == "-H" || t == "-D" {
			return
		}
	}
	met := f.met
	if !f.holds(i, prints > 0) {
		met = condition{}
	}
	p.Names, _ = met.files(f.start, f.follows)
	f.use.Prints = p
}

// holds reports whether what the tests let through at the end is what is
// printed: a print of its own stands last, or there is none and no "or" outside
// of brackets.
func (f *finder) holds(i int, printed bool) bool {
	ops, depth := f.operands, 0
	if printed {
		t, _ := ops[len(ops)-1].val.Text()
		return t == "-print" || t == "-print0"
	}
	for _, op := range ops[i:] {
		switch t, _ := op.val.Text(); t {
		case "(":
			depth++
		case ")":
			depth--
		case "-o", "-or", ",":
			if depth == 0 {
				return false
			}
		}
	}
	return true
}
