package screen

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
)

// A key is a key that does something, with what is said of it.
type key struct {
	names []string // as the library calls them; the first is shown
	word  string
	what  string // on a wide page of keys
	foot  bool   // it is shown at the foot
	does  func(*model) tea.Cmd
}

// keys are the keys while nothing is asked, in the order of the page of keys.
func keys() []key {
	return []key{
		{[]string{"enter"}, "open", "open the task, or the output", false, (*model).open},
		{[]string{"a"}, "answer", "run the command that is shown", true, (*model).settle},
		{[]string{"d"}, "diff", "what the submission changes", true, (*model).showDiff},
		{[]string{"y"}, "approve", "approve the submission", true, (*model).approve},
		{[]string{"x"}, "reject", "reject it, in your editor", true, (*model).reject},
		{[]string{"n"}, "note", "a note: for task, agent or all", true, (*model).note},
		{[]string{"p"}, "pause", "pause the board", true, (*model).pause},
		{[]string{"r"}, "resume", "resume the board", true, (*model).resume},
		{[]string{"c"}, "checkpoint", "a checkpoint, or show it", false, (*model).checkpoint},
		{[]string{"l"}, "release", "release what an agent holds", false, (*model).release},
		{[]string{"s"}, "stop", "stop an agent", false, func(m *model) tea.Cmd { return m.steer("stop") }},
		{[]string{"S"}, "restart", "restart an agent", false, func(m *model) tea.Cmd { return m.steer("restart") }},
		{[]string{"o"}, "output", "what an agent prints", true, (*model).openOutput},
		{[]string{"z"}, "snooze", "snooze an item for a day", false, (*model).snooze},
		{[]string{"/", "f"}, "filter", "filter, such as agent:coder-2", true, (*model).askFilter},
		{[]string{"tab"}, "next part", "next part (shift+tab: before)", false, func(m *model) tea.Cmd { m.moveFocus(1); return nil }},
		{[]string{"↑", "up", "k"}, "row before", "row before (page up, home)", false, func(m *model) tea.Cmd { m.move(-1); return nil }},
		{[]string{"↓", "down", "j"}, "next row", "next row (page down, end)", false, func(m *model) tea.Cmd { m.move(1); return nil }},
		{[]string{"←", "left"}, "column before", "column of tasks before", false, func(m *model) tea.Cmd { m.moveColumn(-1); return nil }},
		{[]string{"→", "right"}, "next column", "next column of tasks", false, func(m *model) tea.Cmd { m.moveColumn(1); return nil }},
		{[]string{"?"}, "keys", "this page", true, func(m *model) tea.Cmd { m.help = true; return nil }},
		{[]string{"q", "ctrl+c"}, "quit", "quit; agents go on", true, func(*model) tea.Cmd { return tea.Quit }},
	}
}

// unnamedKeys do what others do from further away; the page of keys does not list them.
func unnamedKeys() []key {
	const page, all = 10, 1 << 30
	return []key{
		{[]string{"shift+tab"}, "", "", false, func(m *model) tea.Cmd { m.moveFocus(-1); return nil }},
		{[]string{"pgup"}, "", "", false, func(m *model) tea.Cmd { m.move(-page); return nil }},
		{[]string{"pgdown"}, "", "", false, func(m *model) tea.Cmd { m.move(page); return nil }},
		{[]string{"home", "g"}, "", "", false, func(m *model) tea.Cmd { m.move(-all); return nil }},
		{[]string{"end", "G"}, "", "", false, func(m *model) tea.Cmd { m.move(all); return nil }},
		{[]string{"esc"}, "", "", false, (*model).leave},
		{[]string{"ctrl+z"}, "", "", false, func(*model) tea.Cmd { return tea.Suspend }},
		{[]string{"ctrl+l"}, "", "", false, func(*model) tea.Cmd { return tea.ClearScreen }},
	}
}

// aboutRows are the keys that do something to the chosen row.
var aboutRows = []string{"enter", "a", "d", "y", "x", "n", "l", "s", "S", "o", "z"}

// tooSoon is for how long after its row has gone a key may be meant for that row.
const tooSoon = time.Second

// press does what a key does now.
func (m *model) press(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	m.pressed++
	if m.ask != nil {
		return m.pressAsked(k)
	}
	if m.foot = ""; m.help || m.output != "" {
		if slices.Contains([]string{"esc", "?", "q", "enter", "o"}, name) {
			return m.leave()
		}
	}
	for _, known := range slices.Concat(keys(), unnamedKeys()) {
		if slices.Contains(known.names, name) {
			if c := &m.chosen[m.focus]; slices.Contains(aboutRows, name) && m.Now().Sub(c.lost) < tooSoon {
				c.lost = time.Time{}
				m.say("not done: the chosen row has gone, this is the next one")
				return nil
			}
			return known.does(m)
		}
	}
	m.say("no key " + plain(name) + "; ? shows the keys")
	return nil
}

// leave goes back to the board; there it ends the filter.
func (m *model) leave() tea.Cmd {
	switch {
	case m.help, m.output != "":
		m.help, m.output = false, ""
	case m.words != "":
		m.setFilter("")
	}
	return nil
}

// say tells the person something until the next key.
func (m *model) say(text string) { m.foot = plain(text) }

// setFilter filters by words, or says why they are none.
func (m *model) setFilter(words string) {
	filter, err := view.ParseFilter([]string{words})
	if err != nil {
		m.say(err.Error())
		return
	}
	m.words, m.filter = strings.Join(strings.Fields(words), " "), filter
	m.refill()
	for p := range parts {
		m.chosen[p].lost = time.Time{}
	}
}

func (m *model) askFilter() tea.Cmd {
	m.ask = &question{label: "filter: ", text: []rune(m.words), then: func(m *model, words string) tea.Cmd {
		m.setFilter(words)
		return nil
	}}
	return nil
}
