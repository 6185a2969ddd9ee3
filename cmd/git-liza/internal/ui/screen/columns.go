package screen

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
)

// columnsPart draws the tasks by how far they are: on one line their numbers, on more
// lines side by side, on a narrow screen below each other.
func (d *drawing) columnsPart(width, height int) []string {
	var counts []string
	for _, c := range d.content.columns {
		if c.Count > 0 {
			counts = append(counts, c.Name+" "+strconv.Itoa(c.Count))
		}
	}
	if len(counts) == 0 {
		counts = []string{"none"}
	}
	lines := []string{d.heading("Tasks", strings.Join(counts, "  "), width, d.focus == columns)}
	switch {
	case height < 2:
		return lines
	case width < someColumns || height < 3:
		from, to := d.visible(columns, height-1)
		for i := from; i < to; i++ {
			lines = append(lines, d.taskLine(i, width))
		}
		return lines
	}
	return append(lines, d.sideBySide(width, height-1)...)
}

// taskLine draws a task on a line of its own.
func (d *drawing) taskLine(i, width int) string {
	t := d.content.flowRow(i)
	mark, s := d.mark(columns, i)
	return d.styles.line(width, mark, span{fit(d.columnOf(i), 9), faint}, span{plain(string(t.ID)) + "  ", s}, span{plain(string(t.Who)) + "  ", faint}, span{plain(t.Named()), s})
}

// columnOf names the column of a task by its place in all of them.
func (d *drawing) columnOf(i int) string {
	for _, c := range d.content.columns {
		if i < len(c.Rows) {
			return c.Name
		}
		i -= len(c.Rows)
	}
	return ""
}

// leastColumn is the least width of a column of tasks.
const leastColumn = 15

// sideBySide draws the columns that have tasks. If they are too many for the width, the
// first and the last ones are left out: nobody waits for these.
func (d *drawing) sideBySide(width, height int) []string {
	var list []int
	for i, c := range d.content.columns {
		if c.Count > 0 {
			list = append(list, i)
		}
	}
	for fits := max(1, width/leastColumn); len(list) > fits; {
		if d.content.columns[list[0]].Name == "draft" || len(list) > fits+1 {
			list = list[1:]
			continue
		}
		list = list[:len(list)-1]
	}
	lines := make([]string, height)
	begin, used := 0, 0
	for i, c := range d.content.columns {
		place := begin
		begin += len(c.Rows)
		n := 0
		for n < len(list) && list[n] != i {
			n++
		}
		if n == len(list) {
			continue
		}
		wide := (width - used) / (len(list) - n)
		used += wide
		for y, text := range d.columnLines(&c, place, wide, height) {
			lines[y] += text
		}
	}
	return lines
}

// columnLines draw a column whose first task has that place in all of them.
func (d *drawing) columnLines(c *view.Column, place, width, height int) []string {
	lines := []string{d.styles.line(width, span{strings.ToUpper(c.Name) + " ", strong}, span{strconv.Itoa(c.Count), normal})}
	from := 0
	if at := d.chosen[columns].place - place; d.focus == columns && at >= height-1 && at < len(c.Rows) {
		from = at - height + 2
	}
	for i := from; i < len(c.Rows) && len(lines) < height; i++ {
		r := c.Rows[i]
		mark, s := d.mark(columns, place+i)
		text := plain(string(r.ID))
		who := cmp.Or(plain(string(r.Who)), plain(r.Named()))
		spans := []span{mark, {text + " ", s}, {cut(who, max(0, width-cells(text)-3)), faint}}
		lines = append(lines, d.styles.line(width, spans...))
	}
	return d.filled(lines, height, width)
}
