package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/recall"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

// hitCommand shows the whole of what was found; integration is the name of the branch.
func hitCommand(h recall.Hit, integration string) string {
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

// HitsText lists for people the texts that say most of a question; integration is the name of the branch.
func HitsText(hits []recall.Hit, query, integration string, width int) string {
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
		fmt.Fprintf(&text, "   %s\n", hitCommand(h, integration))
		if i < len(hits)-1 {
			text.WriteByte('\n')
		}
	}
	return text.String()
}
