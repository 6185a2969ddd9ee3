package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow/plaintext"
)

const (
	// inboxIndent is before the text and the command of an item, below its age.
	inboxIndent = 6
	// mostLines bounds the lines of a sentence.
	mostLines = 4
)

// Text formats the inbox for people: a sentence and a command for each item. The
// command stands on lines of its own and is never cut; accent marks it. With
// width 0 sentences are not broken.
func (in *Inbox) Text(width int, accent func(string) string) string {
	return "inbox  " + in.summary() + "\n" + in.rows(width, accent)
}

// summary counts for people what is in the inbox.
func (in *Inbox) summary() string {
	line := "nothing needs you"
	if n := len(in.Items); n > 0 {
		line = fmt.Sprint(n)
	} else if in.of > 0 {
		line = fmt.Sprintf("none of %d matches", in.of)
	}
	if in.Others > 0 {
		line += fmt.Sprintf(", for others %d", in.Others)
	}
	if in.Snoozed > 0 {
		line += fmt.Sprintf(", snoozed %d", in.Snoozed)
	}
	return line
}

// rows formats the items.
func (in *Inbox) rows(width int, accent func(string) string) string {
	var out strings.Builder
	for _, i := range in.Items {
		age, text := i.Age(in.at), plaintext.Line(i.Text)
		if i.For != "" {
			text = i.For + ": " + text
		}
		lines := brokenLines(text, width-inboxIndent)
		if len(lines) > mostLines {
			lines = lines[:mostLines]
			lines[mostLines-1] = Cut(lines[mostLines-1]+" …", width-inboxIndent)
		}
		for _, line := range lines {
			out.WriteString(strings.TrimRight(fmt.Sprintf("%4s  %s", age, line), " ") + "\n")
			age = ""
		}
		out.WriteString(strings.Repeat(" ", inboxIndent) + accent(plaintext.Line(i.Command)) + "\n")
	}
	return out.String()
}

// brokenLines breaks a text between words, or within words that are longer than a
// line. A width below 1 breaks nothing.
func brokenLines(text string, width int) (lines []string) {
	if width < 1 {
		return []string{text}
	}
	line := ""
	for word := range strings.FieldsSeq(text) {
		for cells(word) > width {
			head := strings.TrimSuffix(Cut(word, width), "…")
			if line != "" {
				lines, line = append(lines, line), ""
			}
			lines, word = append(lines, head), strings.TrimPrefix(word, head)
		}
		if line != "" && cells(line)+1+cells(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
