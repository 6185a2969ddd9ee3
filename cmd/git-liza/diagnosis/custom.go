package diagnosis

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Custom is a cause that a project adds, as people write it. It has no steps: nothing of
// it is ever run.
type Custom struct {
	Title string       `yaml:"title"`
	Fix   string       `yaml:"fix"`
	Test  string       `yaml:"test"`
	After []string     `yaml:"after"`
	Signs []CustomSign `yaml:"signs"`
}

// A CustomSign is what a line of output says when the cause is there.
type CustomSign struct {
	Has    string `yaml:"has"`    // a text that the line contains, whatever the case
	Form   string `yaml:"form"`   // a regular expression of RE2; its first group is what the line is about
	Weight string `yaml:"weight"` // strong, plain, weak or against
}

var weights = map[string]int{"strong": strong, "plain": plain, "weak": weak, "against": against}

const (
	mostSigns = 50
	mostForm  = 1000 // bytes
)

// Cause is the custom cause with an id, which no built-in one may have. The error says
// what is wrong with it.
func (c *Custom) Cause(id string) (*Cause, error) {
	cause := &Cause{ID: id, Area: Tool, Title: c.Title, Fix: c.Fix, Test: c.Test, After: c.After}
	isKnown := func(id string) bool {
		return slices.ContainsFunc(causes, func(other *Cause) bool { return other.ID == id })
	}
	for _, said := range [][2]string{{"title", c.Title}, {"fix", c.Fix}, {"test", c.Test}} {
		if strings.TrimSpace(said[1]) == "" || strings.Contains(said[1], "\n") || len(said[1]) > mostForm {
			return nil, fmt.Errorf("%s is a line of at most %d bytes", said[0], mostForm)
		}
	}
	if isKnown(id) {
		return nil, fmt.Errorf("a built-in cause has the name %s", id)
	}
	for _, other := range c.After {
		if !isKnown(other) {
			return nil, fmt.Errorf("after: there is no built-in cause %s", other)
		}
	}
	if len(c.Signs) == 0 || len(c.Signs) > mostSigns {
		return nil, fmt.Errorf("a cause has 1 to %d signs", mostSigns)
	}
	for i, s := range c.Signs {
		weight, ok := weights[s.Weight]
		switch _, err := regexp.Compile(s.Form); {
		case !ok:
			return nil, fmt.Errorf("signs[%d]: weight is strong, plain, weak or against, not %q", i, s.Weight)
		case strings.TrimSpace(s.Has) == "":
			return nil, fmt.Errorf("signs[%d]: has is a text that the line contains", i)
		case len(s.Has) > mostForm || len(s.Form) > mostForm:
			return nil, fmt.Errorf("signs[%d]: more than %d bytes", i, mostForm)
		case err != nil:
			return nil, fmt.Errorf("signs[%d]: %w", i, err)
		}
		one := says(weight, strings.ToLower(s.Has))
		if s.Form != "" {
			one = matches(weight, one.has, s.Form)
		}
		cause.signs = append(cause.signs, one)
	}
	return cause, nil
}
