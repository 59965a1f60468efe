package permissions

// Mode is how much an agent may do without being asked.
type Mode string

// The modes, strictest first. Every other word ranks as Plan.
const (
	Plan        Mode = "plan"
	AcceptEdits Mode = "accept-edits"
	Auto        Mode = "auto"
)

// RankOf orders modes: plan 0, accept-edits 1, auto 2. A mode that is not
// known ranks as plan, the strictest.
func RankOf(m Mode) int {
	switch m {
	case AcceptEdits:
		return 1
	case Auto:
		return 2
	}
	return 0
}

// Valid reports whether the mode is one of the three.
func (m Mode) Valid() bool { return m == Plan || m == AcceptEdits || m == Auto }

// LowerMode returns mode, lowered to ceiling where it is above it. An empty
// ceiling is none; one that is not known is plan.
func LowerMode(mode, ceiling Mode) Mode {
	if ceiling == "" || RankOf(mode) <= RankOf(ceiling) {
		return mode
	}
	if !ceiling.Valid() {
		return Plan
	}
	return ceiling
}
