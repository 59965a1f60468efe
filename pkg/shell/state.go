package shell

import (
	"maps"

	"mayi/pkg/shell/value"
)

// state is what the shell would know at one point of the script. It is
// changed in place by the commands that run one after another; branches work
// on clones that are joined afterwards.
type state struct {
	env  *Env
	vars map[string]*variable
	// shared: another state uses the same vars map.
	shared  bool
	funcs   map[string]*function
	aliases map[string]value.Value
	// hashed are program names bound to a file with hash -p.
	hashed map[string]value.Value
	// disabled are builtins switched off with enable -n.
	disabled map[string]bool
	// steers are the variables set so far that steer programs.
	steers []steer

	cwd, oldpwd value.Value
	stack       []value.Value // pushd, newest last
	params      []value.Value // $1 …
	paramsOpen  bool          // there may be more or fewer
	// paramsAny is what each of them is, where paramsOpen and that is known.
	paramsAny *value.Value
	arg0      value.Value
	opts      options
	fds       fdTable
	// out is what was written to the descriptor that is being captured.
	out value.Value
	// locals are the names that the running function declared local; true
	// where it certainly did.
	locals map[string]bool
	// inFunc: a function is running.
	inFunc bool
	// dead: this point is never reached (after exit, return, exec).
	dead bool
}

type steer struct {
	name, why string
	// exported: it reaches programs for certain or perhaps (false: only the
	// shell itself sees it).
	network bool
}

func newState(env Env) *state {
	st := &state{env: &env, cwd: value.Exact(env.Cwd), arg0: value.Unknown("$0 is not known")}
	switch {
	case env.Cwd == "":
		st.cwd = value.Unknown("the working directory is not known")
	case env.Real != "" && env.Real != env.Cwd:
		st.cwd = value.Union(st.cwd, value.Exact(env.Real))
	}
	st.oldpwd = value.Unknown("the previous directory is not known")
	if v, ok := env.Vars["OLDPWD"]; ok {
		st.oldpwd = value.Exact(v)
	}
	return st
}

func (s *state) clone() *state {
	s.shared = true
	c := *s
	return &c
}

func (s *state) set(name string, v *variable) {
	if s.shared || s.vars == nil {
		m := make(map[string]*variable, len(s.vars)+4)
		maps.Copy(m, s.vars)
		s.vars, s.shared = m, false
	}
	s.vars[name] = v
}

func without[V any](m map[string]V, k string) map[string]V {
	if _, ok := m[k]; !ok {
		return m
	}
	n := maps.Clone(m)
	delete(n, k)
	return n
}
