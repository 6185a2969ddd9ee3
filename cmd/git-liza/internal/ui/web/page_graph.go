package web

import (
	"html/template"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/drawing"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
)

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
	goal := flow.GoalID(v.query.Get("goal"))
	if goal != "" && goal.UnmarshalText([]byte(v.query.Get("goal"))) != nil || goal != "" && r.Board.Goal(goal) == nil {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza goal list", Reason: "there is no goal " + flow.Excerpt(v.query.Get("goal"), 80)}
	}
	page := graphPage{Graph: view.GraphOf(r.Board, goal), Goals: goalChoices(v, r.Board, goal)}
	open := page.Graph.Open()
	page.Open = open[:min(len(open), mostRows)]
	page.More = len(open) - len(page.Open)
	page.Took = time.Duration(page.Seconds) * time.Second
	page.Drawing = template.HTML(drawing.Graph(page.Graph, drawing.Place{Link: func(id flow.TaskID) string { return v.Link("/task/", id) }}))
	return page, r.Board.Err()
}

// goalChoices are the links to a page for each goal, and for all.
func goalChoices(v *visit, b *flow.Board, goal flow.GoalID) []choice {
	list := []choice{{"all goals", addressWith(v, "goal", ""), goal == ""}}
	ids := b.IDs(flow.Goals)
	if len(ids) < 2 {
		return nil
	}
	for _, id := range ids {
		list = append(list, choice{id, addressWith(v, "goal", id), id == string(goal)})
	}
	return list
}
