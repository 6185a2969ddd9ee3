package metrics

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// An Active says when an actor last worked on a task: claimed, submitted, reviewed or judged
// it, or ended a session; in seconds since 1970. Approved is how many of its verdicts were
// approvals since its last rejection.
type Active struct {
	By       board.Actor
	At       int64
	Approved int
}

// mostActive bounds the actors, so that they fit into ActiveSize.
const mostActive = 300

// Active are the actors that worked in the last day of the board, the last one first.
func (n *Counts) Active() (list []Active) {
	last := map[board.Actor]int64{}
	note := func(by board.Actor, at int64) {
		if by != "" && at > n.Last.At-dayLength {
			last[by] = max(last[by], at)
		}
	}
	for _, t := range n.Tasks {
		for _, c := range t.Claims {
			note(c.By, c.At.At)
		}
		for i, s := range t.Stays {
			if i > 0 && isClaimed(t.Stays[i-1].Status) {
				note(t.claimedBy(s.Since.At), s.Since.At)
			}
		}
		for _, r := range t.Reviews {
			note(r.By, r.Begun)
		}
	}
	approved := map[board.Actor]int{}
	for _, v := range n.Verdicts {
		note(v.By, v.At.At)
		if approved[v.By]++; !v.Approved {
			approved[v.By] = 0
		}
	}
	for i := range n.Sessions {
		if s := &n.Sessions[i]; s.Task != "" {
			note(s.By, s.At.At)
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
