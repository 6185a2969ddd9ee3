package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/hooks"
)

// How much of a long board a glance shows people.
const (
	glanceAgents = 5
	glanceNext   = 4
	glanceNames  = 10 // ids in a group
	glanceWord   = 24 // characters beside each of several
	glanceIDs    = 50 // the same, and steps, in JSON
)

type statusCommand struct{}

// A glance is what status tells.
type glance struct {
	Goal        any            `json:"goal"`
	Sprint      any            `json:"sprint"` // null between two
	Planned     int            `json:"sprint_planned"`
	Done        int            `json:"sprint_final"` // of the planned ones
	Control     any            `json:"control"`
	Integration any            `json:"integration"`
	Identity    identity       `json:"identity"`
	Remote      authority      `json:"remote"`
	Hooks       string         `json:"hooks"` // "" where all are in place
	Breaker     any            `json:"breaker"`
	Usage       any            `json:"usage"`        // of the current goal
	Uncounted   int            `json:"uncounted"`    // of its sessions, those that told nothing of what they used
	Left        any            `json:"budget_left"`  // for planning; null where nothing bounds it
	Spent       string         `json:"budget_spent"` // whose budget is spent, "" if none
	Counts      map[string]int `json:"counts"`       // by state, without the archive
	Agents      []agentView    `json:"agents"`
	Waiting     []waitGroup    `json:"waiting"`
	Unheard     []flow.Role    `json:"unheard"` // that tasks wait for, and no supervisor speaks for
	Next        []step         `json:"next"`
	Breach      *breach        `json:"breach"` // why no move is built on the board's last ones; null where they replay

	archived bool // no task is live, some are archived
}

func (c *statusCommand) Run(s *session) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	settings, breaker := l.board.Settings(), l.board.Breaker()
	tasks := l.board.Tasks()
	g := glance{Control: viewOf(settings.Control), Integration: viewOf(settings.Integration), Breaker: viewOf(breaker),
		Counts: map[string]int{}}
	if g.Agents, err = l.roster(s, tasks); err != nil {
		return err
	}
	goal, sprint := l.board.Goal(settings.Goal), l.board.Sprint(settings.Sprint)
	g.Goal, g.Sprint = viewOf(goal), viewOf(sprint)
	g.Usage, g.Left = viewOf(part(goal).Usage), l.view(s).left("")
	if used := part(goal).Usage; used.Sessions > 0 {
		if g.Uncounted, err = l.uncounted(s.ctx, flow.ActGoal, goal.Created, goal.Ended); err != nil {
			return err
		}
	}
	if refusal := l.board.Budget(""); refusal != nil {
		g.Spent = refusal.Reason
	}
	for _, status := range flow.Statuses() {
		g.Counts[status.String()] = 0
	}
	for _, t := range tasks {
		g.Counts[t.Status.String()]++
		if sprint != nil && t.Sprint == sprint.ID && !t.Stretch {
			g.Planned++
			if t.Status.Final() {
				g.Done++
			}
		}
	}
	g.archived = len(tasks) == 0 && len(l.board.IDs(flow.Archive)) > 0
	if g.Breach, err = l.breach(s); err != nil {
		return err
	}
	if l.self, err = l.identity(s); err != nil {
		return err
	}
	g.Identity = l.self
	if g.Remote, err = l.authority(s); err != nil {
		return err
	}
	installed, err := hooks.Examine(s.ctx, l.Repo)
	if found := hooksFinding(installed, err, l.Repo.MainWorkTree() == ""); found.State != "ok" || !installed.Guards() {
		g.Hooks = found.Text
	}
	if err := l.findStalls(s.ctx, tasks, g.Agents); err != nil {
		return err
	}
	g.Waiting = l.waiting(tasks, g.Agents)
	g.Unheard = unheard(g.Waiting, g.Agents)
	g.Next = l.next(g.Waiting, tasks)
	if g.Breach != nil {
		g.Next = []step{{s.suit(work.RepairBoard), "the board's last moves do not replay, and no other is made on them"}}
	}
	if n := len(g.Next); n > 0 && g.Next[n-1].Command == goalDone {
		if take := s.takes(l.Repo, l.board); take != "" {
			g.Next = slices.Insert(g.Next, n-1, step{take, "what was merged is on " + settings.Integration.Name})
		}
	}
	if ahead := l.Ahead(s.ctx, l.board); ahead != nil && s.agent() == "" {
		g.Next = append(g.Next, step{ahead.Hint, ahead.Text})
	}
	if err := l.board.Err(); err != nil {
		return err
	}
	return s.answer("", g, g.text(settings, goal, sprint, l.at, s.width()))
}

// text is the glance for people, on one screen.
func (g *glance) text(settings flow.Settings, goal *flow.Goal, sprint *flow.Sprint, at time.Time, width int) string {
	var head table
	if g.Breach != nil {
		head.add("broken", firstLine(g.Breach.Reason)+", and no move is made: "+g.Next[0].Command)
	}
	if goal != nil {
		head.add("goal", fmt.Sprintf("%s  %s  %s (%s)", goal.ID, goal.Status, goal.Title, goal.Spec))
	}
	head.add("sprint", g.sprintLine(sprint, at))
	c := settings.Control
	line := c.State.String()
	if c.State != flow.Running {
		line += fmt.Sprintf(" for %s, by %s: %s", span(at.Sub(c.At)), c.By, c.Reason)
	}
	if c.Decision != "" {
		line += fmt.Sprintf(" (decided %s: %s)", c.Decision, c.Message)
	}
	head.add("board", line)
	head.add("integration", settings.Integration.Name+" at "+settings.Integration.Tip.Short())
	if line := g.usageLine(goal); line != "" {
		head.add("usage", line)
	}
	if g.Remote.Remote != "" {
		head.add("remote", g.Remote.line(at))
	}
	head.add("identity", g.Identity.line())
	if g.Hooks != "" {
		head.add("hooks", g.Hooks)
	}
	head.add("tasks", g.countsLine())
	if len(g.Unheard) > 0 && c.State == flow.Running { // where it does not run, resuming it comes first
		head.add("supervisors", "none is heard of for "+strings.Join(roleNames(g.Unheard), ", ")+": git liza rush")
	}
	return head.text(width) + section("agents", g.agentRows(at), width) + section("waiting", waitRows(g.Waiting), width) +
		section("next", stepRows(g.Next), width)
}

func (g *glance) sprintLine(sprint *flow.Sprint, at time.Time) string {
	if sprint == nil {
		return "none open"
	}
	line := fmt.Sprintf("%s  %s, %d of %d planned final", sprint.ID, sprint.Status, g.Done, g.Planned)
	if d := sprint.Deadline; !d.IsZero() && d.After(at) {
		line += ", " + span(d.Sub(at)) + " to its deadline"
	} else if !d.IsZero() {
		line += ", past its deadline by " + span(at.Sub(d))
	}
	return line
}

// usageLine is what the goal has used and may still use, "" where neither is
// anything.
func (g *glance) usageLine(goal *flow.Goal) string {
	used := part(goal).Usage
	if used == (flow.Usage{}) && g.Left == nil {
		return ""
	}
	line := spent{used, g.Uncounted}.words()
	left, _ := g.Left.(object)
	switch {
	case g.Spent != "":
		line += "; " + g.Spent
	case left != nil:
		var parts []string
		if n := left.find("tokens"); n != int64(0) {
			parts = append(parts, fmt.Sprintf("%d tokens", n))
		}
		if c := left.find("cost"); c != "0" {
			parts = append(parts, fmt.Sprintf("%s dollars", c))
		}
		line += "; left " + strings.Join(parts, ", ")
	}
	return line
}

func (g *glance) countsLine() string {
	var parts []string
	for _, status := range flow.Statuses() {
		if n := g.Counts[status.String()]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	switch {
	case g.archived:
		return "all archived: git liza list --all"
	case len(parts) == 0:
		return "none yet"
	}
	return strings.Join(parts, ", ")
}

// agentRows puts those that do something first.
func (g *glance) agentRows(at time.Time) [][]string {
	list := slices.Clone(g.Agents)
	slices.SortStableFunc(list, func(x, y agentView) int {
		idle := func(v agentView) int { return strings.Count(v.State+v.Degraded, agentIdle) }
		return idle(x) - idle(y)
	})
	var rows [][]string
	for _, a := range list[:min(len(list), glanceAgents)] {
		rows = append(rows, a.row(at))
	}
	if n := len(list) - glanceAgents; n > 0 {
		rows = append(rows, []string{fmt.Sprintf("and %d more: git liza agents", n)})
	}
	return rows
}

// section is a heading with rows below it, nothing without rows.
func section(heading string, rows [][]string, width int) string {
	if len(rows) == 0 {
		return ""
	}
	t := table{indent: "  ", rows: rows}
	return "\n" + heading + "\n" + t.text(width)
}
