package diagnosis

import (
	"slices"

	"github.com/git-liza/git-liza/flow/pattern"
)

// A Cause is a reason for which programs fail, as the knowledge base has it.
type Cause struct {
	ID    string
	Area  Area
	Title string   // what is so if this is the cause
	Fix   string   // what mends it
	Test  string   // a command to type that shows whether it is so; a word in {} stands for what the evidence names
	After []string // causes that bring this one about: where one of them is seen, this one is a result
	Steps []Step   // beside those that every area has

	signs []sign
}

// An Area is where a cause lies.
type Area string

// The areas.
const (
	Language    Area = "language"
	Environment Area = "environment"
	Git         Area = "git"
	Tool        Area = "tool"
	Agent       Area = "agent"
)

// A Step is a command of a recovery plan. It comes from this package alone: no word of a
// text that was diagnosed stands in it.
type Step struct {
	Command []string `json:"command"` // git and its arguments; a word in capitals is for the reader to replace
	Risk    Risk     `json:"risk"`
	Why     string   `json:"why"`
	Undo    string   `json:"undo"` // a command that takes it back, or why there is nothing to take back
}

// A Risk is what a step may do.
type Risk string

// The risks.
const (
	Safe        Risk = "safe"        // it reads
	Moderate    Risk = "moderate"    // it changes what can be changed back
	Destructive Risk = "destructive" // it may lose work
)

// A sign is what a line of output says when a cause is there.
type sign struct {
	weight int    // of the evidence; negative: against the cause
	has    string // in small letters; a line without it needs no look at the form
	form   string // a regular expression, "" for none; compiled when it is looked for
}

// The weights of evidence, in natural logarithms of odds.
const (
	strong  = 6 // the message of a program that says just this
	plain   = 4 // a message that others print, too
	weak    = 2
	against = -4
)

// says is a sign that a line contains a text.
func says(weight int, has string) sign { return sign{weight, has, ""} }

// matches is a sign that a line contains a text and has a form, whatever the case. The
// first group of the form is what the line is about.
func matches(weight int, has, form string) sign {
	return sign{weight, has, "(?i)" + form}
}

// find returns whether a line has the sign, and what it is about.
func (s sign) find(text string) (about string, found bool) {
	if s.form == "" {
		return "", true
	}
	m := pattern.Compiled(s.form).FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	for _, group := range m[1:] {
		if group != "" {
			return group, true
		}
	}
	return "", true
}

// causes are the rows of the knowledge base.
var causes = slices.Concat(languageCauses, runtimeCauses, environmentCauses, gitCauses, toolCauses, agentCauses)

// blank is the form of a word of a step that the reader replaces.
var blank = pattern.Late(`^[A-Z]{3,}$`)
