package web

import (
	"html/template"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/drawing"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A flowPage is how many tasks stood in which state when, and how the sprints went.
type flowPage struct {
	States    []view.Tally    `json:"states"`
	Burndowns []view.Burndown `json:"burndowns"`

	Goals   []choice      `json:"-"`
	Spans   []choice      `json:"-"`
	Names   []string      `json:"-"` // the states that occur
	Rows    []view.Tally  `json:"-"` // some of the times, for the table
	Drawing template.HTML `json:"-"`
	Sprints []sprintChart `json:"-"`
	Older   int           `json:"-"` // sprints that are left out
}

// A sprintChart is the burndown of a sprint.
type sprintChart struct {
	view.Burndown
	Drawing template.HTML
}

// The bounds of a page of states over time.
const (
	flowPoints = 61
	flowRows   = 5 // one row of the table for so many points
	flowCharts = 5
)

func showFlow(v *visit) (any, error) {
	page := flowPage{}
	goal := board.GoalID(v.query.Get("goal"))
	err := readTimeline(v, func(r view.Reading, t *view.Timeline) {
		w, span := spanOf(v.query.Get("span"), t, r.At)
		page.States = t.Tallies(goal, w.From, w.To, flowPoints)
		page.Burndowns = t.Burndowns(goal, w.To)
		page.Goals = goalChoices(v, r.Board, goal)
		for _, name := range append(spanNames(), "all") {
			page.Spans = append(page.Spans, choice{name, addressWith(v, "span", name), name == span})
		}
	})
	if err != nil {
		return nil, err
	}
	for _, status := range board.Statuses() {
		name := status.String()
		if slices.ContainsFunc(page.States, func(one view.Tally) bool { return one.States[name] > 0 }) {
			page.Names = append(page.Names, name)
		}
	}
	for i := len(page.States) - 1; i >= 0; i -= flowRows {
		page.Rows = append(page.Rows, page.States[i])
	}
	page.Drawing = template.HTML(drawing.States(page.States))
	for _, b := range page.Burndowns[:min(len(page.Burndowns), flowCharts)] {
		page.Sprints = append(page.Sprints, sprintChart{b, template.HTML(drawing.Burndown(b))})
	}
	page.Older = len(page.Burndowns) - len(page.Sprints)
	return page, nil
}

// A graphPage is what waits for what.
type graphPage struct {
	view.Graph

	Goals   []choice         `json:"-"`
	Open    []view.GraphNode `json:"-"` // the first of the open tasks
	More    int              `json:"-"` // open tasks that are left out
	Took    time.Duration    `json:"-"` // how long the longest chain probably takes, 0 if nobody knows
	Drawing template.HTML    `json:"-"`
}

// mostRows is how many rows the table below a drawing has.
const mostRows = 200

func showGraph(v *visit) (any, error) {
	r, err := v.look()
	if err != nil {
		return nil, err
	}
	goal := board.GoalID(v.query.Get("goal"))
	if goal != "" && goal.UnmarshalText([]byte(v.query.Get("goal"))) != nil || goal != "" && r.Board.Goal(goal) == nil {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza goal list", Reason: "there is no goal " + board.Excerpt(v.query.Get("goal"), 80)}
	}
	page := graphPage{Graph: view.GraphOf(r.Board, goal), Goals: goalChoices(v, r.Board, goal)}
	open := page.Graph.Open()
	page.Open = open[:min(len(open), mostRows)]
	page.More = len(open) - len(page.Open)
	page.Took = time.Duration(page.Seconds) * time.Second
	page.Drawing = template.HTML(drawing.Graph(page.Graph, drawing.Place{Link: func(id board.TaskID) string { return v.Link("/task/", id) }}))
	return page, r.Board.Err()
}

// goalChoices are the links to a page for each goal, and for all.
func goalChoices(v *visit, b *board.Board, goal board.GoalID) []choice {
	list := []choice{{"all goals", addressWith(v, "goal", ""), goal == ""}}
	ids := b.IDs(board.Goals)
	if len(ids) < 2 {
		return nil
	}
	for _, id := range ids {
		list = append(list, choice{id, addressWith(v, "goal", id), id == string(goal)})
	}
	return list
}
