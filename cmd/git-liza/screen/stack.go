package screen

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
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
			return []string{d.alarmLine(width)}
		}
		return d.listPart(alarms, "Alarms "+strconv.Itoa(len(d.content.alarms)), "", width, height)
	}
	if height == 1 && d.focus != moves {
		return []string{d.plainRow(moves, 0, width)}
	}
	return d.listPart(moves, "Log", "", width, height)
}

// visible returns the rows of a part that fit a height, so that the chosen one is among
// them.
func (d *drawing) visible(p part, height int) (from, to int) {
	n, place := d.content.size(p), d.chosen[p].place
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

// needsPart draws the inbox: a line for each item, and of the chosen one the whole
// sentence and the command.
func (d *drawing) needsPart(width, height int) []string {
	in := d.content.inbox
	var more []string
	if in.Others > 0 {
		more = append(more, "for others "+strconv.Itoa(in.Others))
	}
	if in.Snoozed > 0 {
		more = append(more, "snoozed "+strconv.Itoa(in.Snoozed))
	}
	if len(in.Items) == 0 {
		return []string{d.heading("Nothing needs you", strings.Join(more, ", "), width, d.focus == needs)}
	}
	rule := "─"
	if d.focus == needs {
		rule = "━"
	}
	lines := []string{d.styledHeading(span{"Needs you " + strconv.Itoa(len(in.Items)), needed}, strings.Join(more, ", "), width, rule)}
	chosen := d.chosen[needs].place
	text, command := d.needLines(chosen, width)
	if over := len(text) + len(command) - height + 1; over > 0 { // the command is not cut
		text = text[:max(1, len(text)-over)]
	}
	whole := slices.Concat(text, command)
	rest := max(0, height-1-len(whole)) // lines for other items
	from := max(0, min(chosen-rest/2, len(in.Items)-1-rest))
	for i := from; i < len(in.Items) && len(lines) < height; i++ {
		if i == chosen {
			lines = append(lines, whole...)
			continue
		}
		lines = append(lines, d.plainRow(needs, i, width))
	}
	return lines
}

// needIndent is before the sentence of an item.
const needIndent = 6

// needLines draw the sentence of an item and its command, which is never cut.
func (d *drawing) needLines(i, width int) (text, command []string) {
	r := d.content.row(needs, i)
	mark, s := d.mark(needs, i)
	before := []span{mark, {fitLeft(r.age, needIndent-3) + " ", faint}}
	indent := span{strings.Repeat(" ", needIndent), normal}
	for _, line := range wrap(r.text, width-needIndent, mostText) {
		text = append(text, d.styles.line(width, append(before, span{line, s})...))
		before = []span{indent}
	}
	for _, line := range wrap(r.command, width-needIndent, mostNeeds) {
		command = append(command, d.styles.line(width, indent, span{line, needed}))
	}
	return text, command
}

// alarmLine draws all alarms on one line.
func (d *drawing) alarmLine(width int) string {
	list := d.content.alarms
	s := normal
	if list[0].Call {
		s = needed
	}
	return d.styles.line(width, span{"! " + view.Count(len(list), "alarm") + ": ", s}, span{plain(list[0].Text), normal})
}

// agentsPart draws who does what.
func (d *drawing) agentsPart(width, height int) []string {
	list := d.content.agents
	if len(list) == 0 {
		return []string{d.heading("Agents", "none is registered: git liza rush", width, d.focus == agents)}
	}
	from, to := d.visible(agents, height-1)
	more := ""
	if hidden := len(list) - (to - from); hidden > 0 {
		more = strconv.Itoa(hidden) + " more"
	}
	lines := []string{d.heading("Agents "+strconv.Itoa(len(list)), more, width, d.focus == agents)}
	ids, texts := 0, 0
	for i := from; i < to; i++ {
		r := d.content.row(agents, i)
		ids, texts = max(ids, cells(string(r.agent))), max(texts, cells(r.text))
	}
	ids = min(ids, width/3)
	texts = max(0, min(texts, width-ids-11))
	for i := from; i < to; i++ {
		lines = append(lines, d.agentLine(i, width, ids, texts))
	}
	return lines
}

// agentLine draws an agent: id, what it does, for how long, what that cost, and what it
// printed last.
func (d *drawing) agentLine(i, width, ids, texts int) string {
	a := &d.content.agents[i]
	r := d.content.row(agents, i)
	mark, s := d.mark(agents, i)
	if r.calls {
		s = needed
	}
	spans := []span{mark, {fit(plain(string(a.ID)), ids) + "  ", s}, {fit(r.text, texts), s}, {fitLeft(r.age, 5) + "  ", faint}}
	room := width
	for _, p := range spans {
		room -= cells(p.text)
	}
	if spent := spentBy(a); cells(spent) <= room && spent != "" {
		spent = fit(spent, min(room, 14)) + "  "
		spans = append(spans, span{spent, normal})
		room -= cells(spent)
	}
	if room >= 16 {
		d.agents[a.ID] = true
		if printed := d.printed[a.ID]; len(printed) > 0 {
			spans = append(spans, span{cut("> "+plain(printed[len(printed)-1]), room), faint})
		}
	}
	return d.styles.line(width, spans...)
}

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
	return d.styles.line(width, mark, span{fit(d.columnOf(i), 9), faint}, span{plain(string(t.ID)) + "  ", s}, span{plain(string(t.Who)) + "  ", faint}, span{plain(t.Title), s})
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
		who := plain(string(r.Who))
		if who == "" {
			who = plain(r.Title)
		}
		spans := []span{mark, {text + " ", s}, {cut(who, max(0, width-cells(text)-3)), faint}}
		lines = append(lines, d.styles.line(width, spans...))
	}
	return d.filled(lines, height, width)
}
