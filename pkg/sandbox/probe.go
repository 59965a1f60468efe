package sandbox

// Probe is what one level is found to do on this machine, by trying it.
type Probe struct {
	Level Level  `json:"level"`
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	// Detail is what was seen: a version, or the error.
	Detail string `json:"detail,omitempty"`
	// Mend says what to do where it is missing.
	Mend string `json:"mend,omitempty"`
}
