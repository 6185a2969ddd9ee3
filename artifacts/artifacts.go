// Package artifacts says what the texts are that a workflow asks for: their types, the
// phases that produce them, their front matter, and when one may not change any more. It
// reads no files and no board; package library has the definitions that there are, and
// package form holds a text against its type.
package artifacts

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// Bounds of what is read. Within them the slowest text takes a fraction of a second.
const (
	MaxText        = 256 << 10 // bytes of an artifact
	MaxLines       = 20_000    // of an artifact
	MaxDefinition  = 64 << 10  // bytes of the file of a type or workflow, and of a workflow on the board
	MaxFrontMatter = 64 << 10  // bytes
	MaxValues      = 2000      // in front matter
)

// A Format is how an artifact is written.
type Format string

// The formats.
const (
	Markdown Format = "markdown" // Markdown with front matter in YAML
	Plan     Format = "plan"     // a file of tasks, as git liza check takes it
	Any      Format = "any"      // any file, as it was found: nothing is asked of it
)

// A Type says what the artifacts of that type have in common.
type Type struct {
	Name     string              `yaml:"name"`
	About    string              `yaml:"about"`       // one line for lists
	Format   Format              `yaml:"format"`      // "" is Markdown
	Schema   string              `yaml:"schema"`      // a JSON Schema of the front matter, in JSON
	Headings []Heading           `yaml:"headings"`    // that the text must have, at any level and in any order
	Frozen   map[string][]string `yaml:"frozen_when"` // field → values with which the artifact is frozen
}

// A Heading is one that a text must have.
type Heading struct {
	Title string `yaml:"title"`
	Min   int    `yaml:"min"` // words below it, at least
}

// IsPlan reports whether the artifacts are files of tasks.
func (t *Type) IsPlan() bool { return t.Format == Plan }

// IsAny reports whether nothing is asked of the artifacts. No type is not one of them.
func (t *Type) IsAny() bool { return t != nil && t.Format == Any }

// unfinished are the statuses of texts that are not what they are to be once approved.
var unfinished = []string{"draft", "proposed"}

// IsUnfinished reports whether a status says that the text is not what it is to be once
// approved.
func IsUnfinished(status string) bool { return slices.Contains(unfinished, status) }

var name = pattern.Late(`^[a-z][a-z0-9-]{1,30}$`)

// goodName reports whether a type or workflow can have the name.
func goodName(s string) bool { return name().MatchString(s) && !strings.HasSuffix(s, "-") }

// most bounds the lists of a definition.
const most = 50

// Check returns all that is wrong with the type but for its schema, which package
// library reads.
func (t *Type) Check() []Fault {
	var wrong faults
	if !goodName(t.Name) {
		wrong.add(CodeName, "name", "%q is no name of a type (2 to 31 of a-z, 0-9 and -, such as test-report)", t.Name)
	}
	if !slices.Contains([]Format{"", Markdown, Plan, Any}, t.Format) {
		wrong.add(CodeValue, "format", "%q is no format: markdown, plan or any", t.Format)
	}
	if (t.IsPlan() || t.IsAny()) && len(t.Headings)+len(t.Frozen) > 0 {
		wrong.add(CodeValue, "format", "only Markdown has headings, and values that freeze it")
	}
	if len(t.Headings) > most || len(t.Frozen) > most {
		wrong.add(CodeLimit, "headings", "a type has at most %d headings, and as many fields that freeze", most)
	}
	seen := map[string]bool{}
	for i, h := range t.Headings {
		field := entry("headings", i)
		title := Title(h.Title)
		switch {
		case title == "":
			wrong.add(CodeMissing, field+".title", "a heading has no title")
		case seen[title]:
			wrong.add(CodeName, field+".title", "the heading %q is asked for twice", h.Title)
		}
		seen[title] = true
		if h.Min < 0 || h.Min > 10_000 {
			wrong.add(CodeValue, field+".min", "a heading asks for 0 to 10000 words")
		}
	}
	for field, values := range t.Frozen {
		if len(values) == 0 {
			wrong.add(CodeMissing, "frozen_when."+field, "no value freezes the artifact")
		}
	}
	return wrong
}

var numbering = pattern.Late(`^(?:[0-9]+(?:\.[0-9]+)*[.):]?|[a-zA-Z][.)]|[ivxIVX]+[.)])[ \t]+`)
var linked = pattern.Late(`!?\[([^\]]*)\]\([^)]*\)`)

// Title is the title of a heading as it is compared: without numbering, emphasis, links,
// a colon at its end and difference of case.
func Title(text string) string {
	text = linked().ReplaceAllString(strings.TrimSpace(text), "$1")
	text = strings.NewReplacer("*", "", "_", " ", "`", "").Replace(text)
	text = numbering().ReplaceAllString(strings.TrimSpace(text), "")
	return strings.ToLower(strings.Join(strings.Fields(strings.TrimRight(text, " :")), " "))
}
