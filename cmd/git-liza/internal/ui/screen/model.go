package screen

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
)

// A model is the state of a screen. The library calls it from one goroutine.
type model struct {
	*Screen
	ctx    context.Context
	styles *styles
	tails  *tailWatcher
	exec   func(tea.ExecCommand, tea.ExecCallback) tea.Cmd // of the library, which lends the terminal
	err    error                                           // with which it ends

	width, height int
	at            time.Time
	frame         *frame    // the newest; nil at first
	wrong         time.Time // since when its error is there
	content       *content  // of the frame
	words         string    // the filter
	filter        view.Filter
	printed       tails

	focus   part
	chosen  [parts]choice
	help    bool
	output  board.AgentID                   // whose output has the whole screen, "" if nobody's
	ask     *question                       // what the person is asked, nil if nothing
	foot    string                          // what came of the last key, "" for nothing
	looked  map[board.TaskID]board.ObjectID // the submissions whose diff was shown
	pressed int                             // how many keys were pressed

	shown *tea.View // as it was drawn last; nil: it has to be drawn
}

// A choice is the row of a part that was chosen.
type choice struct {
	place int
	key   string
	lost  time.Time // when the row went that was chosen, and another took its place
}

func newModel(ctx context.Context, s *Screen) *model {
	m := &model{Screen: s, ctx: ctx, styles: newStyles(), tails: &tailWatcher{wake: make(chan struct{}, 1)}, exec: tea.Exec, at: s.Now(), width: 80, height: 24, looked: map[board.TaskID]board.ObjectID{}}
	if filter, err := view.ParseFilter([]string{s.Words}); err == nil {
		m.words, m.filter = s.Words, filter
	}
	return m
}

// Init begins to look at the clock.
func (m *model) Init() tea.Cmd { return m.passMinute() }

// minute says that ages may be others.
type minute struct{}

// passMinute waits for the next minute: ages have minutes.
func (m *model) passMinute() tea.Cmd {
	return tea.Every(time.Minute, func(time.Time) tea.Msg { return minute{} })
}

// Update takes what happened.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	was := m.shown
	m.shown = nil
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case *frame:
		m.take(msg)
	case tails:
		m.printed = msg
	case minute:
		m.refill()
		return m, m.passMinute()
	case ended:
		m.err = msg.err
		return m, tea.Quit
	case tea.PasteMsg:
		if m.ask != nil {
			m.ask.paste(msg.Content)
		}
	case tea.KeyPressMsg:
		return m, m.press(msg)
	case found:
		if msg.pressed != m.pressed { // the next key would answer what nobody has read
			if m.ask == nil {
				m.say("not done: another key was pressed")
			}
			return m, nil
		}
		m.foot = ""
		return m, msg.then(m, msg.commit)
	case answered:
		m.foot = string(msg)
	default:
		m.shown = was
	}
	return m, nil
}

// take takes a newer frame. Without a board the last one stays.
func (m *model) take(f *frame) {
	if f.blank && m.frame != nil {
		kept := *m.frame
		kept.err = f.err
		f = &kept
	}
	if m.frame == nil || m.frame.err == nil {
		m.wrong = m.Now()
	}
	m.frame = f
	m.refill()
}

// refill selects anew what is shown. The chosen rows stay chosen while they are there.
func (m *model) refill() {
	m.at = m.Now()
	if m.frame == nil {
		return
	}
	m.content = filtered(m.frame, m.filter, m.at)
	for p := range parts {
		if c := &m.chosen[p]; c.place == 0 && (p != m.focus || p == moves) {
			c.set(m.content, p, 0) // nobody has moved there: it shows what is new
		} else {
			c.follow(m.content, p, m.at)
		}
	}
}

// follow finds the row again that was chosen.
func (c *choice) follow(list *content, p part, at time.Time) {
	n, lost := list.size(p), c.lost
	if c.key != "" && n > 0 {
		if c.place < n && list.key(p, c.place) == c.key {
			return
		}
		for i := range n {
			if list.key(p, i) == c.key {
				c.place = i
				return
			}
		}
	}
	if c.key != "" {
		lost = at
	}
	c.set(list, p, c.place)
	c.lost = lost
}

// set chooses a row, at most the last.
func (c *choice) set(list *content, p part, place int) {
	n := list.size(p)
	if n == 0 {
		*c = choice{}
		return
	}
	place = max(0, min(place, n-1))
	*c = choice{place: place, key: list.key(p, place)}
}

// row returns the row that is chosen in the part with the focus; false if there is none.
func (m *model) row() (row, bool) {
	if m.content == nil || m.content.size(m.focus) == 0 {
		return row{}, false
	}
	return m.content.row(m.focus, m.chosen[m.focus].place), true
}

// move chooses another row.
func (m *model) move(by int) {
	if m.content != nil {
		m.chosen[m.focus].set(m.content, m.focus, m.chosen[m.focus].place+by)
	}
}

// moveColumn chooses a row of the next column that has one.
func (m *model) moveColumn(by int) {
	if m.content == nil || m.content.size(columns) == 0 {
		return
	}
	m.focus = columns
	place, begin := m.chosen[columns].place, 0
	list := m.content.columns
	var begins []int
	at := 0
	for i := range list {
		if n := len(list[i].Rows); n > 0 {
			if place >= begin && place < begin+n {
				at = len(begins)
			}
			begins, begin = append(begins, begin), begin+n
		}
	}
	m.chosen[columns].set(m.content, columns, begins[max(0, min(at+by, len(begins)-1))])
}

// moveFocus goes to the next part that has rows.
func (m *model) moveFocus(by int) {
	if m.content == nil {
		return
	}
	order := []part{needs, agents, columns, alarms, moves}
	at := slices.Index(order, m.focus)
	for range order {
		at = (at + by + len(order)) % len(order)
		if m.content.size(order[at]) > 0 {
			m.focus = order[at]
			return
		}
	}
}

// agent returns an agent of the board, nil if it is gone.
func (m *model) agent(id board.AgentID) *view.Agent {
	if m.frame == nil {
		return nil
	}
	i := slices.IndexFunc(m.frame.agents, func(a view.Agent) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	return &m.frame.agents[i]
}

// View draws the screen, if it may look otherwise than before.
func (m *model) View() tea.View {
	if m.shown == nil {
		v := m.draw()
		m.shown = &v
	}
	return *m.shown
}
