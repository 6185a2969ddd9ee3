package view

import (
	"fmt"
	"strconv"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plan"
)

// RecordsOf is what went wrong with the tasks of a board, archived ones too, by the paths
// that they own. Its errors are in [board.Board.Err].
func RecordsOf(b *board.Board, troubles []metrics.Trouble) (list []plan.Record) {
	live := map[board.TaskID]*board.Summary{}
	for _, s := range b.Summaries() {
		live[s.ID] = s
	}
	for _, t := range troubles {
		r := plan.Record{Rejections: t.Rejections, Failures: t.Failures}
		if t.Reverted {
			r.Reverts = 1
		}
		if s := live[t.Task]; s != nil {
			r.Paths = s.Owns
		} else if archived := b.Task(t.Task); archived != nil {
			r.Paths = archived.Owns
		}
		list = append(list, r)
	}
	return list
}

// A Risk is a task with the points of stated factors.
type Risk struct {
	Task     board.TaskID `json:"task"`
	Sum      int          `json:"sum"`
	Files    int          `json:"files"`
	Depth    int          `json:"depth"`
	Verify   int          `json:"verify"`
	Estimate int          `json:"estimate"`
	History  int          `json:"history"`
}

// Rate rates the open tasks, the riskiest first, by what happened to work on their paths too.
func (g *Graph) Rate(records []plan.Record) {
	g.Risks = append([]Risk{}, lists.Of(g.left.Risks(records), func(r plan.Risk) Risk {
		return Risk{g.plan.Tasks[r.Task].ID, r.Sum(), r.Files, r.Depth, r.Verify, r.Estimate, r.History}
	})...)
}

// risksText formats the risks as a table.
func (g *Graph) risksText(width int) string {
	if len(g.Risks) == 0 {
		return ""
	}
	var rows Table
	rows.Add("risk", "task", "files", "depth", "verify", "estimate", "history")
	for _, r := range g.Risks[:min(len(g.Risks), mostShown)] {
		points := lists.Of([]int{r.Files, r.Depth, r.Verify, r.Estimate, r.History}, strconv.Itoa)
		rows.Add(append([]string{strconv.Itoa(r.Sum), string(r.Task)}, points...)...)
	}
	text := "\n" + rows.Text(width)
	if more := len(g.Risks) - mostShown; more > 0 {
		text += fmt.Sprintf("and %d more: git liza plan show --risk --json\n", more)
	}
	return text
}
