package view

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Table has rows of cells in aligned columns, two blanks apart. If a row
// does not fit a terminal's width, its last cell is cut.
type Table struct {
	Indent string // before each row
	Rows   [][]string
}

// Add adds a row of at least one cell.
func (t *Table) Add(row ...string) { t.Rows = append(t.Rows, row) }

// columns returns the widths of the columns, without the last cell of each
// row.
func (t *Table) columns() []int {
	var columns []int
	for _, row := range t.Rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(columns) {
				columns = append(columns, 0)
			}
			columns[i] = max(columns[i], cells(cell))
		}
	}
	return columns
}

// leastLast is how much of a last cell is worth showing.
const leastLast = 16

// lacks returns how much wider a terminal must be to show every last cell, or at least
// leastLast of it. With width 0 it is 0.
func (t *Table) lacks(width int) int {
	if width == 0 {
		return 0
	}
	need := cells(t.Indent) + lists.Sum(t.columns(), func(column int) int { return column + 2 })
	longest := 0
	for _, row := range t.Rows {
		longest = max(longest, cells(row[len(row)-1]))
	}
	return max(need+min(longest, leastLast)-width, 0)
}

// Text renders the table. With width 0 nothing is cut.
func (t *Table) Text(width int) string {
	columns := t.columns()
	var out strings.Builder
	out.Grow(t.size(columns))
	var line []byte
	for _, row := range t.Rows {
		line = append(line[:0], t.Indent...)
		for i, cell := range row[:len(row)-1] {
			line = append(append(line, cell...), strings.Repeat(" ", columns[i]-cells(cell)+2)...)
		}
		line = append(line, plaintext.Line(row[len(row)-1])...)
		if width > 0 {
			line = append(line[:0], Cut(string(line), width)...)
		}
		out.Write(bytes.TrimRight(line, " "))
		out.WriteByte('\n')
	}
	return out.String()
}

// size is about how many bytes the text of the table takes.
func (t *Table) size(columns []int) int {
	each := len(t.Indent) + 1 + lists.Sum(columns, func(column int) int { return column + 2 })
	return each*len(t.Rows) + lists.Sum(t.Rows, func(row []string) int { return len(row[len(row)-1]) })
}

// Wrap breaks last cells that do not fit a width between words, over several
// rows. It does not break words.
func (t *Table) Wrap(width int) {
	room := width - cells(t.Indent)
	for _, column := range t.columns() {
		room -= column + 2
	}
	if width == 0 || room < 20 {
		return
	}
	var rows [][]string
	for _, row := range t.Rows {
		keys, text := slices.Clip(row[:len(row)-1]), row[len(row)-1]
		if cells(text) <= room {
			rows = append(rows, row)
			continue
		}
		line := ""
		for word := range strings.SplitSeq(strings.TrimRight(text, "\n"), " ") {
			if line != "" && cells(line)+1+cells(word) > room {
				rows = append(rows, append(keys, line))
				keys, line = slices.Clip(make([]string, len(keys))), word
				continue
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		rows = append(rows, append(keys, line))
	}
	t.Rows = rows
}

// WrappedText renders the table with last cells broken as [Table.Wrap] does, none of them cut.
func (t *Table) WrappedText(width int) string {
	t.Wrap(width)
	return t.Text(0)
}

// Wrapped breaks a text between words into lines of at most a width, each with
// its end. With width 0 there is one line.
func Wrapped(text string, width int) string {
	t := Table{Rows: [][]string{{text}}}
	return t.WrappedText(width)
}

// section formats a heading with rows below it. It is empty without rows.
func section(heading string, rows [][]string, width int) string {
	if len(rows) == 0 {
		return ""
	}
	t := Table{Indent: "  ", Rows: rows}
	return "\n" + heading + "\n" + t.Text(width)
}

// FirstLine returns the first line of a text.
func FirstLine(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if more {
		line += " …"
	}
	return line
}

// Cut shortens a line to a width in characters of a terminal.
func Cut(line string, width int) string {
	if width == 0 || cells(line) <= width {
		return line
	}
	used := 0
	for i, r := range line {
		if used += wide(r); used > width-1 {
			return line[:i] + "…"
		}
	}
	return line
}

// cells returns the width of a text on a terminal.
func cells(text string) int {
	if plaintext.IsPlain(text) {
		return len(text)
	}
	n := 0
	for _, r := range text {
		n += wide(r)
	}
	return n
}

// wide returns the width of a character: 2 for ideographs and emoji, 0 for
// combining marks.
func wide(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// Count formats a number with its noun, in singular or plural.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// joinFirst lists the first of many ids for people.
func joinFirst[T ~string](ids []T, most int) string {
	if more := len(ids) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", JoinIDs(ids[:most]), more)
	}
	return JoinIDs(ids)
}

// verb is the form of a verb for a number of subjects.
func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// JoinIDs lists ids for people.
func JoinIDs[T ~string](ids []T) string {
	return strings.Join(lists.Of(ids, func(id T) string { return string(id) }), ", ")
}
