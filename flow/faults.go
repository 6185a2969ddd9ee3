package flow

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
)

// MaxFaults is how many faults of a list of tasks are reported at once.
const MaxFaults = 20

// A Fault is an error in one of several tasks that a move names.
type Fault struct {
	Place   int // of the task in the list of the move, from 0; -1 for a task outside the list
	Refusal *Refusal
}

// faults are the faults found so far.
type faults struct{ list []Fault }

func (f *faults) full() bool { return len(f.list) >= MaxFaults }

func (f *faults) add(place int, r *Refusal) {
	if !f.full() {
		f.list = append(f.list, Fault{place, r})
	}
}

// RefuseAll is one refusal for faults, of which at most [MaxFaults] count, with the rule
// and the hint of the first; nil if there are none.
func RefuseAll(list []Fault) *Refusal {
	return (&faults{list[:min(len(list), MaxFaults)]}).refusal()
}

// refusal is one refusal for all faults, with the rule and the hint of the
// first; nil if there are none.
func (f *faults) refusal() *Refusal {
	if len(f.list) == 0 {
		return nil
	}
	first := *f.list[0].Refusal
	first.Faults = f.list
	if len(f.list) == 1 {
		return &first
	}
	reasons := lists.Of(f.list, func(one Fault) string { return one.Refusal.Reason })
	first.Reason = fmt.Sprintf("%d faults: %s", len(f.list), strings.Join(reasons, "; "))
	if f.full() {
		first.Reason = "at least " + first.Reason
	}
	return &first
}
