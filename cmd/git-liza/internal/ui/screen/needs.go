package screen

import (
	"slices"
	"strconv"
	"strings"
)

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
