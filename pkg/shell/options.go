package shell

// options is what is known of the shell's switches: on, and perhaps the other
// way than on says.
type options struct{ on, maybe option }

type option uint32

const (
	optNoglob option = 1 << iota
	optErrexit
	optAllexport
	optPhysical
	optNounset
	optExpandAliases
	optNullglob
	optFailglob
	optDotglob
	optGlobstar
	optExtglob
	optLastpipe
	optPosix
	optNocaseglob
	optExtdebug
	optNobrace
	optXpgEcho
	optCdableVars
)

func (o options) join(p options) options {
	return options{on: o.on | p.on, maybe: o.maybe | p.maybe | (o.on ^ p.on)}
}

func (o options) set(opt option, on bool) options {
	o.maybe &^= opt
	o.on &^= opt
	if on {
		o.on |= opt
	}
	return o
}

// certain: the switch is on for sure. possible: it may be on.
func (o options) certain(opt option) bool  { return o.on&opt != 0 && o.maybe&opt == 0 }
func (o options) possible(opt option) bool { return (o.on|o.maybe)&opt != 0 }

// unknown: any switch may be either way.
func (o options) unknown() options { return options{on: o.on, maybe: ^option(0)} }

// setLetter is the switch behind a letter of set, 0 for those that change
// nothing that is looked at here.
func setLetter(c byte) option {
	switch c {
	case 'f':
		return optNoglob
	case 'e':
		return optErrexit
	case 'a':
		return optAllexport
	case 'P':
		return optPhysical
	case 'u':
		return optNounset
	}
	return 0
}

// optionName is the switch behind a name of set -o or shopt.
func optionName(s string) option {
	switch s {
	case "noglob":
		return optNoglob
	case "errexit":
		return optErrexit
	case "allexport":
		return optAllexport
	case "physical":
		return optPhysical
	case "nounset":
		return optNounset
	case "expand_aliases":
		return optExpandAliases
	case "nullglob":
		return optNullglob
	case "failglob":
		return optFailglob
	case "dotglob":
		return optDotglob
	case "globstar":
		return optGlobstar
	case "extglob":
		return optExtglob
	case "lastpipe":
		return optLastpipe
	case "xpg_echo":
		return optXpgEcho
	case "cdable_vars":
		return optCdableVars
	case "posix":
		return optPosix
	case "nocaseglob":
		return optNocaseglob
	case "extdebug":
		return optExtdebug
	}
	return 0
}
