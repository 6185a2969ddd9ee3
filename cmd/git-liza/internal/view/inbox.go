package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// An Inbox is what needs somebody: what the rules let this caller settle, and
// what this machine needs. What stops the whole board comes first, then the
// oldest.
type Inbox struct {
	Items   []Item `json:"items"`
	Others  int    `json:"others"`  // that only others settle
	Snoozed int    `json:"snoozed"` // that this clone does not show for a time

	rest     []Item         // those of others, and the snoozed ones
	triggers []flow.Trigger // why a planner is needed
	at       time.Time
	of       int // items before some were selected
}

// An Item is one thing that needs somebody, with the command that settles it.
type Item struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"` // a task, a goal, an agent or another name; with the kind it names the item
	Since   any    `json:"since"`   // null if nobody knows
	Text    string `json:"text"`
	Command string `json:"command"`
	For     string `json:"for,omitempty"` // "others" and "snoozed", of items that only a list of all has

	since  time.Time
	moment string    // of a new occurrence, where since is the same
	rule   flow.Rule // that asks for it, "" if none does
	stops  bool      // until then no work is begun
	act    board.Act // that settles it; zero: the person of this machine does, without a move
	task   board.TaskID
}

// Key returns the name of this occurrence of the item: when the same happens
// again, the key is another.
func (i Item) Key() string {
	moment := i.moment
	if moment == "" && !i.since.IsZero() {
		moment = i.since.UTC().Format(time.RFC3339)
	}
	return i.Kind + " " + i.Subject + " " + moment
}

// Age formats how long the item is there in at most four characters, "" if nobody knows.
func (i Item) Age(at time.Time) string {
	if i.since.IsZero() {
		return ""
	}
	return ShortSpan(at.Sub(i.since))
}

// Task returns the task that the item is about, "" if it is about none.
func (i Item) Task() board.TaskID { return i.task }

// A collector collects the items of an inbox.
type collector struct {
	Reading
	picture  *Picture
	goals    []board.GoalID // in progress
	list     []Item
	may      map[board.Act]bool
	triggers []flow.Trigger
}

// Inbox returns what needs [Reading.Person].
func (p *Picture) Inbox() *Inbox {
	if p.inbox == nil {
		p.inbox = inboxOf(p)
	}
	return p.inbox
}

func inboxOf(p *Picture) *Inbox {
	c := &collector{Reading: p.reading, picture: p, goals: servedGoals(p.reading), may: map[board.Act]bool{}}
	if broken := c.Local.Breach; broken != nil {
		c.add(Item{Kind: "broken", Subject: "board", Text: FirstLine(broken.Reason) + "; no move is made", Command: c.Local.Repair, rule: broken.Rule, stops: true})
	} else {
		c.addControl()
		c.addHolds()
		c.addOutages()
		c.addLevels()
		c.addBlocked()
		c.addAsked()
		c.addAsking()
		c.addPhases()
		c.addPlans()
		c.addClasses()
		c.addDeferred()
		c.addReverted()
		c.addPlanted()
		c.addBudgets()
		c.addReviews()
		c.addIdle()
		c.addDoubts()
		c.addDrafts()
		c.addOutdated()
		c.addLocal()
		c.addGoals()
		c.addTexts()
	}
	return c.inbox()
}

func (c *collector) add(i Item) { c.list = append(c.list, i) }

// inbox returns the items that were collected.
func (c *collector) inbox() *Inbox {
	slices.SortStableFunc(c.list, func(x, y Item) int {
		late := func(i Item) int {
			switch {
			case i.stops:
				return 0
			case i.since.IsZero(), i.Kind == "draft":
				return 2
			}
			return 1
		}
		return cmp.Or(late(x)-late(y), x.since.Compare(y.since))
	})
	in := &Inbox{Items: []Item{}, triggers: c.triggers, at: c.At}
	for _, i := range c.list {
		i.Since = TimeValue(i.since)
		switch {
		case !c.settles(i):
			i.For = "others"
		case c.Local.Snoozed[i.Key()].After(c.At):
			i.For = "snoozed"
		}
		in.put(i)
	}
	return in
}

// put adds an item to those for the caller, or to the rest.
func (in *Inbox) put(i Item) {
	switch i.For {
	case "":
		in.Items = append(in.Items, i)
		return
	case "others":
		in.Others++
	case "snoozed":
		in.Snoozed++
	}
	in.rest = append(in.rest, i)
}

// settles reports whether the rules let the person settle an item. Of most acts
// it depends on the actor alone.
func (c *collector) settles(i Item) bool {
	by := c.Person.By
	switch i.act {
	case 0:
		return by.IsHuman()
	case board.ActReview:
		return flow.Opens(c.Board, i.act, i.task, c.Person, c.At) == nil
	case board.ActAnswer:
		if !by.IsHuman() && c.Board.CapacityOf(by) != board.Plans {
			return false
		}
	}
	may, known := c.may[i.act]
	if !known {
		may = flow.Opens(c.Board, i.act, i.task, c.Person, c.At) == nil
		c.may[i.act] = may
	}
	return may
}

// All returns the items with those of others and the snoozed ones.
func (in *Inbox) All() *Inbox {
	all := *in
	all.Items = slices.Concat(in.Items, in.rest)
	return &all
}

// Named returns the items that a person means by a name: a subject, or a kind
// and a subject. Snoozed ones are among them.
func (in *Inbox) Named(name string) []Item {
	return slices.DeleteFunc(in.All().Items, func(i Item) bool {
		return i.For == "others" || i.Subject != name && i.Kind+":"+i.Subject != name
	})
}

// First returns at most so many items; Others and Snoozed stay.
func (in *Inbox) First(n int) *Inbox {
	first := *in
	first.Items = in.Items[:min(len(in.Items), n)]
	return &first
}

// Keys returns the keys of all items that the board and the machine have now.
func (in *Inbox) Keys() []string {
	return lists.Of(in.All().Items, Item.Key)
}

// addControl adds what keeps all work from beginning.
func (c *collector) addControl() {
	control, breaker := c.Board.Settings().Control, c.Board.Breaker()
	stop := Item{Subject: "board", Command: control.Onward(c.Board), since: control.At, stops: true}
	switch {
	case breaker.Tripped:
		stop.Kind, stop.rule, stop.act, stop.since = "breaker", flow.RuleBreaker, board.ActReset, breaker.At
		stop.Text, stop.Command = "the circuit breaker is tripped: "+breaker.Pattern, "git liza board breaker reset --resolution R"
	case control.NeedsDecision():
		stop.Kind, stop.rule, stop.act = "checkpoint", flow.RuleDecision, board.ActDecide
		stop.Text = "the checkpoint waits for a decision: " + control.Reason
	case control.AwaitsGoal(c.Board):
		stop.Kind, stop.rule, stop.act = "pivot", flow.RuleDecision, board.ActGoal
		stop.Text = "the decision is PIVOT, and a new goal leads on: " + control.Message
	case !control.State.IsRunning():
		stop.Kind, stop.rule, stop.act = "control", flow.RuleControl, board.ActResume
		stop.Text = fmt.Sprintf("the board is %s, so nothing new is claimed: %s", control.State, control.Reason)
	default:
		return
	}
	c.add(stop)
}

// addBudgets adds the spent budgets of goals, and of tasks on which somebody has
// worked.
func (c *collector) addBudgets() {
	said := map[string]bool{}
	add := func(subject string, spent *flow.Refusal, at time.Time, stops bool) {
		if spent == nil || said[spent.Reason] {
			return
		}
		said[spent.Reason] = true
		i := Item{Kind: "budget", Subject: subject, Text: spent.Reason, Command: spent.Hint, rule: spent.Rule, since: at, moment: spent.Hint,
			stops: stops, act: board.ActConfig}
		if strings.HasPrefix(spent.Hint, "git liza task edit ") {
			i.act, i.task = board.ActEdit, board.TaskID(subject)
		}
		c.add(i)
	}
	for _, id := range c.goals {
		add(string(id), flow.CheckBudget(c.Board, id, ""), time.Time{}, true)
	}
	// Usage stands in the documents, and reading all of them is slow.
	perTask := c.Board.Settings().Config.Budgets.Task != board.Budget{}
	for _, t := range c.picture.rows.begun {
		if t.Lease.Before(c.At) && (t.Budgeted || perTask) {
			add(string(t.ID), flow.CheckBudget(c.Board, "", t.ID), t.Changed, false)
		}
	}
}

// blockedActs are the acts that answer a trigger.
var blockedActs = map[string]board.Act{"blocked": board.ActUnblock, "integration_failed": board.ActUnblock, "exhausted": board.ActSupersede, "immediate_discovery": board.ActConvert}

// addBlocked adds questions, blocked and exhausted tasks, and urgent discoveries.
func (c *collector) addBlocked() {
	// Triggers reads the whole board, and mostly there can be none.
	unplanned := slices.ContainsFunc(c.goals, func(id board.GoalID) bool { return c.picture.rows.of[id].sum() == 0 }) // no tasks outside the archive
	if c.picture.rows.whole.count(board.Status.IsBlocked) == 0 && !unplanned && len(c.Board.IDs(board.Discovered)) == 0 {
		return
	}
	c.triggers = flow.Triggers(c.Board, c.Reading.goals()...)
	for _, t := range c.triggers {
		act := blockedActs[t.Reason]
		if act == 0 {
			continue
		}
		i := Item{Kind: strings.TrimPrefix(t.Reason, "immediate_"), Subject: string(cmp.Or(t.Record, board.RecordID(t.Task))),
			Text: fmt.Sprintf("%s is %s: %s", t.Task, strings.ReplaceAll(t.Reason, "_", " "), FirstLine(t.Text)), Command: answerTo(c.Reading, t).Command, since: t.Since, act: act, task: t.Task}
		switch t.Reason {
		case "blocked":
			c.ask(&i, t.Task)
		case "exhausted":
			i.Text, i.rule = fmt.Sprintf("%s failed too often to be tried again: %s", t.Task, FirstLine(t.Text)), flow.RuleExhausted
		case "integration_failed":
			i.Text = fmt.Sprintf("%s could not be merged: %s", t.Task, FirstLine(t.Text))
		case "immediate_discovery":
			i.Text, i.task = "urgent discovery: "+FirstLine(t.Text), ""
		}
		c.add(i)
	}
}

// addPlanted adds what of the clone came or changed while a session ran, until a person
// dismisses what the board says of it.
func (c *collector) addPlanted() {
	kinds := map[string]string{board.NoHooks: "hook", board.NoSettings: "setting", board.NoChanges: "clone"}
	for _, one := range (RecordFilter{Kind: "anomaly"}).Records(c.Reading) {
		if a, is := one.document.(*board.Anomaly); is && kinds[a.Details["assumption"]] != "" {
			kind := kinds[a.Details["assumption"]]
			c.add(Item{Kind: kind, Subject: string(one.ID), Text: "the " + kind + " " + plaintext.Line(a.Details["reality"]) + " while a session ran", Command: one.Command, since: one.At})
		}
	}
}

// ask makes the item of a blocked task that of its first open question, if it has
// one.
func (c *collector) ask(i *Item, id board.TaskID) {
	open := OpenQuestions(c.Board, id)
	if len(open) == 0 {
		if len(c.Board.IDs(board.Questions)) == 0 {
			return // the task need not be read
		}
		if t := c.Board.Task(id); t != nil && t.Block != nil && len(t.Block.Asked) > 0 {
			i.Text = fmt.Sprintf("%s has its answers and can go on: %s", id, FirstLine(t.Block.Reason))
		}
		return
	}
	c.askFirst(i, open)
	if t := c.Board.Task(id); t != nil && t.Retry != nil && t.Block != nil && t.Block.Limit == board.LimitRetries {
		lines := strings.SplitN(t.Retry.Error, "\n", 3)
		i.Text += "; the last one: " + lines[min(1, len(lines)-1)]
	}
}

// askFirst makes an item that of the first of the open questions of a task.
func (c *collector) askFirst(i *Item, open []*board.Question) {
	q := open[0]
	i.Kind, i.Text, i.Command = "question", fmt.Sprintf("%s asks: %s%s", q.Task, whyAsked(c.Board, q, c.At), FirstLine(q.Text)), board.Answering(c.Person.By, q)
	if more := len(open) - 1; more > 0 {
		i.Text += fmt.Sprintf(" (and %d more)", more)
	}
	i.since, i.moment, i.act, i.task = q.Asked, string(q.ID), board.ActAnswer, ""
}

// OpenQuestions returns the questions that a task waits for, and those that were asked
// during its work, in their order.
func OpenQuestions(b *board.Board, id board.TaskID) []*board.Question {
	if t := b.Task(id); t != nil && len(b.IDs(board.Questions)) > 0 {
		return board.OpenQuestionsOf(b, t)
	}
	return nil
}

// addDrafts adds one item for all drafts of goals in progress, which wake no planner. It comes
// last, since a person may keep some for later.
func (c *collector) addDrafts() {
	drafts := slices.Collect(c.picture.rows.with(board.Status.IsDraft))
	drafts = slices.DeleteFunc(drafts, func(t *row) bool { return !slices.Contains(c.goals, t.Goal) })
	if len(drafts) == 0 {
		return
	}
	first := drafts[0]
	text := fmt.Sprintf("%s is a draft, which nobody claims: %s", first.ID, first.Title)
	if n := len(drafts); n > 1 {
		text = fmt.Sprintf("%d drafts, which nobody claims, the first %s: %s", n, first.ID, first.Title)
	}
	c.add(Item{Kind: "draft", Subject: string(first.ID), Text: text, Command: board.Completion(c.Board, first.ID), since: first.Changed, act: board.ActEdit, task: first.ID})
}

// addOutdated adds approved work whose verdicts do not count any more.
func (c *collector) addOutdated() {
	for t := range c.picture.rows.with(func(s board.Status) bool { return flow.Allows(s, board.ActMerge) }) {
		if texts := c.outdated(t.Summary); len(texts) > 0 {
			c.add(Item{Kind: "recheck", Subject: string(t.ID), Text: fmt.Sprintf("%s was approved before %s changed", t.ID, strings.Join(texts, ", ")),
				Command: "git liza approve --again " + string(t.ID), since: t.Changed, rule: flow.RuleSpecChanged, act: board.ActRecheck, task: t.ID})
		} else if r := flow.Barred(c.Board, t.ID); r != nil {
			c.add(Item{Kind: "barred", Subject: string(t.ID), Text: fmt.Sprintf("%s is approved and not merged: %s", t.ID, r.Reason), Command: r.Hint, since: t.Changed, rule: r.Rule, task: t.ID})
		}
	}
}

// outdated returns the texts of which the board has others than those for which verdicts
// on an approved task were given.
func (r *Reading) outdated(s *board.Summary) []string {
	if !flow.Allows(s.Status, board.ActMerge) {
		return nil
	}
	if t := r.Board.Task(s.ID); t != nil {
		return lists.Of(t.Outdated(r.Board), board.TextRef.String)
	}
	return nil
}

// addGoals adds the goals that are reached, unless a phase is still to come or lacks
// something, and those that have ended with open tasks.
func (c *collector) addGoals() {
	for _, id := range c.picture.reached() {
		p := PhaseOf(c.Board, id)
		if p.onward() != "" || slices.ContainsFunc(p.Missing, func(m Missing) bool { return m.Rule != flow.RuleRole }) {
			continue
		}
		i := Item{Kind: "reached", Subject: string(id), Text: "every task of " + string(id) + " is final", Command: "git liza goal done", since: c.picture.rows.lastChange(id), act: board.ActComplete}
		if id != c.goal() {
			i.Command += " " + string(id)
		}
		if c.Board.Goal(id).Merged == 0 {
			i.Text += ", and none was merged: add tasks, or git liza goal abort " + string(id) + " --reason R"
			i.Command, i.act = answerTo(c.Reading, flow.Trigger{Goal: id}).Command, board.ActAdd
		}
		if c.Board.Settings().Config.Goal.Auto {
			continue // a supervisor says so
		}
		// Once, until it gets more tasks: what else becomes of those that it has is no news.
		i.moment = strconv.Itoa(c.Board.Goal(id).Added)
		c.add(i)
	}
	for _, id := range c.goals {
		if gone := flow.SpecGone(c.Board, id); gone != nil {
			c.add(Item{Kind: "spec", Subject: string(id), Text: gone.Reason, Command: gone.Hint, rule: gone.Rule, act: board.ActAmend, stops: true})
		}
	}
	for _, g := range board.All[*board.Goal](c.Board, board.Goals) {
		if g.Status.IsInProgress() || c.picture.rows.of[g.ID].open() == 0 {
			continue
		}
		if n := c.picture.rows.unheld(g.ID, c.At); n > 0 {
			c.add(Item{Kind: "ended", Subject: string(g.ID), Text: fmt.Sprintf("%s is %s, and nobody takes its %s", g.ID, g.Status, Count(n, "open task")),
				Command: "git liza goal reopen " + string(g.ID) + " --reason R", since: g.Ended, rule: flow.RuleOpen, act: board.ActReopen})
		}
	}
}
