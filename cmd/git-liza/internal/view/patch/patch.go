// Package patch formats the lines in which two versions of a text differ.
package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// A Side is one version of a text.
type Side struct {
	Text string // "" if there is none
	Line int    // number of its first line in the file, from 1; 0 means 1
}

// Format returns the lines in which two versions of a file differ, in git's form; with
// color it also marks what changed within a line.
func Format(path string, old, new Side, color bool) string {
	return painter{color}.format(path, old, new)
}

// A painter formats differences, with color or without.
type painter struct{ color bool }

// diffContext is how many unchanged lines are shown around a change.
const diffContext = 3

// A diffLine is a line of either version, or of both.
type diffLine struct {
	op   diffmatchpatch.Operation
	text string // the displayed text, without a line feed
}

func (p painter) format(path string, old, new Side) string {
	name := func(side, text string) string {
		if text == "" {
			return "/dev/null"
		}
		return side + "/" + path
	}
	lines := p.lines(old.Text, new.Text)
	out := p.paint("1", "--- "+name("a", old.Text)) + p.paint("1", "+++ "+name("b", new.Text))
	oldLine, newLine := max(1, old.Line), max(1, new.Line)
	for len(lines) > 0 {
		skip, hunk := nextHunk(lines)
		if hunk == nil {
			break
		}
		oldLine, newLine = oldLine+skip, newLine+skip
		olds, news := 0, 0
		var body strings.Builder
		for _, l := range hunk {
			switch l.op {
			case diffmatchpatch.DiffDelete:
				olds++
				body.WriteString(p.paint("31", "-"+l.text))
			case diffmatchpatch.DiffInsert:
				news++
				body.WriteString(p.paint("32", "+"+l.text))
			default:
				olds, news = olds+1, news+1
				body.WriteString(" " + l.text + "\n")
			}
		}
		out += p.paint("36", fmt.Sprintf("@@ -%s +%s @@", place(oldLine, olds), place(newLine, news))) + body.String()
		oldLine, newLine = oldLine+olds, newLine+news
		lines = lines[skip+len(hunk):]
	}
	return out
}

// place formats the start and length of a hunk as git does.
func place(line, n int) string {
	if n == 0 {
		line--
	}
	return fmt.Sprintf("%d,%d", line, n)
}

// nextHunk returns the next run of changes with its context, and the number
// of lines before it. It returns nil if nothing more has changed.
func nextHunk(lines []diffLine) (skip int, hunk []diffLine) {
	changed := func(l diffLine) bool { return l.op != diffmatchpatch.DiffEqual }
	first := slices.IndexFunc(lines, changed)
	if first < 0 {
		return 0, nil
	}
	last := first
	for i := first; i < len(lines) && i <= last+2*diffContext+1; i++ {
		if changed(lines[i]) {
			last = i
		}
	}
	skip = max(0, first-diffContext)
	return skip, lines[skip:min(len(lines), last+1+diffContext)]
}

// lines compares two texts line by line.
func (p painter) lines(old, new string) []diffLine {
	dmp := diffmatchpatch.New()
	a, b, all := dmp.DiffLinesToRunes(old, new)
	diffs := dmp.DiffCharsToLines(dmp.DiffMainRunes(a, b, false), all)
	var list []diffLine
	for i, d := range diffs {
		lines := strings.Split(strings.TrimSuffix(d.Text, "\n"), "\n")
		if p.color && i > 0 && d.Type == diffmatchpatch.DiffInsert && diffs[i-1].Type == diffmatchpatch.DiffDelete {
			before := list[len(list)-strings.Count(diffs[i-1].Text, "\n"):]
			markWithin(dmp, before, lines)
		}
		for _, line := range lines {
			list = append(list, diffLine{d.Type, line})
		}
	}
	return list
}

// markWithin marks the changes within pairs of removed and added lines.
func markWithin(dmp *diffmatchpatch.DiffMatchPatch, before []diffLine, after []string) {
	if len(before) != len(after) {
		return
	}
	for i := range after {
		diffs := dmp.DiffCleanupSemantic(dmp.DiffMain(before[i].text, after[i], false))
		before[i].text, after[i] = marked(diffs, diffmatchpatch.DiffDelete), marked(diffs, diffmatchpatch.DiffInsert)
	}
}

// marked returns one side of a comparison, with the text that only this side
// has in reverse video.
func marked(diffs []diffmatchpatch.Diff, side diffmatchpatch.Operation) string {
	var out strings.Builder
	for _, d := range diffs {
		switch d.Type {
		case diffmatchpatch.DiffEqual:
			out.WriteString(d.Text)
		case side:
			out.WriteString("\x1b[7m" + d.Text + "\x1b[27m")
		}
	}
	return out.String()
}

// paint writes a line in a color, if there is one.
func (p painter) paint(code, line string) string {
	if !p.color {
		return line + "\n"
	}
	return "\x1b[" + code + "m" + line + "\x1b[m\n"
}
