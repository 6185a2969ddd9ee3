package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// The bounds of what status shows of a long board.
const (
	glanceInbox  = 3
	glanceAgents = 5
	glanceNext   = 4
	glanceNames  = 10 // ids in a group
	glanceWord   = 24 // characters beside each of several
	mostShown    = 50 // ids in a group, and steps, in JSON
)

// A Status is the board at a glance: what needs the caller, the work under way,
// what tasks wait for, and the next steps.
type Status struct {
	Inbox       *Inbox         `json:"inbox"` // its first items
	Since       *News          `json:"since"` // null if nobody asked since when
	Goal        any            `json:"goal"`
	Goals       []Goal         `json:"goals"`  // in progress
	Sprint      any            `json:"sprint"` // null between two
	Planned     int            `json:"sprint_planned"`
	Done        int            `json:"sprint_final"` // the final tasks among the planned ones
	Control     any            `json:"control"`
	Integration any            `json:"integration"`
	Identity    Identity       `json:"identity"`
	Remote      Remote         `json:"remote"`
	Hooks       string         `json:"hooks"`              // what is wrong with them, "" if all are in place
	Confined    string         `json:"confined,omitempty"` // how far sessions are, and why less than is asked for; "" if nothing is
	Breaker     any            `json:"breaker"`            // with the patterns that anomalies form, by [Picture.Status]
	Usage       any            `json:"usage"`              // of the current goal
	Uncounted   int            `json:"uncounted"`          // sessions of the current goal that did not report their usage
	Left        any            `json:"budget_left"`        // what is left for planning; null without a budget
	Spent       string         `json:"budget_spent"`       // the owner of a spent budget, "" if none is spent
	Counts      map[string]int `json:"counts"`             // of the goal's tasks by state, without the archive
	Archived    int            `json:"archived"`           // final tasks of the goal
	Records     map[string]int `json:"records"`            // open anomalies, discoveries and notes
	Agents      []Agent        `json:"agents"`
	Waiting     []WaitGroup    `json:"waiting"`
	Unheard     []board.Role   `json:"unheard"` // roles that tasks wait for and that no supervisor is active for
	Next        []Step         `json:"next"`
	Outages     []any          `json:"outages"` // gates that cannot run
	Breach      *Breach        `json:"breach"`  // why the board's last moves do not replay; null if they do

	settings board.Settings
	goal     *board.Goal
	sprint   *board.Sprint
	phase    Phase
	breaker  Breaker
	reading  Reading
	at       time.Time
	progress string // how much of the goal's work is merged
	waits    []wait
	inbox    *Inbox
	titles   map[board.TaskID]string // of the tasks that agents have
	left     board.Budget            // as Left
	outages  []board.Outage
}

// Status returns the board at a glance.
func (p *Picture) Status() *Status {
	of := p.seen()
	g := of.situation(p)
	g.Next = of.steps(g.inbox, g.Waiting)
	g.Records = openRecords(p.reading)
	g.breaker = BreakerOf(p.reading.Board)
	g.Breaker = g.breaker.Value()
	g.reading = p.reading
	return g
}

// Overview returns [Picture.Status] without its next steps: to find them, the rules look
// at every task that could be taken.
func (p *Picture) Overview() *Status {
	return p.seen().situation(p)
}

// seen returns the picture of the tasks that status speaks of: all, or those of one goal.
func (p *Picture) seen() *Picture {
	if !p.reading.Only {
		return p
	}
	rows := lists.Where(p.rows.all, func(r *row) bool { return r.Goal == p.reading.goal() })
	return pictureOf(p.reading, lists.Of(rows, func(r *row) *board.Summary { return r.Summary }))
}

// situation returns the board at a glance, with the goals in progress of the whole picture,
// without next steps.
func (p *Picture) situation(whole *Picture) *Status {
	r := p.reading
	goals := goalRows(r.Board, r.Board.GoalsInProgress(), whole.rows.of, r.goal())
	settings, known := r.Board.Settings(), &r.Local
	goal, sprint := r.Board.Goal(r.goal()), r.Board.Sprint(r.Board.OpenSprint(r.goal()))
	g := &Status{Goal: ValueOf(goal), Goals: goals, Sprint: ValueOf(sprint), Control: ValueOf(settings.Control), Integration: ValueOf(settings.Integration),
		Identity: known.Identity, Remote: known.Remote, Hooks: known.Hooks, Confined: known.Confined, Breaker: ValueOf(r.Board.Breaker()),
		Usage: ValueOf(partOf(goal).Usage), Uncounted: known.Uncounted, Left: ValueOf(r.budgetLeft(r.goal(), "")), Breach: known.Breach,
		settings: settings, goal: goal, sprint: sprint, at: r.At}
	g.left, _ = flow.RemainingBudget(r.Board, r.goal(), "")
	if refusal := flow.CheckBudget(r.Board, r.goal(), ""); refusal != nil {
		g.Spent = refusal.Reason
	}
	g.phase = PhaseOf(r.Board, r.goal())
	g.Outages = []any{}
	for _, o := range board.OutagesOf(r.Board) {
		g.Outages = append(g.Outages, ValueOf(o))
		g.outages = append(g.outages, o)
	}
	of := p.rows.of[r.goal()]
	g.Counts = map[string]int{}
	for _, status := range board.Statuses() {
		g.Counts[status.String()] = of.count(func(s board.Status) bool { return s == status })
	}
	if sprint != nil {
		g.Planned, g.Done = board.PlannedTasks(r.Board, sprint)
	}
	g.Archived, g.progress = partOf(goal).Added-of.sum(), of.progress(goal)
	g.Agents = p.Agents()
	g.titles = map[board.TaskID]string{}
	for _, a := range g.Agents {
		if t := p.rows.byID[a.Task]; t != nil {
			g.titles[a.Task] = t.Title
		}
	}
	g.Waiting = p.waiting(g.Agents)
	g.waits = waitsOf(r.Board)
	g.Unheard = unheardRoles(g.waits, g.Waiting, g.Agents)
	g.inbox = p.Inbox()
	g.Inbox = g.inbox.First(mostShown)
	return g
}

// Text formats the status for people on one screen of that width. With width
// 0 nothing is cut. accent marks what needs the caller.
func (g *Status) Text(width int, accent func(string) string) string {
	settings, goal, at := g.settings, g.goal, g.at
	var head Table
	if g.Breach != nil {
		head.Add("broken", FirstLine(g.Breach.Reason)+", and no move is made")
	}
	if goal != nil {
		head.Add("goal", fmt.Sprintf("%s  %s  %s (%s)", goal.ID, goal.Status, goal.Title, goal.Spec))
	}
	if g.phase.Phase != "" {
		head.Add("phase", g.phase.glance())
	}
	for _, other := range g.Goals {
		if goal != nil && other.ID == goal.ID {
			other.Phase = ""
			if held := strings.TrimPrefix(other.held(), ", "); held != "" {
				head.Add("claims", held)
			}
		} else if goal != nil {
			head.Add("and", fmt.Sprintf("%s  priority %d  %s  %s%s: git liza status --goal %s", other.ID, other.Priority, other.Title, other.counts(), other.held(), other.ID))
		}
	}
	head.Add("sprint", g.sprintLine(g.sprint, at))
	for _, o := range g.outages {
		head.Add("outage", fmt.Sprintf("gate %s cannot run on %s: %s", o.Gate, o.Host, outageOver(o)))
	}
	c := settings.Control
	line := c.State.String()
	if !c.State.IsRunning() {
		line += fmt.Sprintf(" for %s, by %s: %s", Span(at.Sub(c.At)), c.By, c.Reason)
	}
	if c.Decision != "" {
		line += fmt.Sprintf(" (decided %s: %s)", c.Decision, c.Message)
	}
	head.Add("board", line)
	head.Add("integration", settings.Integration.Name+" at "+settings.Integration.Tip.Short())
	if line := g.usageLine(goal); line != "" {
		head.Add("usage", line)
	}
	if g.Remote.Name != "" {
		head.Add("remote", g.Remote.line(at))
	}
	head.Add("identity", g.Identity.line())
	for _, row := range [][2]string{{"hooks", g.Hooks}, {"confined", g.Confined}, {"tasks", g.countsLine()},
		{"progress", g.progress}, {"records", g.recordsLine()}, {"breaker", g.breaker.nearLine()}} {
		if row[1] != "" {
			head.Add(row[0], row[1])
		}
	}
	if len(g.Unheard) > 0 && c.State.IsRunning() { // while the board does not run, the first step is to resume it
		head.Add("supervisors", "none active for "+JoinIDs(g.Unheard)+": "+board.RushCommand(g.reading.Board, g.Unheard...))
	}
	news := ""
	if g.Since != nil {
		news = g.Since.text(at, width)
	}
	return g.inboxText(width, accent) + news + section("agents", g.agentRows(at), width) + "\n" + headText(head, width) +
		section("waiting", waitRows(g.waits, g.Waiting), width) + stepsText(g.furtherSteps(), width) + g.breaker.text(g.reading, width)
}

// headText formats the rows of status. A command in them is not cut, so rows that
// are too wide are broken over a few lines.
func headText(head Table, width int) string {
	for _, row := range head.Rows {
		if last := len(row) - 1; width > 0 {
			row[last] = Cut(plaintext.Line(row[last]), 2*width)
		}
	}
	head.Wrap(width)
	return head.Text(width)
}

// inboxText formats the first items of the inbox.
func (g *Status) inboxText(width int, accent func(string) string) string {
	text := g.inbox.First(glanceInbox).rows(width, accent)
	if more := len(g.inbox.Items) - glanceInbox; more > 0 {
		text += fmt.Sprintf("      and %d more: git liza inbox\n", more)
	}
	return "inbox  " + g.inbox.summary() + "\n" + text
}

// furtherSteps returns the steps that are not in the inbox.
func (g *Status) furtherSteps() []Step {
	return slices.DeleteFunc(slices.Clone(g.Next), func(s Step) bool {
		return slices.ContainsFunc(g.inbox.Items, func(i Item) bool { return i.Command == s.Command })
	})
}

// openRecords counts the open records of the board, or of the one goal that is looked at,
// by kind. Questions are in the inbox.
func openRecords(r Reading) map[string]int {
	of := RecordFilter{}
	if r.Only {
		of.Goal = r.goal()
	}
	counts := map[string]int{"anomaly": 0, "discovery": 0, "note": 0}
	for _, one := range of.Records(r) {
		if _, is := counts[one.Kind]; is {
			counts[one.Kind]++
		}
	}
	return counts
}

// recordsLine says how many records are open, "" if none is.
func (g *Status) recordsLine() string {
	var words []string
	for _, kind := range [][2]string{{"anomaly", "anomalies"}, {"discovery", "discoveries"}, {"note", "notes"}} {
		if n := g.Records[kind[0]]; n > 0 {
			words = append(words, fmt.Sprint(n, " ", kind[min(n, 2)-1]))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, ", ") + " open: git liza record list"
}

func (g *Status) sprintLine(sprint *board.Sprint, at time.Time) string {
	if sprint == nil {
		return "none open"
	}
	line := fmt.Sprintf("%s  %s, %d of %d planned final", sprint.ID, sprint.Status, g.Done, g.Planned)
	if d := sprint.Deadline; !d.IsZero() && d.After(at) {
		line += ", " + Span(d.Sub(at)) + " to its deadline"
	} else if !d.IsZero() {
		line += ", past its deadline by " + Span(at.Sub(d))
	}
	return line
}

// Used says what the sessions of the goal have used, "" if nothing.
func (g *Status) Used() string {
	used := partOf(g.goal).Usage
	if used == (board.Usage{}) {
		return ""
	}
	return Spent{used, g.Uncounted}.Words()
}

// usageLine describes what the goal has used and may still use, "" if it has
// used nothing and has no budget.
func (g *Status) usageLine(goal *board.Goal) string {
	if g.Used() == "" && g.Left == nil {
		return ""
	}
	line := Spent{partOf(goal).Usage, g.Uncounted}.Words()
	switch {
	case g.Spent != "":
		line += "; " + g.Spent
	case g.Left != nil:
		line += "; left " + Amount(g.left)
	}
	return line
}

func (g *Status) countsLine() string {
	var parts []string
	for _, status := range board.Statuses() {
		if n := g.Counts[status.String()]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	switch {
	case len(parts) == 0 && g.Archived > 0:
		return "all archived: git liza list --all"
	case len(parts) == 0:
		return "none yet"
	}
	return strings.Join(parts, ", ")
}

// agentRows lists the first agents.
func (g *Status) agentRows(at time.Time) [][]string {
	list := BusyFirst(g.Agents)
	var rows [][]string
	for _, a := range list[:min(len(list), glanceAgents)] {
		row := a.row(at)
		if title := FirstLine(g.titles[a.Task]); title != "" {
			row[len(row)-1] = strings.TrimPrefix(row[len(row)-1]+", "+title, ", ")
		}
		rows = append(rows, row)
	}
	if n := len(list) - glanceAgents; n > 0 {
		rows = append(rows, []string{fmt.Sprintf("and %d more: git liza agents", n)})
	}
	return rows
}
