package diagnosis

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A Cause is a reason for which programs fail: a row of patterns.yaml, or a file that a
// project adds.
type Cause struct {
	ID     string   `yaml:"-"`
	Area   string   `yaml:"area"`   // where it lies: language, environment, git, tool or agent; "" of what a project adds
	Title  string   `yaml:"title"`  // what is so if this is the cause
	Fix    string   `yaml:"fix"`    // what mends it
	Test   string   `yaml:"test"`   // a command to type that shows whether it is so; a word in {} stands for what the evidence names
	After  []string `yaml:"after"`  // causes that bring this one about
	Steps  []Step   `yaml:"steps"`  // of a recovery, those that only read first; what a project adds has none
	Strong []string `yaml:"strong"` // regular expressions of lines that say just this; the first group is what they are about
	Weak   []string `yaml:"weak"`   // likewise, of lines that others print, too

	signs []sign
}

// A Step is a command of a recovery plan. It comes from this package alone: no word of a
// text that was diagnosed stands in it.
type Step struct {
	Command []string `yaml:"command" json:"command"` // git and its arguments; a word in capitals is for the reader to replace
	Risk    Risk     `yaml:"risk" json:"risk"`
	Why     string   `yaml:"why" json:"why"`
	Undo    string   `yaml:"undo" json:"undo"` // a command that takes it back, or why there is nothing to take back
}

// A Risk is what a step may do.
type Risk string

// The risks.
const (
	Safe        Risk = "safe"        // it reads
	Moderate    Risk = "moderate"    // it changes what can be changed back
	Destructive Risk = "destructive" // it may lose work
)

// blank is the form of a word of a step that the reader replaces.
var blank = pattern.Late(`^[A-Z]{3,}$`)

// Ready reports whether a step can be run as it stands: no word is for the reader to
// replace.
func (s Step) Ready() bool { return !slices.ContainsFunc(s.Command, blank().MatchString) }

//go:embed patterns.yaml
var table []byte

// causes are the rows of the table, by their ids. The steps of their areas are among theirs.
var causes = sync.OnceValue(func() (list []*Cause) {
	var rows struct {
		Steps  map[string][]Step `yaml:"steps"`
		Causes map[string]Cause  `yaml:"causes"`
	}
	if err := document.Decode("patterns.yaml", table, &rows); err != nil {
		panic(err)
	}
	for _, id := range slices.Sorted(maps.Keys(rows.Causes)) {
		c := rows.Causes[id]
		c.ID, c.Steps = id, slices.Concat(rows.Steps[c.Area], c.Steps)
		c.setSigns()
		list = append(list, &c)
	}
	return list
})

// isKnown reports whether the table has a cause.
func isKnown(id string) bool {
	return slices.ContainsFunc(causes(), func(c *Cause) bool { return c.ID == id })
}

// bounds of what a project adds.
const (
	mostPatterns = 50
	mostBytes    = 1000 // of a line of it
)

// Check returns what is wrong with a cause that a project adds, and makes it ready.
func (c *Cause) Check() error {
	for key, said := range map[string]string{"title": c.Title, "fix": c.Fix, "test": c.Test} {
		if strings.TrimSpace(said) == "" || strings.Contains(said, "\n") || len(said) > mostBytes {
			return fmt.Errorf("%s is a line of at most %d bytes", key, mostBytes)
		}
	}
	c.setSigns()
	unknown := slices.DeleteFunc(slices.Clone(c.After), isKnown)
	switch n := len(c.signs); {
	case isKnown(c.ID):
		return fmt.Errorf("a built-in cause has the name %s", c.ID)
	case c.Area != "" || len(c.Steps) > 0:
		return errors.New("only built-in causes have an area and steps")
	case len(unknown) > 0:
		return fmt.Errorf("after: there is no built-in cause %s", unknown[0])
	case n == 0 || n > mostPatterns:
		return fmt.Errorf("a cause has 1 to %d patterns, strong or weak", mostPatterns)
	}
	for _, s := range c.signs {
		if _, err := regexp.Compile(s.form); err != nil {
			return err
		}
		if len(s.form) > mostBytes || s.text == "" {
			return fmt.Errorf("%.40q holds no text that each line has, or more than %d bytes", s.form, mostBytes)
		}
	}
	return nil
}

// A sign is a pattern of a cause.
type sign struct {
	form   string
	strong bool
	text   string // in small letters: a line without it is not compared
}

// setSigns makes signs of the patterns, the strong ones first. A wrong one is there, too.
func (c *Cause) setSigns() {
	c.signs = nil
	for i, form := range slices.Concat(c.Strong, c.Weak) {
		s := sign{form: "(?i)" + form, strong: i < len(c.Strong)}
		if parsed, err := syntax.Parse(form, syntax.Perl); err == nil {
			s.text = textOf(parsed)
		}
		c.signs = append(c.signs, s)
	}
}

// textOf is the longest text, in small letters, that each line has that matches.
func textOf(re *syntax.Regexp) (longest string) {
	switch re.Op {
	case syntax.OpLiteral:
		return strings.ToLower(string(re.Rune))
	case syntax.OpCapture, syntax.OpPlus:
		return textOf(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if text := textOf(sub); len(text) > len(longest) {
				longest = text
			}
		}
	}
	return longest
}
