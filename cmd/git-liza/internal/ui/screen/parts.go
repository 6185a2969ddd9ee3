package screen

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A part is a list on the screen, in the order in which the lists are read.
type part uint8

const (
	needs part = iota
	agents
	columns
	alarms
	moves
	parts // how many there are
)

// A row is an entry of a part.
type row struct {
	age     string
	text    string // plain
	command string // that settles it, "" if none does
	calls   bool   // it needs the person
	task    board.TaskID
	agent   board.AgentID
	snooze  string // as git liza inbox --snooze takes it
}

// A content is what of a frame passes the filter. Rows are made when they are shown.
type content struct {
	*frame
	inbox   *view.Inbox
	agents  []view.Agent
	columns []view.Column
	alarms  []view.Alarm
	log     []view.Entry
	at      time.Time

	tasks map[board.TaskID]*board.Summary // nil without a filter
}

// filtered returns the content of a frame for which the words of a filter hold.
func filtered(f *frame, words view.Filter, at time.Time) *content {
	c := &content{frame: f, inbox: f.inbox, agents: f.agents, columns: f.flow, alarms: view.Unlisted(f.alarms), log: f.log, at: at}
	if !words.IsEmpty() {
		c.tasks = view.TasksIn(f.flow)
		c.inbox = f.inbox.Select(words, c.find)
		c.agents, c.alarms = words.Agents(f.agents, at, c.find), words.Alarms(c.alarms, at, c.find)
		c.columns, c.log = words.Columns(f.flow, at), words.Entries(f.log, at, c.find)
	}
	c.agents = view.BusyFirst(c.agents)
	return c
}

// find returns a task outside of the archive, nil if there is none.
func (c *content) find(id board.TaskID) *board.Summary {
	if c.tasks != nil {
		return c.tasks[id]
	}
	for i := range c.flow {
		for _, r := range c.flow[i].Rows {
			if r.ID == id {
				return r.Summary()
			}
		}
	}
	return nil
}

// taskNamed returns the task of a name, "" if it is none.
func (c *content) taskNamed(name string) board.TaskID {
	if c.find(board.TaskID(name)) == nil {
		return ""
	}
	return board.TaskID(name)
}

// agentNamed returns the agent of a name, "" if it is none.
func (c *content) agentNamed(name string) board.AgentID {
	if !slices.ContainsFunc(c.agents, func(a view.Agent) bool { return string(a.ID) == name }) {
		return ""
	}
	return board.AgentID(name)
}

// flowRow returns a task of the columns by its place in all of them.
func (c *content) flowRow(i int) *view.FlowRow {
	for n := range c.columns {
		rows := c.columns[n].Rows
		if i < len(rows) {
			return rows[i]
		}
		i -= len(rows)
	}
	return nil
}

// size returns how many rows a part has.
func (c *content) size(p part) int {
	switch p {
	case needs:
		return len(c.inbox.Items)
	case agents:
		return len(c.agents)
	case columns:
		n := 0
		for i := range c.columns {
			n += len(c.columns[i].Rows)
		}
		return n
	case alarms:
		return len(c.alarms)
	}
	return len(c.log)
}

// key returns what stays the same of a row while what it shows is there.
func (c *content) key(p part, i int) string {
	switch p {
	case needs:
		return c.inbox.Items[i].Key()
	case agents:
		return string(c.agents[i].ID)
	case columns:
		return string(c.flowRow(i).ID)
	case alarms:
		return c.alarms[i].Key()
	}
	return string(c.log[i].State)
}

// row returns a row of a part.
func (c *content) row(p part, i int) row {
	switch p {
	case needs:
		item := c.inbox.Items[i]
		r := row{age: item.Age(c.at), text: plain(item.Text), command: plain(item.Command), calls: true, task: item.Task(), snooze: item.Kind + ":" + item.Subject}
		r.task = cmp.Or(r.task, c.taskNamed(item.Subject))
		if r.agent = c.agentNamed(item.Subject); r.agent == "" && r.task != "" {
			r.agent = c.holder(r.task)
		}
		return r
	case agents:
		a := &c.agents[i]
		return row{age: a.Age(c.at), text: plain(a.Line(c.at)), task: a.Task, agent: a.ID, calls: a.Dead != 0}
	case columns:
		r := c.flowRow(i)
		return row{age: view.ShortSpan(c.at.Sub(r.Since)), text: plain(string(r.ID) + "  " + r.Named()), command: flowCommand(r), task: r.ID, agent: c.holder(r.ID)}
	case alarms:
		a := &c.alarms[i]
		r := row{text: plain(a.Text), command: plain(a.Next), task: c.taskNamed(a.Subject), agent: c.agentNamed(a.Subject)}
		if !a.Since.IsZero() {
			r.age = view.ShortSpan(c.at.Sub(a.Since))
		}
		return r
	}
	e := &c.log[i]
	return row{text: plain(e.ShortLine()), task: e.Move.Task, agent: c.agentNamed(string(e.Move.By))}
}

// holder returns the agent that has a task now, "" if none has.
func (c *content) holder(id board.TaskID) board.AgentID {
	for i := range c.agents {
		if c.agents[i].Task == id {
			return c.agents[i].ID
		}
	}
	return ""
}

// flowCommand returns the command that a person types about a task, "" if there is none.
func flowCommand(r *view.FlowRow) string {
	switch {
	case r.Status.IsBlocked():
		return "git liza answer " + string(r.ID)
	case flow.Allows(r.Status, board.ActReview) && !flow.Allows(r.Status, board.ActMerge):
		return "git liza review " + string(r.ID)
	}
	return ""
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

// agentLine draws an agent: id, what it does, for how long, what that cost, how full its
// context is, and what it printed last.
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
	if spent := a.Spent(); cells(spent) <= room && spent != "" {
		spent = fit(spent, min(room, 14)) + "  "
		spans = append(spans, span{spent, normal})
		room -= cells(spent)
	}
	if full := a.Context(); cells(full) <= room && full != "" {
		full = fit(full, min(room, len("ctx 100% ")))
		spans = append(spans, span{full, normal})
		room -= cells(full)
	}
	if room >= 16 {
		d.agents[a.ID] = true
		if printed := d.printed[a.ID]; len(printed) > 0 {
			spans = append(spans, span{cut("> "+plain(printed[len(printed)-1]), room), faint})
		}
	}
	return d.styles.line(width, spans...)
}
