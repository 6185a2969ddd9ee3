package screen

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
)

// The sizes at which the screen is laid out in another way.
const (
	threeColumns = 160 // wide enough for what the chosen agent prints
	twoColumns   = 100
	someColumns  = 60 // wide enough for the states side by side
	tall         = 18 // high enough for a part in several lines each
)

// draw draws the whole screen.
func (m *model) draw() tea.View {
	d := &drawing{model: m, agents: map[board.AgentID]bool{}}
	foot := d.footLines()
	lines := d.headLines()
	room := max(0, m.height-len(lines)-len(foot))
	switch {
	case m.help:
		lines = append(lines, d.keyLines(room)...)
	case m.output != "":
		lines = append(lines, d.outputLines(m.output, m.width, room)...)
	case m.content == nil || m.frame.blank:
		lines = append(lines, d.blanks(room, m.width)...)
	case m.width >= threeColumns && room >= tall:
		left, middle := m.width/3-1, m.width/3-2
		right := m.width - left - middle - 6
		lines = append(lines, d.beside(d.stack(left, room, needs, alarms, moves), d.stack(middle, room, agents, columns), d.outputLines(d.agentInView(), right, room))...)
	default:
		lines = append(lines, d.stack(m.width, room, needs, agents, columns, alarms, moves)...)
	}
	lines = append(lines[:min(len(lines), max(0, m.height-len(foot)))], foot...)
	lines = lines[max(0, len(lines)-m.height):]
	d.wantTails()
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	if m.ask != nil {
		v.Cursor = tea.NewCursor(min(d.cursor, m.width-1), m.height-1)
	}
	return v
}

// A drawing is a screen while it is drawn.
type drawing struct {
	*model
	agents map[board.AgentID]bool // whose output is on it
	cursor int                    // the column in which the person types
}

// headLines draw what the board is about and what is wrong with it.
func (d *drawing) headLines() (lines []string) {
	if d.frame == nil {
		return []string{d.styles.line(d.width, span{"the board is being read …", faint})}
	}
	if !d.frame.blank {
		lines = append(lines, d.headLine(d.frame.head))
	}
	if err := d.frame.err; err != nil {
		reason, command := d.Explain(err)
		for _, line := range wrap("! since "+d.wrong.UTC().Format("15:04Z")+": "+plain(reason), d.width, 3) {
			lines = append(lines, d.styles.line(d.width, span{line, needed}))
		}
		if command != "" {
			lines = append(lines, d.styles.line(d.width, span{"  " + plain(command), needed}))
		}
	}
	if d.words != "" {
		lines = append(lines, d.styles.sides(d.width, []span{{"filter: " + plain(d.words), strong}}, []span{{"  esc ends it", faint}}))
	}
	return lines
}

// headLine names the goal and how far it is; at the right what needs the person.
func (d *drawing) headLine(h view.Head) string {
	state := normal
	if !h.Running {
		state = needed
	}
	left := []span{{string(h.Goal), strong}}
	add := func(text string, s style, least int) {
		if text != "" && d.width >= least {
			left = append(left, span{"  ", normal}, span{text, s})
		}
	}
	add(plain(cut(h.Title, max(0, d.width/4))), normal, 70)
	add(h.State, state, 0)
	if h.Sprint != "" {
		text := fmt.Sprintf("%d/%d", h.Final, h.Planned)
		if d.width >= someColumns {
			text = string(h.Sprint) + " " + text
		}
		add(text, normal, 0)
	}
	switch {
	case h.Deadline.IsZero():
	case h.Deadline.After(d.at):
		add(view.ShortSpan(h.Deadline.Sub(d.at))+" left", normal, 50)
	default:
		add("late "+view.ShortSpan(d.at.Sub(h.Deadline)), needed, 0)
	}
	add(h.Progress, normal, 70)
	if h.Cost != 0 {
		add(view.ShortCost(h.Cost), normal, 80)
	}
	if h.Others > 0 {
		add("and "+view.Count(h.Others, "goal"), faint, twoColumns)
	}
	add(plain(h.Remote), needed, twoColumns)
	return d.styles.line(d.width, left...)
}

// footLines draw the question that is asked, what came of the last key, or the keys.
func (d *drawing) footLines() (lines []string) {
	switch {
	case d.ask != nil && !d.ask.yesNo:
		return []string{d.askLine()}
	case d.ask != nil:
		for _, line := range wrap(d.ask.label, d.width, mostText) {
			d.cursor = cells(line) + 1
			lines = append(lines, d.styles.line(d.width, span{line, needed}))
		}
		return lines
	case d.foot != "":
		for _, line := range wrap(d.foot, d.width, 5) {
			lines = append(lines, d.styles.line(d.width, span{line, strong}))
		}
		return lines
	case d.help, d.output != "":
		return []string{d.styles.line(d.width, span{"esc", strong}, span{" goes back", faint})}
	}
	return []string{d.keysLine()}
}

// keysLine draws the keys that fit, the last two in any case.
func (d *drawing) keysLine() string {
	var list [][]span
	for _, k := range keys() {
		switch {
		case !k.foot:
		case d.width >= someColumns:
			list = append(list, []span{{k.names[0], strong}, {" " + k.word + "  ", faint}})
		default:
			list = append(list, []span{{k.names[0] + " ", strong}})
		}
	}
	last := slices.Concat(list[len(list)-2:]...)
	room := d.width
	for _, p := range last {
		room -= cells(p.text)
	}
	var spans []span
	for _, one := range list[:len(list)-2] {
		for _, p := range one {
			room -= cells(p.text)
		}
		if room < 0 {
			break
		}
		spans = append(spans, one...)
	}
	return d.styles.line(d.width, append(spans, last...)...)
}

// askLine draws a question with the end of what is typed.
func (d *drawing) askLine() string {
	label := cut(d.ask.label, max(0, d.width-10))
	room := max(1, d.width-cells(label)-1)
	text := d.ask.text
	used := cells(string(text))
	for used > room {
		used -= cellsOf(text[0])
		text = text[1:]
	}
	d.cursor = cells(label) + used
	return d.styles.line(d.width, span{label, strong}, span{string(text), normal})
}

// keyLines draw the page of keys: on few lines in two columns, on a narrow screen without
// explanations.
func (d *drawing) keyLines(height int) []string {
	lines := []string{d.heading("Keys", "", d.width, true)}
	list := keys()
	each, wide := len(list), d.width
	if len(list) >= height {
		each, wide = (len(list)+1)/2, d.width/2
	}
	for i := range each {
		line := ""
		for n := i; n < len(list); n += each {
			spans := []span{{" " + fit(list[n].names[0], 6), strong}, {list[n].word, normal}}
			if wide >= 50 {
				spans = append(spans, span{strings.Repeat(" ", max(1, 15-cells(list[n].word))) + list[n].what, faint})
			} else if wide >= 35 {
				spans = append(spans[:1], span{list[n].what, normal})
			}
			line += d.styles.line(wide, spans...)
		}
		lines = append(lines, line)
	}
	return d.filled(lines, height, d.width)
}

// heading draws the line above a part: with the focus a heavy one.
func (d *drawing) heading(name, more string, width int, focus bool) string {
	if focus {
		return d.styledHeading(span{name, strong}, more, width, "━")
	}
	return d.styledHeading(span{name, normal}, more, width, "─")
}

// styledHeading draws a heading whose line is made of a character.
func (d *drawing) styledHeading(name span, more string, width int, rule string) string {
	left := []span{{rule + rule + " ", faint}, name}
	if more != "" {
		left = append(left, span{"  " + more, faint})
	}
	used := 0
	for _, p := range left {
		used += cells(p.text)
	}
	return d.styles.line(width, append(left, span{" " + strings.Repeat(rule, max(0, width-used-1)), faint})...)
}

// filled cuts or fills lines to a height.
func (d *drawing) filled(lines []string, height, width int) []string {
	if len(lines) > height {
		return lines[:max(0, height)]
	}
	return append(lines, d.blanks(height-len(lines), width)...)
}

func (d *drawing) blanks(n, width int) []string {
	return slices.Repeat([]string{strings.Repeat(" ", width)}, max(0, n))
}

// beside puts three blocks of as many lines each side by side.
func (d *drawing) beside(left, middle, right []string) []string {
	bar := d.styles.line(3, span{" │ ", faint})
	lines := make([]string, len(left))
	for i := range left {
		lines[i] = left[i] + bar + middle[i] + bar + right[i]
	}
	return lines
}

// agentInView is the agent whose output is shown beside the rest: that of the chosen row,
// else the first at work; "" if there is none.
func (d *drawing) agentInView() board.AgentID {
	if r, ok := d.row(); ok && r.agent != "" {
		return r.agent
	}
	if len(d.content.agents) > 0 {
		return d.content.agents[0].ID
	}
	return ""
}

// outputLines draw the end of what an agent printed.
func (d *drawing) outputLines(id board.AgentID, width, height int) []string {
	if id == "" {
		return d.filled([]string{d.heading("Output", "no agent is registered", width, false)}, height, width)
	}
	d.agents[id] = true
	more := ""
	if a := d.agent(id); a != nil {
		more = plain(a.Line(d.at))
	}
	lines := []string{d.heading(plain(string(id)), more, width, d.output != "")}
	printed := d.printed[id]
	printed = printed[max(0, len(printed)-height+1):]
	if len(printed) == 0 {
		lines = append(lines, d.styles.line(width, span{"it printed nothing here", faint}))
	}
	for _, line := range printed {
		lines = append(lines, d.styles.line(width, span{plain(line), normal}))
	}
	return d.filled(lines, height, width)
}

// wantTails says which agents' output is on the screen.
func (d *drawing) wantTails() {
	var list []view.Agent
	for id := range d.agents {
		if a := d.agent(id); a != nil {
			list = append(list, *a)
		}
	}
	d.tails.want(list)
}
