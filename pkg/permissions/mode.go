package permissions

// Mode is how much an agent may do without being asked.
type Mode string

// The modes, strictest first. Every other word ranks as Plan.
const (
	Plan        Mode = "plan"
	AcceptEdits Mode = "accept-edits"
	Auto        Mode = "auto"
)
