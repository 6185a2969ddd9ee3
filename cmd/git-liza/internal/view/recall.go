package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/lesson"
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

// LessonsText lists lessons for people, with all that they say if whole, and what keeps
// others from being told.
func LessonsText(list []lesson.Lesson, conflicts []lesson.Conflict, wrong []string, whole bool, width int) string {
	var text strings.Builder
	if len(list) == 0 {
		text.WriteString("nothing was learnt here: git liza help recall\n")
	}
	for i, l := range list {
		if whole && i > 0 {
			text.WriteByte('\n')
		}
		first, _, _ := strings.Cut(l.Text, "\n")
		said := strings.TrimSpace(strings.TrimLeft(first, "#"))
		if whole {
			said = l.Path
		}
		fmt.Fprintln(&text, Cut(plaintext.Line(l.Name+"  "+said), width))
		fmt.Fprintln(&text, wrapText(plaintext.Line("concerns "+strings.Join(slices.Concat(l.Paths, l.Roles), ", ")+"; "+sourcesText(l)), width, " "))
		if whole {
			for line := range strings.Lines(l.Text) {
				text.WriteString("   " + plaintext.Line(strings.TrimRight(line, "\n")) + "\n")
			}
		}
	}
	for _, c := range conflicts {
		fmt.Fprintf(&text, "\n%s contradicts %s: nobody is told either before one is taken away\n", plaintext.Line(c.One), plaintext.Line(c.Other))
	}
	if len(wrong) > 0 {
		fmt.Fprintf(&text, "\n%s below %s are no lessons: git liza check\n", Count(len(wrong), "file"), lesson.Folder)
	}
	return text.String()
}

// sourcesText says which commits a lesson comes from.
func sourcesText(l lesson.Lesson) string {
	switch gone := strings.Join(l.Gone, ", "); {
	case l.Stale():
		return "nobody is told, since it comes from no commit on integration: " + gone
	case gone != "":
		return "from " + strings.Join(l.Sources(), ", ") + ", and " + gone + " not on integration"
	}
	return "from " + strings.Join(l.Commits, ", ")
}
