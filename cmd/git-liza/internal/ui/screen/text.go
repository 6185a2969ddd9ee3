package screen

import (
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"

	"github.com/git-liza/git-liza/flow/plaintext"
)

// The bounds of a text that is shown on a line.
const (
	mostRunes = 1000
	mostMarks = 2 // that combine with one letter; more would cover other lines
)

// plain makes one line of an untrusted text, in which every character takes the place
// that it seems to take.
func plain(text string) string {
	if len(text) > 4*mostRunes {
		text = strings.ToValidUTF8(text[:4*mostRunes], "")
	}
	marks := 0
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			marks = 0
		case unicode.In(r, unicode.Variation_Selector, unicode.Cf): // joins emoji, which are drawn one by one
			return -1
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > mostMarks {
				return -1
			}
		case unicode.Is(unicode.Co, r): // nobody knows how wide it is
			return -1
		default:
			marks = 0
		}
		return r
	}, plaintext.Line(text))
}

// cells returns the width of a plain text on a terminal.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n += cellsOf(r)
	}
	return n
}

func cellsOf(r rune) int {
	if r < 0x300 {
		return 1
	}
	return lipgloss.Width(string(r))
}

// cut shortens a plain text to a width, with a sign that it was longer.
func cut(text string, width int) string {
	used, last := 0, 0 // last is where the sign would stand
	for i, r := range text {
		n := cellsOf(r)
		if used+n > width {
			if width < 1 {
				return ""
			}
			return text[:last] + "…"
		}
		if used+n <= width-1 {
			last = i + len(string(r))
		}
		used += n
	}
	return text
}

// fit cuts or fills a plain text to a width.
func fit(text string, width int) string {
	text = cut(text, width)
	return text + strings.Repeat(" ", max(0, width-cells(text)))
}

// wrap breaks a plain text between words over at most so many lines; the rest is cut.
func wrap(text string, width, most int) (lines []string) {
	width = max(width, 1)
	for words := strings.Fields(text); len(words) > 0; {
		if len(lines) == most-1 {
			return append(lines, cut(strings.Join(words, " "), width))
		}
		line := words[0]
		words = words[1:]
		if cells(line) > width {
			head := strings.TrimSuffix(cut(line, width+1), "…")
			head = strings.TrimSuffix(cut(head, width), "…")
			if head == "" {
				return append(lines, cut(line, width))
			}
			words = append([]string{line[len(head):]}, words...)
			line = head
		} else {
			for len(words) > 0 && cells(line)+1+cells(words[0]) <= width {
				line += " " + words[0]
				words = words[1:]
			}
		}
		lines = append(lines, line)
	}
	return lines
}
