package corpus

import (
	"encoding/json"
	"fmt"
	"strings"
)

// testcase is one call under one policy.
type testcase struct {
	name, why, expect string
	policy            string // JSON, in the short form of the files
	tool, input       string // input is JSON
	links             map[string]string
	outside           []string
}

// shown is the call as it reads best.
func (c *testcase) shown() string { return c.tool + " " + c.input + " " + c.policy }

// parse reads one file of cases.
func parse(text string) ([]testcase, error) {
	policies := map[string]string{}
	var out []testcase
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		name, ok := heading(lines[i])
		if !ok {
			key, policy, found := strings.Cut(lines[i], " = ")
			if !found || len(out) > 0 {
				return nil, fmt.Errorf("line %d: neither a policy nor a heading: %s", i+1, lines[i])
			}
			policies[key] = policy
			i++
			continue
		}
		c := testcase{name: name, tool: "bash", links: map[string]string{}}
		for i++; i < len(lines) && lines[i] != "$"; i++ {
			if _, next := heading(lines[i]); next {
				break
			}
			if err := c.set(lines[i], policies); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
		if i < len(lines) && lines[i] == "$" {
			start := i + 1
			for i++; i < len(lines); i++ {
				if _, next := heading(lines[i]); next {
					break
				}
			}
			input, err := json.Marshal(map[string]string{"command": strings.Join(lines[start:i], "\n")})
			if err != nil {
				return nil, err
			}
			c.input = string(input)
		}
		if c.policy == "" || c.input == "" || c.expect == "" {
			return nil, fmt.Errorf("%s has no policy, input or expectation", c.name)
		}
		out = append(out, c)
	}
	return out, nil
}

func heading(line string) (string, bool) {
	if !strings.HasPrefix(line, "-- ") || !strings.HasSuffix(line, " --") || len(line) < 7 {
		return "", false
	}
	return line[3 : len(line)-3], true
}

func (c *testcase) set(line string, policies map[string]string) error {
	key, val, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("no key and value: %s", line)
	}
	switch key {
	case "why":
		c.why = val
	case "policy":
		if c.policy = policies[val]; c.policy == "" {
			return fmt.Errorf("there is no policy %s", val)
		}
	case "expect":
		switch val {
		case "allow", "ask", "deny", "not-allow":
			c.expect = val
		default:
			return fmt.Errorf("%s cannot be expected", val)
		}
	case "tool":
		c.tool = val
	case "input":
		c.input = val
	case "names":
		c.outside = append(c.outside, val)
	case "link":
		from, to, found := strings.Cut(val, " -> ")
		if !found {
			return fmt.Errorf("a link leads from -> to: %s", val)
		}
		c.links[from] = to
	default:
		return fmt.Errorf("unknown key %s", key)
	}
	return nil
}
