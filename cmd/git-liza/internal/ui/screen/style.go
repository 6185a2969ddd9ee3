package screen

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// A style is how a part of a line looks. Nothing is told by a colour alone.
type style uint8

const (
	normal style = iota
	strong       // headings, and what is chosen
	faint        // what is read last
	needed       // the one accent: what needs the person
)

// styles has a style of the library for each of ours.
type styles [needed + 1]lipgloss.Style

func newStyles() *styles {
	plain := lipgloss.NewStyle()
	return &styles{strong: plain.Bold(true), faint: plain.Faint(true),
		needed: plain.Bold(true).Foreground(lipgloss.Yellow)}
}

// A span is a part of a line.
type span struct {
	text string // plain
	style
}

// line joins spans and fills them to a width. What does not fit is cut.
func (s *styles) line(width int, spans ...span) string {
	var out strings.Builder
	for _, p := range spans {
		text := cut(p.text, width)
		width -= cells(text)
		switch {
		case text == "":
		case p.style == normal:
			out.WriteString(text)
		default:
			out.WriteString(s[p.style].Render(text))
		}
	}
	return out.String() + strings.Repeat(" ", max(0, width))
}

// sides joins spans, with others at the right end of the line; the left ones are cut.
func (s *styles) sides(width int, left, right []span) string {
	room := 0
	for _, p := range right {
		room += cells(p.text)
	}
	if room > width/2 {
		return s.line(width, left...)
	}
	return s.line(width-room, left...) + s.line(room, right...)
}
