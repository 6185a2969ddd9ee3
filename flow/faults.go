package flow

import (
	"fmt"
	"strings"
)

// MaxFaults is how many faults of a list of tasks are told at once.
const MaxFaults = 20

// A Fault is what is wrong with one of several tasks that a move names.
type Fault struct {
	Place   int // of the task in the move's list, from 0; -1 if it is none of them
	Refusal *Refusal
}

// faults are those that were found so far.
type faults struct{ list []Fault }

func (f *faults) full() bool { return len(f.list) >= MaxFaults }

func (f *faults) add(place int, r *Refusal) {
	if !f.full() {
		f.list = append(f.list, Fault{place, r})
	}
}

// refusal is one for all of them, by the rule and with the hint of the first; nil
// if there is none.
func (f *faults) refusal() *Refusal {
	if len(f.list) == 0 {
		return nil
	}
	first := *f.list[0].Refusal
	first.Faults = f.list
	if len(f.list) == 1 {
		return &first
	}
	reasons := make([]string, len(f.list))
	for i, one := range f.list {
		reasons[i] = one.Refusal.Reason
	}
	first.Reason = fmt.Sprintf("%d faults: %s", len(f.list), strings.Join(reasons, "; "))
	if f.full() {
		first.Reason = "at least " + first.Reason
	}
	return &first
}
