package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Changelog is what changed in the specs during a sprint.
type Changelog struct {
	Goal   *flow.Goal
	Sprint flow.SprintID
	Rows   []flow.Change // the last one first
}

// Value returns the changelog for JSON.
func (c *Changelog) Value() Object {
	rows := append([]Object{}, lists.Of(c.Rows, func(row flow.Change) Object { return ObjectOf(&row) })...)
	return Object{{"sprint", c.Sprint}, {"goal", partOf(c.Goal).ID}, {"rows", rows}, {"text", c.Text()}}
}

// Text returns the changelog as Markdown, as it stands in a project's changelog. It is
// empty if no spec changed.
func (c *Changelog) Text() string {
	if len(c.Rows) == 0 {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "## [%s] — %s (%s)\n| Date | Spec | Change | Triggered By |\n|------|------|--------|--------------|\n",
		partOf(c.Goal).ID, cell(partOf(c.Goal).Title), c.Sprint)
	for _, r := range c.Rows {
		by := cmp.Or(string(r.Task), string(r.By))
		fmt.Fprintf(&text, "| %s | %s | %s | %s |\n", r.At.UTC().Format(time.DateOnly), cell(r.Spec), cell(r.Change), cell(by))
	}
	return text.String()
}

// cell is a text as one cell of a table in Markdown.
func cell(text string) string {
	return strings.ReplaceAll(plaintext.Line(text), "|", `\|`)
}
