package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type diffCommand struct {
	From string `arg:"" optional:"" placeholder:"REV" help:"A time, a span before now (2h, 3d), a mark such as sprint-1, or a commit of refs/liza/state; default: before the last move."`
	To   string `arg:"" optional:"" placeholder:"REV" help:"Default: the board as it is."`
}

func (c *diffCommand) Run(s *session) error {
	clone, err := s.reader()
	if err != nil {
		return err
	}
	if c.To == "" {
		c.To = git.StateRef
	}
	to, err := s.rev(clone, c.To)
	if err != nil {
		return err
	}
	from := git.ID("")
	if c.From != "" {
		from, err = s.rev(clone, c.From)
	} else if e, readErr := clone.Store.Event(to); readErr != nil {
		err = readErr
	} else {
		from = e.Parent
	}
	if err != nil {
		return err
	}
	list, err := differences(clone.Store, from, to)
	if err != nil {
		return err
	}
	type document struct {
		Path   string `json:"path"`
		Change string `json:"change"` // added, removed or changed
		Patch  string `json:"patch"`
	}
	documents := []document{}
	var text strings.Builder
	for _, d := range list {
		patch := documentDiff{color: s.color && !s.json}.text(d)
		text.WriteString(patch)
		documents = append(documents, document{d.Path, kindOf(d), patch})
	}
	return s.answer("", map[string]any{"from": from, "to": to, "documents": documents}, text.String())
}

// differences compares two states; from "" is before the first move.
func differences(store *gitstore.Store, from, to git.ID) ([]gitstore.Difference, error) {
	if from != "" {
		return store.Diff(from, to)
	}
	files, err := store.Files(to)
	if err != nil {
		return nil, err
	}
	var list []gitstore.Difference
	for path, text := range files {
		list = append(list, gitstore.Difference{Path: path, New: text})
	}
	slices.SortFunc(list, func(a, b gitstore.Difference) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

func kindOf(d gitstore.Difference) string {
	switch {
	case d.Old == "":
		return "added"
	case d.New == "":
		return "removed"
	}
	return "changed"
}

// A documentDiff shows the lines in which two versions of a document differ,
// in git's form; with color it also marks what changed within a line.
type documentDiff struct{ color bool }

// diffContext is how many unchanged lines are shown around a change.
const diffContext = 3

// A diffLine is a line of either version, or of both.
type diffLine struct {
	op   diffmatchpatch.Operation
	text string // as it is shown, without a line feed
}

func (dd documentDiff) text(d gitstore.Difference) string {
	name := func(side, text string) string {
		if text == "" {
			return "/dev/null"
		}
		return side + "/" + d.Path
	}
	lines := dd.lines(d.Old, d.New)
	out := dd.paint("1", "--- "+name("a", d.Old)) + dd.paint("1", "+++ "+name("b", d.New))
	oldLine, newLine := 1, 1
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
				body.WriteString(dd.paint("31", "-"+l.text))
			case diffmatchpatch.DiffInsert:
				news++
				body.WriteString(dd.paint("32", "+"+l.text))
			default:
				olds, news = olds+1, news+1
				body.WriteString(" " + l.text + "\n")
			}
		}
		out += dd.paint("36", fmt.Sprintf("@@ -%s +%s @@", place(oldLine, olds), place(newLine, news))) + body.String()
		oldLine, newLine = oldLine+olds, newLine+news
		lines = lines[skip+len(hunk):]
	}
	return out
}

// place is where a hunk begins and how many lines it has, as git writes it.
func place(line, n int) string {
	if n == 0 {
		line--
	}
	return fmt.Sprintf("%d,%d", line, n)
}

// nextHunk is the next run of changes with its context, and how many lines
// lie before it; nil where nothing more has changed.
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
func (dd documentDiff) lines(old, new string) []diffLine {
	dmp := diffmatchpatch.New()
	a, b, all := dmp.DiffLinesToRunes(old, new)
	diffs := dmp.DiffCharsToLines(dmp.DiffMainRunes(a, b, false), all)
	var list []diffLine
	for i, d := range diffs {
		lines := strings.Split(strings.TrimSuffix(d.Text, "\n"), "\n")
		if dd.color && i > 0 && d.Type == diffmatchpatch.DiffInsert && diffs[i-1].Type == diffmatchpatch.DiffDelete {
			before := list[len(list)-strings.Count(diffs[i-1].Text, "\n"):]
			markWithin(dmp, before, lines)
		}
		for _, line := range lines {
			list = append(list, diffLine{d.Type, line})
		}
	}
	return list
}

// markWithin shows what changed within lines that took each other's place, as
// far as they pair up.
func markWithin(dmp *diffmatchpatch.DiffMatchPatch, before []diffLine, after []string) {
	if len(before) != len(after) {
		return
	}
	for i := range after {
		diffs := dmp.DiffCleanupSemantic(dmp.DiffMain(before[i].text, after[i], false))
		before[i].text, after[i] = marked(diffs, diffmatchpatch.DiffDelete), marked(diffs, diffmatchpatch.DiffInsert)
	}
}

// marked is one side of a comparison, with what only that side has in reverse.
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

// paint ends a line, in a color where there is any.
func (dd documentDiff) paint(code, line string) string {
	if !dd.color {
		return line + "\n"
	}
	return "\x1b[" + code + "m" + line + "\x1b[m\n"
}
