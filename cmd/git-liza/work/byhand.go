package work

import (
	"context"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// A ByHand is a verdict or a registration in the name of an agent that no
// supervisor made: its move has no generation. The rules allow it, for people
// who play agents by hand; where supervisors work it is worth a look.
type ByHand struct {
	Commit flow.ObjectID `json:"commit"`
	Act    string        `json:"act"`
	Task   flow.TaskID   `json:"task,omitempty"`
	Agent  flow.AgentID  `json:"agent"`
}

// LatelyByHand is how many moves doctor, and fsck without --full, look back.
const LatelyByHand = 1000

// ByHand lists them among the last moves, newest first; 0 is among all.
func (c *Clone) ByHand(ctx context.Context, last int) ([]ByHand, error) {
	tip, err := c.Store.Tip(ctx)
	if err != nil {
		return nil, err
	}
	list := []ByHand{}
	n := 0
	err = c.Store.History(tip, func(e gitstore.Event) (bool, error) {
		n++
		m := e.Move
		switch d := m.Detail.(type) {
		case *flow.ApproveMove, *flow.RejectMove:
			if id := m.By.Agent(); id != "" && m.Generation == "" {
				list = append(list, ByHand{e.Commit, m.Act.String(), m.Task, id})
			}
		case *flow.RegisterMove:
			if d.Generation == "" {
				list = append(list, ByHand{e.Commit, m.Act.String(), "", d.Agent})
			}
		}
		return n != last, ctx.Err()
	})
	return list, err
}

// byHand is what doctor says of them.
func (c *Clone) byHand(ctx context.Context) []Finding {
	list, err := c.ByHand(ctx, LatelyByHand)
	if err != nil || len(list) == 0 {
		return nil // whether the moves can be read is another finding
	}
	return []Finding{{Check: "by hand", State: "warn", Text: ByHandText(list), Hint: "git liza log"}}
}

// ByHandText says in one line how many they are, and which were last.
func ByHandText(list []ByHand) string {
	names := make([]string, 0, len(list))
	for _, one := range list {
		name := one.Act + " by " + string(one.Agent)
		if one.Task != "" {
			name = one.Act + " " + string(one.Task) + " by " + string(one.Agent)
		}
		names = append(names, name)
	}
	return fmt.Sprintf("verdicts and registrations of agents that no supervisor made: %s", some(names))
}
