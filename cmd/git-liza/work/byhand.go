package work

import (
	"context"
	"fmt"
	"maps"
	"slices"

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
	First  bool          `json:"first,omitempty"` // the move registered the agent, whatever its act
}

// LatelyByHand is the number of moves that doctor, and fsck without --full,
// search.
const LatelyByHand = 1000

// ByHand lists the moves by hand among the last moves, newest first; with last
// 0 among all. Agents on the board that another move of theirs registered come
// after these.
func (d *Doctor) ByHand(ctx context.Context, last int) ([]ByHand, error) {
	tip, err := d.store.Tip(ctx)
	if err != nil {
		return nil, err
	}
	b, err := d.store.BoardAt(tip)
	if err != nil {
		return nil, err
	}
	list, first := []ByHand{}, map[flow.AgentID]ByHand{}
	n := 0
	err = d.store.Events(tip, func(e gitstore.Event) (bool, error) {
		n++
		m := e.Move
		one := ByHand{Commit: e.Commit, Act: m.Act.String(), Task: m.Task, Agent: m.By.Agent()}
		hand, listed := m.Generation == "", false
		switch detail := m.Detail.(type) {
		case *flow.ApproveMove, *flow.RejectMove:
			listed = one.Agent != ""
		case *flow.RegisterMove:
			one.Agent, one.Task = detail.Agent, ""
			hand, listed = detail.Generation == "", true
		}
		if hand && listed {
			list = append(list, one)
		}
		if a := b.Agent(one.Agent); hand && a != nil && a.Generation == "" && a.Registered.Equal(m.At) {
			one.First = !listed
			first[a.ID] = one // of the moves in the same second the oldest stays
		}
		return n != last, ctx.Err()
	})
	for _, id := range slices.Sorted(maps.Keys(first)) {
		if first[id].First {
			list = append(list, first[id])
		}
	}
	return list, err
}

// byHand returns doctor's finding about moves by hand.
func (d *Doctor) byHand(ctx context.Context) []Finding {
	list, err := d.ByHand(ctx, LatelyByHand)
	if err != nil || len(list) == 0 {
		return nil // another finding reports moves that cannot be read
	}
	return []Finding{{Check: "by hand", State: "warn", Text: ByHandText(list), Hint: "git liza log"}}
}

// ByHandText describes moves by hand in one line, the last ones first.
func ByHandText(list []ByHand) string {
	names := make([]string, 0, len(list))
	for _, one := range list {
		name := one.Act + " by " + string(one.Agent)
		if one.Task != "" {
			name = one.Act + " " + string(one.Task) + " by " + string(one.Agent)
		}
		if one.First {
			name += " (its first move)"
		}
		names = append(names, name)
	}
	return fmt.Sprintf("verdicts and registrations of agents that no supervisor made: %s", someOf(names))
}
