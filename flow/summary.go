package flow

import "time"

// A Summary is the part of a task that lists, status and guards need, so that
// they do not read every document. It is derived from the task alone.
type Summary struct {
	ID          TaskID
	Title       string
	Status      Status
	Kind        Kind
	Goal        GoalID
	Sprint      SprintID
	Stretch     bool
	Priority    int
	DependsOn   []TaskID
	Owns        []string
	Verify      string
	Created     time.Time
	Changed     time.Time
	Coder       Actor // holder of the claim, or the coder of the attempt
	Lease       time.Time
	Reviewer    Actor
	ReviewLease time.Time
	Iteration   int
	Cycles      int
	Reason      string // why it is blocked
	Limit       string // the limit that blocked it
	FailedAt    time.Time
	Failures    int     // attempts that ended in BLOCKED
	FailedBy    int     // distinct coders among them
	Limits      *Limits // the task's own, nil if it has none
	Budgeted    bool    // it has a budget of its own
}

// Summary is the summary of the task.
func (t *Task) Summary() Summary {
	s := Summary{Failures: len(t.Failures), FailedBy: t.failedBy(), Limits: t.Limits, ID: t.ID, Title: t.Title, Status: t.Status, Kind: t.Kind, Goal: t.Goal, Sprint: t.Sprint,
		Stretch: t.Stretch, Priority: t.Priority, DependsOn: t.DependsOn, Owns: t.Owns, Verify: t.Verify,
		Created: t.Created, Changed: t.Changed, Budgeted: t.Budget != nil}
	if t.Attempt != nil {
		s.Coder, s.Iteration, s.Cycles = t.Attempt.Coder, t.Attempt.Iteration, t.Attempt.Cycles
	}
	if t.Claim != nil {
		s.Coder, s.Lease = t.Claim.By, t.Claim.Lease
	}
	if t.Review != nil {
		s.Reviewer, s.ReviewLease = t.Review.By, t.Review.Lease
	}
	if t.Block != nil {
		s.Reason, s.Limit = t.Block.Reason, t.Block.Limit
	}
	if t.Integration != nil {
		s.FailedAt = t.Integration.At
	}
	return s
}
