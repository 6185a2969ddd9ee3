package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Hit is something said on the board or beside it that speaks of a question.
type Hit struct {
	Source  string    `json:"source"` // move, session or file
	ID      string    `json:"id"`     // a state commit, a session, or path:line on integration
	Task    string    `json:"task"`
	Title   string    `json:"title"`
	At      time.Time `json:"at,omitzero"`
	Excerpt string    `json:"excerpt"`
	Score   float64   `json:"score"`
}

// Command shows the whole of what was found; integration is the name of the branch.
func (h Hit) Command(integration string) string {
	switch h.Source {
	case "session":
		return "git liza session show " + clipID(h.ID)
	case "file":
		path := h.ID[:max(strings.LastIndexByte(h.ID, ':'), 0)]
		return "git show " + shell.Quote(integration+":"+path)
	}
	return "git show --no-patch " + clipID(h.ID)
}

// clipID is the part of a commit's id that names it.
func clipID(id string) string { return id[:min(10, len(id))] }

// HitsText lists for people what speaks of a question; integration is the name of the branch.
func HitsText(hits []Hit, query, integration string, width int) string {
	if len(hits) == 0 {
		return Cut("nothing was found that has a word of: "+plaintext.Line(query), width) + "\n"
	}
	var text strings.Builder
	for i, h := range hits {
		title := plaintext.Line(h.Title)
		if !h.At.IsZero() {
			title = h.At.UTC().Format(Stamp) + "  " + title
		}
		fmt.Fprintf(&text, "%s\n", Cut(title, width))
		between := " · "
		if h.Source == "file" {
			between = " " // lines of one paragraph
		}
		if said := plaintext.Line(strings.ReplaceAll(strings.TrimSpace(h.Excerpt), "\n", between)); said != "" {
			fmt.Fprintln(&text, wrapText(said, width, " "))
		}
		fmt.Fprintf(&text, "   %s\n", h.Command(integration))
		if i < len(hits)-1 {
			text.WriteByte('\n')
		}
	}
	return text.String()
}
