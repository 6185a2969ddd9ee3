package flow

import (
	"slices"
	"time"
)

// Acts are the acts on one task that the rules let the caller begin now. Acts
// that are always possible and do not change the task are left out.
func (b *Board) Acts(id TaskID, c Caller, at time.Time) []Act {
	var list []Act
	t := b.Task(id)
	if t == nil {
		return nil
	}
	for i := range rules {
		r := &rules[i]
		if r.from != anywhere && r.from.has(t.Status) && !slices.Contains(list, r.act) && b.Opens(r.act, id, c, at) == nil {
			list = append(list, r.act)
		}
	}
	return list
}

// Best is the task that a caller should claim, or review, next: integration
// fixes, then rejected tasks of this coder, then what its sprint plans before what it would
// stretch to, then by priority, then by age. With
// several goals in progress, tasks of goals of a higher priority come first;
// tasks of goals that have ended are passed over.
// Tasks for which skip returns true are left to others. Best calls skip only
// for tasks that the rules let the caller take; it may be nil.
// If no task is left, the refusal has the rule nothing_claimable and says what
// the first candidate waits for. If the board cannot be read (see [Board.Err]),
// the refusal has the rule invariant and says why.
func (b *Board) Best(act Act, c Caller, at time.Time, skip func(Summary) bool) (TaskID, *Refusal) {
	id, refusal := bestTask(b, act, c, at, skip)
	if b.Err() != nil {
		return "", refuse(RuleInvariant, "git liza fsck", "the board cannot be read: %v", b.Err())
	}
	return id, refusal
}
