package knowledge

import (
	"embed"
	"sync"
)

//go:embed data
var files embed.FS

// Base is the knowledge base. Programs are decoded when they are first asked
// for. A Base is immutable to its users and safe for concurrent use.
type Base struct {
	envOnce sync.Once
	envs    *envTable
}

// Load returns the base that is built in. It does no work beyond allocating:
// data is decoded at first need.
func Load() *Base { return &Base{} }

// env returns the table of variables. Where the data cannot be decoded (a
// test makes sure that it can), every variable counts as steering a program.
func (b *Base) env() *envTable {
	b.envOnce.Do(func() {
		data, err := files.ReadFile("data/env.json")
		if err == nil {
			b.envs, err = parseEnv(data)
		}
		if err != nil {
			b.envs = &envTable{patterns: []envVar{{Why: "cannot be judged: " + err.Error()}}}
		}
	})
	return b.envs
}
