package board

import (
	"fmt"
	"strings"
)

// Described are the states in which a task can be described anew. In other open
// states only its budget can change.
var Described = AnyOf(Draft, Unclaimed, Blocked)

// StateSet is a set of task states.
type StateSet uint16

// AnyOf is the set of some states.
func AnyOf(list ...Status) StateSet {
	var set StateSet
	for _, s := range list {
		set |= 1 << s
	}
	return set
}

// Has reports whether the state is in the set.
func (set StateSet) Has(s Status) bool { return set&(1<<s) != 0 }

// A Status is the state of a task. The zero value is no state.
type Status uint8

// The states of a task. Merged, Superseded and Abandoned are final.
const (
	Draft Status = iota + 1
	Unclaimed
	Claimed
	ReadyForReview
	Rejected
	Approved
	Blocked
	IntegrationFailed
	Merged
	Superseded
	Abandoned
)

var statusNames = names{"status", "DRAFT", "UNCLAIMED", "CLAIMED", "READY_FOR_REVIEW", "REJECTED", "APPROVED",
	"BLOCKED", "INTEGRATION_FAILED", "MERGED", "SUPERSEDED", "ABANDONED"}

// Statuses are all states, in the order of a task's life.
func Statuses() []Status { return all[Status](statusNames) }

// Final reports whether no move leads out of the state.
func (s Status) Final() bool { return s >= Merged }

// IsDescribed reports whether a task may be described anew: nobody works on it.
func (s Status) IsDescribed() bool { return Described.Has(s) }

// IsMerged reports whether the work has reached integration.
func (s Status) IsMerged() bool { return s == Merged }

// IsBlocked reports whether the task waits for answers.
func (s Status) IsBlocked() bool { return s == Blocked }

// IsDraft reports whether the task is still being described.
func (s Status) IsDraft() bool { return s == Draft }

// NeedsPlanner reports whether a planner or a human has to act before anybody
// can work on the task.
func (s Status) NeedsPlanner() bool { return s.IsDraft() || s.IsBlocked() }

// IsBegun reports whether the task is past DRAFT and UNCLAIMED.
func (s Status) IsBegun() bool { return s != Draft && s != Unclaimed }

// IsStuck reports whether the task is blocked or failed to merge.
func (s Status) IsStuck() bool { return s.IsBlocked() || s == IntegrationFailed }

// String is the state's name as written everywhere, such as READY_FOR_REVIEW.
func (s Status) String() string { return statusNames.name(uint8(s)) }

// MarshalText writes the name; the zero value is an error.
func (s Status) MarshalText() ([]byte, error) { return statusNames.marshal(uint8(s)) }

// UnmarshalText accepts exactly the names of [Status.String].
func (s *Status) UnmarshalText(text []byte) error { return unmarshalName(s, text, statusNames) }

// A Kind is what a task produces; it decides whether tests must change too. The
// zero value is no kind.
type Kind uint8

// The kinds of tasks.
const (
	Code Kind = iota + 1
	Docs
	Configuration
	Spec
)

var kindNames = names{"kind", "code", "docs", "config", "spec"}

// Kinds are all kinds of tasks.
func Kinds() []Kind { return all[Kind](kindNames) }

// String is the kind's name.
func (k Kind) String() string { return kindNames.name(uint8(k)) }

// MarshalText writes the name; the zero value is an error.
func (k Kind) MarshalText() ([]byte, error) { return kindNames.marshal(uint8(k)) }

// UnmarshalText accepts exactly the names of [Kind.String].
func (k *Kind) UnmarshalText(text []byte) error { return unmarshalName(k, text, kindNames) }

// A Control is the state of the whole board: whether new work may begin.
type Control uint8

// The control states.
const (
	Running Control = iota + 1
	Paused
	Checkpoint
	Stopped
)

var controlNames = names{"control state", "RUNNING", "PAUSED", "CHECKPOINT", "STOPPED"}

// String is the state's name.
func (c Control) String() string { return controlNames.name(uint8(c)) }

// IsRunning reports whether new work may begin.
func (c Control) IsRunning() bool { return c == Running }

// IsStopped reports whether supervisors end and none may start.
func (c Control) IsStopped() bool { return c == Stopped }

// MarshalText writes the name; the zero value is an error.
func (c Control) MarshalText() ([]byte, error) { return controlNames.marshal(uint8(c)) }

// UnmarshalText accepts exactly the names of [Control.String].
func (c *Control) UnmarshalText(text []byte) error { return unmarshalName(c, text, controlNames) }

// A Phase is the state of a goal or a sprint.
type Phase uint8

// The states of goals and sprints; InCheckpoint is for sprints only.
const (
	InProgress Phase = iota + 1
	InCheckpoint
	Completed
	Aborted
)

var phaseNames = names{"phase", "IN_PROGRESS", "CHECKPOINT", "COMPLETED", "ABORTED"}

// String is the state's name.
func (p Phase) String() string { return phaseNames.name(uint8(p)) }

// IsInProgress reports whether the goal or sprint runs, outside a checkpoint.
func (p Phase) IsInProgress() bool { return p == InProgress }

// MarshalText writes the name; the zero value is an error.
func (p Phase) MarshalText() ([]byte, error) { return phaseNames.marshal(uint8(p)) }

// UnmarshalText accepts exactly the names of [Phase.String].
func (p *Phase) UnmarshalText(text []byte) error { return unmarshalName(p, text, phaseNames) }

// names is the text form of an enumeration; index 0, that of the invalid zero value, says
// what its values are.
type names []string

func (n names) name(v uint8) string {
	if int(v) < len(n) && v > 0 {
		return n[v]
	}
	return fmt.Sprintf("invalid(%d)", v)
}

func (n names) marshal(v uint8) ([]byte, error) {
	if v == 0 || int(v) >= len(n) {
		return nil, fmt.Errorf("%d is not a %s", v, n[0])
	}
	return []byte(n[v]), nil
}

func unmarshalName[T ~uint8](v *T, text []byte, n names) error {
	for i := 1; i < len(n); i++ {
		if n[i] == string(text) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no %s; there are %s", Clip(string(text)), n[0], strings.Join(n[1:], ", "))
}

func all[T ~uint8](n names) []T {
	list := make([]T, 0, len(n)-1)
	for i := 1; i < len(n); i++ {
		list = append(list, T(i))
	}
	return list
}
