package metrics

import (
	"slices"

	"github.com/git-liza/git-liza/flow"
)

// An Active says when an actor last worked on a task: claimed, submitted, reviewed or judged
// it, or ended a session; in seconds since 1970. Approved is how many of its verdicts were
// approvals since its last rejection.
type Active struct {
	By       flow.Actor
	At       int64
	Approved int
}

// mostActive bounds the actors, so that they fit into ActiveSize.
const mostActive = 300

// Active are the actors that worked in the last day of the board, the last one first.
func (n *Counts) Active() (list []Active) {
	last := map[flow.Actor]int64{}
	note := func(by flow.Actor, at int64) {
		if by != "" && at > n.last.at-dayLength {
			last[by] = max(last[by], at)
		}
	}
	for _, t := range n.tasks {
		for _, c := range t.claims {
			note(c.by, c.at.at)
		}
		for i, s := range t.stays {
			if i > 0 && isClaimed(t.stays[i-1].status) {
				note(t.claimedBy(s.since.at), s.since.at)
			}
		}
		for _, r := range t.reviews {
			note(r.by, r.begun)
		}
	}
	approved := map[flow.Actor]int{}
	for _, v := range n.verdicts {
		note(v.by, v.at.at)
		if approved[v.by]++; !v.approved {
			approved[v.by] = 0
		}
	}
	for i := range n.sessions {
		if s := &n.sessions[i]; s.task != "" {
			note(s.by, s.at.at)
		}
	}
	for by, at := range last {
		list = append(list, Active{by, at, approved[by]})
	}
	slices.SortFunc(list, func(x, y Active) int {
		if x.At != y.At {
			return int(y.At - x.At)
		}
		if x.By < y.By {
			return -1
		}
		return 1
	})
	return list[:min(len(list), mostActive)]
}
