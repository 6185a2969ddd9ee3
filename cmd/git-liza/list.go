package main

import (
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

type listCommand struct {
	Words  []string       `arg:"" optional:"" name:"filter" tool:"Words that must all hold, such as status:blocked agent:coder-2 age:>1h path:auth/." help:"Only tasks for which all these words hold, such as status:blocked agent:coder-2 age:>1h path:auth/ login."`
	Status []board.Status `placeholder:"STATUS" help:"Only tasks in this state; repeatable."`
	Ready  bool           `help:"Only tasks that could be claimed now."`
	Mine   bool           `help:"Only open tasks that you hold, review or worked on last."`
	Goal   board.GoalID   `placeholder:"ID" help:"Only tasks of this goal."`
	All    bool           `help:"Archived tasks too."`
	Full   bool           `xor:"keys" tool:"All that the board says of each." help:"With --json every key of each task, such as done_when, verdict and claimable. Without it those that are there at once, also on a board of thousands."`
	Fields []string       `xor:"keys" placeholder:"KEY,..." tool:"Only these keys of each." help:"With --json only these keys of each task, of all that it has."`
	Format string         `tool:"-" placeholder:"FMT" help:"A line per task with its %(fields) filled in, as in git for-each-ref: '%(id) %(status)'; the fields are the keys of --json."`
}

// Help lists the words of the filter language.
func (c *listCommand) Run(inv *invocation) error {
	format, err := view.ParseFormat(c.Format)
	if err == nil {
		err = view.CheckKeys(c.Fields...)
	}
	if err != nil {
		return usagef("git liza help list", "%v", err)
	}
	filter, err := view.ParseFilter(c.Words)
	if err != nil {
		return usagef("git liza help list", "%v", err)
	}
	l, err := inv.look()
	if err != nil {
		return err
	}
	filter.Status, filter.Goal, filter.Ready, filter.Archived = c.Status, c.Goal, c.Ready, c.All
	if c.Mine {
		if filter.Mine, _, err = inv.actor(l.clone.Repo); err != nil {
			return err
		}
	}
	l.findAsker(inv)
	live := l.reading.Board.Summaries()
	list := l.reading.Select(live, filter)
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	switch {
	case inv.json:
		return c.objects(inv, l, list)
	case c.Format != "":
		return c.lines(inv, l, list, format)
	}
	if len(list) == 0 {
		inv.progress("no task to show")
	}
	return inv.answer("", nil, l.reading.TaskTable(list, live, inv.width()).Text(inv.width()))
}

// objects answers with the keys of every task that were asked for, and otherwise with those
// that are there without reading its document.
func (c *listCommand) objects(inv *invocation, l look, list []*board.Summary) error {
	keys := c.Fields
	switch {
	case c.Full:
		keys = view.TaskKeys()
	case len(keys) == 0:
		keys = view.SummaryKeys()
	}
	if rows, ok := view.NewTaskRows(list, keys); ok {
		return inv.answer("", rows, "")
	}
	tasks := append([]view.Object{}, lists.Of(l.reading.Tasks(list, keys), func(task view.Object) view.Object { return task.Only(keys) })...)
	return l.answer(inv, map[string]any{"tasks": tasks}, "")
}

// lines answers with the format filled in for every task.
func (c *listCommand) lines(inv *invocation, l look, list []*board.Summary, format view.Format) error {
	var text strings.Builder
	for _, task := range l.reading.Tasks(list, format.Keys()) {
		text.WriteString(format.Fill(task) + "\n")
	}
	return l.answer(inv, nil, text.String())
}
