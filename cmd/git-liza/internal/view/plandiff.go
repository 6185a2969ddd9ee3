package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/plan"
)

// A PlanDifference is what a plan says otherwise than the board.
type PlanDifference struct {
	Goal     board.GoalID   `json:"goal"`
	Added    []board.TaskID `json:"added"`   // the board lacks them
	Changed  []ChangedTask  `json:"changed"` // the board describes them otherwise
	Same     int            `json:"same"`
	Missing  []board.TaskID `json:"missing"`  // open tasks of the goal that the plan lacks
	Schedule string         `json:"schedule"` // the barrier, "" if the goal has the schedule of the plan
}

// A ChangedTask is a task that a board describes otherwise than a plan.
type ChangedTask struct {
	ID     board.TaskID `json:"task"`
	Status board.Status `json:"status"`
	Keys   []string     `json:"keys"`
}

// PlanDifferenceOf is the difference between a plan and a goal of the board.
func PlanDifferenceOf(p *plan.Plan, d plan.Difference, goal board.GoalID) PlanDifference {
	v := PlanDifference{Goal: goal, Added: []board.TaskID{}, Changed: []ChangedTask{}, Same: d.Same, Missing: append([]board.TaskID{}, d.Missing...)}
	v.Added = append(v.Added, lists.Of(d.Added, func(i int) board.TaskID { return p.Tasks[i].ID })...)
	for _, one := range d.Changed {
		v.Changed = append(v.Changed, ChangedTask{p.Tasks[one.Task].ID, one.Status, one.Keys})
	}
	if d.Schedule != nil {
		v.Schedule = d.Schedule.Barrier.String()
	}
	return v
}

// Text formats the difference for people.
func (v *PlanDifference) Text(width int) string {
	var rows Table
	for _, id := range v.Added {
		rows.Add("added", string(id), "")
	}
	for _, one := range v.Changed {
		rows.Add("changed", string(one.ID), strings.Join(one.Keys, ", ")+" ("+one.Status.String()+")")
	}
	for _, id := range v.Missing {
		rows.Add("missing", string(id), "")
	}
	if v.Schedule != "" {
		rows.Add("schedule", string(v.Goal), "barrier "+v.Schedule)
	}
	return rows.Text(width) + fmt.Sprintf("%s as on the board\n", Count(v.Same, "task"))
}

// Imported says what became of the plan.
func (v *PlanDifference) Imported() string {
	var text strings.Builder
	for _, id := range v.Added {
		fmt.Fprintf(&text, "%s added\n", id)
	}
	for _, one := range v.Changed {
		fmt.Fprintf(&text, "%s described anew: %s\n", one.ID, strings.Join(one.Keys, ", "))
	}
	if v.Schedule != "" {
		fmt.Fprintf(&text, "%s has the barrier %s\n", v.Goal, v.Schedule)
	}
	if v.Same > 0 {
		fmt.Fprintf(&text, "%s already on the board\n", Count(v.Same, "task"))
	}
	if len(v.Missing) > 0 {
		fmt.Fprintf(&text, "%s has open tasks that the plan lacks: %s\n", v.Goal, plaintext.Line(JoinIDs(v.Missing)))
	}
	return text.String()
}
