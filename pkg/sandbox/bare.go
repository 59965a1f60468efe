package sandbox

// withoutTree is a plan for a job that sees the machine's own tree: what would
// have been private is not granted at all, but for one folder for temporary
// files and the harmless devices.
func (p plan) withoutTree(tmp string) plan {
	var out []grant
	for _, g := range p.Grants {
		if !g.Private && g.Access&canList == 0 {
			out = append(out, g)
		}
	}
	for _, d := range []string{"null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts"} {
		out = append(out, grant{Path: "/dev/" + d, Access: canRead | canWrite | canIoctl, Private: true})
	}
	out = append(out, grant{Path: "/proc", Access: canRead, Private: true},
		grant{Path: tmp, Access: canRead | canWrite | canRun, Private: true})
	p.Grants, p.Steps = out, nil
	return p
}
