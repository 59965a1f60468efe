package approval

import (
	"strconv"
	"strings"
)

// dialog is one question's conversation, whatever it is carried over: it is
// fed the person's lines and says what to show next. It grants nothing unless
// a line is exactly one of the known words.
type dialog struct {
	q     Question
	state dialogState
	rule  string
	layer string
}

type dialogState uint8

const (
	atChoice dialogState = iota
	atRule
	atLayer
	atConfirm
)

// step is what the dialog made of a line: text to show, and the answer where
// it is done.
type step struct {
	text   string
	done   bool
	answer Answer
}

// prompt returns the line that asks for the next word.
func (d *dialog) prompt() string {
	switch d.state {
	case atRule:
		if len(d.q.Rules) == 1 {
			return "Which rule? 1, or back: "
		}
		return "Which rule? 1 to " + strconv.Itoa(len(d.q.Rules)) + ", or back: "
	case atLayer:
		return "Into which settings? user, project, or back: "
	case atConfirm:
		return "Write it and let this call run? yes or back: "
	}
	return "once, session, always or no (? explains): "
}

// feed takes one line of the person's.
func (d *dialog) feed(line string) step {
	word := normal(line)
	if d.state != atChoice {
		switch {
		case word == "back" || word == "b":
			d.state = atChoice
			return step{text: "Nothing was written."}
		case choice(word) == No:
			return step{done: true, answer: Answer{Choice: No}}
		}
	}
	switch d.state {
	case atRule:
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(d.q.Rules) {
			return step{text: "That is none of the numbers."}
		}
		d.rule, d.state = d.q.Rules[n-1], atLayer
		return step{}
	case atLayer:
		switch word {
		case "user", "u":
			d.layer = LayerUser
		case "project", "p":
			d.layer = LayerProject
		default:
			return step{text: "Please type user or project."}
		}
		d.state = atConfirm
		return step{text: "The rule " + Line(d.rule) + " goes into the allow list of the " + d.layer + " settings."}
	case atConfirm:
		if word == "yes" || word == "y" {
			return step{done: true, answer: Answer{Choice: Always, Rule: d.rule, Layer: d.layer}}
		}
		return step{text: "Please type yes or back."}
	}
	return d.choose(word)
}

func (d *dialog) choose(word string) step {
	switch choice(word) {
	case No:
		return step{done: true, answer: Answer{Choice: No}}
	case Once:
		return step{done: true, answer: Answer{Choice: Once}}
	case Session:
		return step{done: true, answer: Answer{Choice: Session}}
	case Always:
		if len(d.q.Rules) == 0 {
			return step{text: "No rule can cover this, so it cannot be allowed for always."}
		}
		d.state = atRule
		return step{text: explainRules(d.q.Rules)}
	}
	switch {
	case word == "?" || word == "help" || word == "h":
		return step{text: explainChoices(d.q)}
	case word == "":
		return step{text: "Nothing was answered yet."}
	case word == "y" || word == "yes":
		return step{text: "Yes for how long? Please type once or session."}
	}
	return step{text: "That is no answer; nothing was granted."}
}

// normal brings a line to the form of the known words. Only ASCII letters are
// folded, so that a look-alike stays a different word.
func normal(line string) string {
	b := []byte(strings.Trim(line, " \t\r\n"))
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	s := string(b)
	for _, end := range []string{".", "!", ","} {
		s = strings.TrimSuffix(s, end)
	}
	return s
}
