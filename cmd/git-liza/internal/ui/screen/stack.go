package screen

import (
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
)

// The bounds of parts on the screen, in lines.
const (
	mostNeeds  = 40
	mostText   = 4 // of the sentence of a row
	leastFocus = 5
	mostAlarms = 8
)

// stack draws parts below each other in that height. What needs the person comes first,
// and loses its lines last.
func (d *drawing) stack(width, height int, list ...part) (lines []string) {
	want, got := map[part]int{}, map[part]int{}
	left := height
	for _, p := range list {
		want[p] = d.wanted(p, width)
		got[p] = min(want[p], d.least(p, width, height))
		left -= got[p]
	}
	for i := len(list) - 1; i >= 0 && left < 0; i-- {
		if p := list[i]; p != d.focus && p != needs {
			taken := min(-left, got[p])
			got[p], left = got[p]-taken, left+taken
		}
	}
	grow := func(p part, most int) {
		n := max(0, min(left, min(want[p], most)-got[p]))
		got[p], left = got[p]+n, left-n
	}
	// Each part gets a little before one gets much.
	for _, most := range []int{3, height / 4, height/3 + 1, height} {
		for _, p := range list {
			grow(p, most)
		}
	}
	for _, p := range list {
		lines = append(lines, d.filled(d.partLines(p, width, got[p]), got[p], width)...)
	}
	return d.filled(lines, height, width)
}

// wanted is how many lines a part would fill.
func (d *drawing) wanted(p part, width int) int {
	n := d.content.size(p)
	switch p {
	case needs:
		if n == 0 {
			return 1
		}
		text, command := d.needLines(d.chosen[needs].place, width)
		return min(mostNeeds, n+len(text)+len(command))
	case columns:
		if width < someColumns {
			return n + 1
		}
		most := 0
		for i := range d.content.columns {
			most = max(most, len(d.content.columns[i].Rows))
		}
		if most == 0 {
			return 1
		}
		return most + 2
	case alarms:
		if n == 0 {
			return 0
		}
		return min(n+1, mostAlarms)
	case moves:
		if n == 0 {
			return 0
		}
	}
	return n + 1
}

// least is how many lines a part has before another has more.
func (d *drawing) least(p part, width, height int) int {
	n := 0
	switch p {
	case needs:
		if d.content.size(needs) > 0 {
			text, command := d.needLines(d.chosen[needs].place, width)
			return min(1+len(text)+len(command), max(4, height*2/3))
		}
		return 1
	case agents:
		n = 2
		if height >= tall {
			n = 3
		}
	case columns:
		n = 1
		if height >= tall {
			n = 3
		}
	case alarms:
		n = 1
	}
	if p == d.focus {
		n = max(n, min(leastFocus, height/2))
	}
	return n
}

// partLines draw a part in at most that many lines.
func (d *drawing) partLines(p part, width, height int) []string {
	if height < 1 {
		return nil
	}
	switch p {
	case needs:
		return d.needsPart(width, height)
	case agents:
		return d.agentsPart(width, height)
	case columns:
		return d.columnsPart(width, height)
	case alarms:
		if height == 1 && d.focus != alarms {
			list := d.content.alarms
			return []string{d.styles.line(width, span{"! " + view.Count(len(list), "alarm") + ": " + plain(list[0].Text), normal})}
		}
		return d.listPart(alarms, "Alarms "+strconv.Itoa(len(d.content.alarms)), "", width, height)
	}
	if height == 1 && d.focus != moves {
		return []string{d.plainRow(moves, 0, width)}
	}
	return d.listPart(moves, "Log", "", width, height)
}

// visible returns the rows of a part that fit a height, so that the chosen one is among
// them if the part has the focus, else the first ones.
func (d *drawing) visible(p part, height int) (from, to int) {
	n, place := d.content.size(p), 0
	if p == d.focus {
		place = d.chosen[p].place
	}
	from = max(0, min(place-height/2, n-height))
	if place < height {
		from = 0
	}
	return from, min(n, from+height)
}

// listPart draws a part with a row on each line.
func (d *drawing) listPart(p part, name, more string, width, height int) []string {
	from, to := d.visible(p, height-1)
	if hidden := d.content.size(p) - (to - from); hidden > 0 && more == "" {
		more = strconv.Itoa(hidden) + " more"
	}
	lines := []string{d.heading(name, more, width, d.focus == p)}
	for i := from; i < to; i++ {
		lines = append(lines, d.plainRow(p, i, width))
	}
	return lines
}

// mark is before a row: whether it is chosen.
func (d *drawing) mark(p part, i int) (span, style) {
	if p == d.focus && i == d.chosen[p].place {
		return span{"▸ ", strong}, strong
	}
	return span{"  ", normal}, normal
}

// plainRow draws a row on one line, with its age.
func (d *drawing) plainRow(p part, i, width int) string {
	r := d.content.row(p, i)
	mark, s := d.mark(p, i)
	if r.calls && p != needs {
		r.text = "! " + r.text
		s = needed
	}
	spans := []span{mark}
	if p != moves {
		spans = append(spans, span{fitLeft(r.age, needIndent-3) + " ", faint})
	}
	return d.styles.line(width, append(spans, span{cut(r.text, width-cells(mark.text)), s})...)
}

// fitLeft fills a short text at its left side.
func fitLeft(text string, width int) string {
	return strings.Repeat(" ", max(0, width-cells(text))) + text
}
