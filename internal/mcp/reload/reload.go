// Package reload makes a process that lives long decide under the settings as
// they are, not as they were when it started.
package reload

import (
	"context"
	"os"
	"time"

	"mayi/pkg/config"
	"mayi/pkg/gate"
)

// Every is how often the settings' files are looked at.
const Every = time.Second

// Watch reads the settings anew whenever one of their files has changed, until
// ctx ends, and has g decide under them. Settings that have become unusable are a
// policy under which nothing runs, as at the start; say, which may be nil, is told
// of them.
func Watch(ctx context.Context, g *gate.Gate, o config.Options, every time.Duration, say func(string)) {
	var seen [3]file // nothing: what changed since the start is found as well
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := stamp(o)
		if now == seen {
			continue
		}
		seen = now
		s, _ := config.Load(o) // what is wrong is in the value
		if s.Version() == g.Settings().Version() {
			continue
		}
		g.Use(s)
		if say == nil {
			continue
		}
		say("the settings have changed; they count from now on")
		for _, p := range s.Problems {
			say("settings: " + p.Error())
		}
	}
}

// file is a settings file at one time.
type file struct {
	there bool
	size  int64
	at    time.Time
}

// stamp tells the settings' files at one time from those at another.
func stamp(o config.Options) (out [3]file) {
	for i, name := range []string{o.ManagedFile, o.UserFile, o.ProjectFile} {
		if name == "" {
			continue
		}
		if st, err := os.Stat(name); err == nil {
			out[i] = file{true, st.Size(), st.ModTime()}
		}
	}
	return out
}
