package view

import (
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// An ETA says how long the open tasks of a goal may take. Spans are in seconds.
type ETA struct {
	Low    int64 `json:"low"`
	Median int64 `json:"median"`
	High   int64 `json:"high"`
	Tasks  int   `json:"tasks"`
	Agents int   `json:"agents"` // that worked in the last hour
}

// atWork is how long after its last work an actor still counts as being at work.
const atWork = time.Hour

// eta estimates how long so many open tasks take those who are at work now; nil where
// history says too little, or the clone has not counted most of it.
func (r Reading) eta(open int, agents []Agent) *ETA {
	pace := &r.Local.Pace
	merged := 0
	for _, id := range r.Board.IDs(flow.Goals) {
		merged += partOf(r.Board.Goal(flow.GoalID(id))).Merged
	}
	if pace.Of("").Merged*10 < merged*9 {
		return nil
	}
	busy := map[flow.Actor]bool{}
	for _, a := range pace.Active {
		if r.At.Sub(time.Unix(a.At, 0)) < atWork {
			busy[a.By] = true
		}
	}
	for _, a := range agents {
		if a.State == agentWorking || a.State == agentReviewing {
			busy[flow.Actor(a.ID)] = true
		}
	}
	e, ok := pace.Estimate(r.goal(), open, len(busy))
	if !ok {
		return nil
	}
	whole := func(d time.Duration) int64 { return int64(d / time.Second) }
	return &ETA{whole(e.Low), whole(e.Median), whole(e.High), e.Tasks, e.Agents}
}

// words formats the estimate for people.
func (e *ETA) words() string {
	return fmt.Sprintf("about %s left (%s to %s), %d at work", seconds(e.Median), seconds(e.Low), seconds(e.High), e.Agents)
}
