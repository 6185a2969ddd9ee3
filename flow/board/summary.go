package board

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// UsualEstimate is what a task is expected to take for which nobody says how long.
const UsualEstimate = Duration(15 * time.Minute)

// IsEnded reports whether the goal of a task is not among those in progress, which
// goalPriorities returned.
func (s *Summary) IsEnded(open map[GoalID]int) bool { return open[s.Goal] == 0 }

// Urgency ranks work that was begun before other work.
func (s *Summary) Urgency(by Actor) int {
	switch {
	case s.Status == IntegrationFailed:
		return 0
	case s.Status == Rejected && s.Coder == by:
		return 1
	}
	return 2
}

// IsInWork reports whether the task currently reserves the paths that it owns. That of
// every task that somebody has claimed does.
func (s *Summary) IsInWork() bool {
	return AnyOf(Claimed, ReadyForReview, Rejected, Approved, IntegrationFailed).Has(s.Status) ||
		s.Status == Blocked && s.Limit == LimitNoVerdicts
}

// A Summary is the part of a task that lists, status and guards need, so that
// they do not read every document. It is derived from the task alone.
type Summary struct {
	ID         TaskID
	Title      string
	Status     Status
	Kind       Kind
	Role       Role // that does it
	Goal       GoalID
	Sprint     SprintID
	Stretch    bool
	Priority   int
	DependsOn  []TaskID
	Owns       []string
	Verify     string
	Spec       string
	BasedOn    []string
	OwnReviews bool // it names roles that judge it, or that do not
	Created    time.Time
	Changed    time.Time
	Coder      Actor // holder of the claim, or the coder of the attempt
	Lease      time.Time
	Judges     []Judge // of a submission that waits for verdicts or for its merge
	Iteration  int
	Cycles     int
	Reason     string // why it is blocked
	Limit      string // the limit that blocked it
	FailedAt   time.Time
	Failures   int     // attempts that ended in BLOCKED
	FailedBy   int     // distinct coders among them
	Limits     *Limits // the task's own, nil if it has none
	Budgeted   bool    // it has a budget of its own
	Asks       bool    // it goes on when its questions are answered
	AskedOf    Role    // of agents that may answer them
	Reverted   bool    // it was merged and taken back
	Reverts    []TaskID
	Successors []TaskID // do the work of a reverted task again
	Level      int
	Estimate   Duration
	Entered    time.Time // its status, as far as it is known
	NotBefore  time.Time // agents claim it from then on; zero: at any time
	Retries    int       // claims that failed
	Labels     []string
	Phase      PhaseID
	Asking     []Role   // whom open questions during the work are to
	Doubt      RecordID // of its attempt
}

// A Judge is a role that has to judge a submission.
type Judge struct {
	Role  Role
	By    Actor     // that holds the review, "" if nobody does
	Lease time.Time // of that review
	Done  bool      // it has approved the submission

	NotBefore time.Time // agents review it from then on; zero: at any time
}

func (t *Task) judgeOf(r Role) Judge {
	own := t.Judgement(r)
	judge := Judge{Role: r, Done: t.Holds(own.Verdict), NotBefore: own.NotBefore}
	if own.Review != nil {
		judge.By, judge.Lease = own.Review.By, own.Review.Lease
	}
	return judge
}

// Judge is what the summary says of a role that has to judge the submission;
// nil if the role does not have to.
func (s *Summary) Judge(r Role) *Judge {
	i := slices.IndexFunc(s.Judges, func(j Judge) bool { return j.Role == r })
	if i < 0 {
		return nil
	}
	return &s.Judges[i]
}

// Reviewing is the first review of the submission whose lease has not ended at
// that time, else the first one; "" if nobody holds one.
func (s *Summary) Reviewing(at time.Time) (by Actor, lease time.Time) {
	for _, j := range s.Judges {
		if j.By != "" && (by == "" || j.Lease.After(at) && !lease.After(at)) {
			by, lease = j.By, j.Lease
		}
	}
	return by, lease
}

// IsReviewedBy reports whether the actor holds a review of the submission.
func (s *Summary) IsReviewedBy(by Actor) bool {
	return by != "" && slices.ContainsFunc(s.Judges, func(j Judge) bool { return j.By == by })
}

// Summary is the summary of the task.
func (t *Task) Summary() Summary {
	s := Summary{Failures: len(t.Failures), FailedBy: t.failedBy(), Limits: t.Limits, ID: t.ID, Title: t.Title, Status: t.Status, Kind: t.Kind, Goal: t.Goal, Sprint: t.Sprint,
		Stretch: t.Stretch, Priority: t.Priority, DependsOn: t.DependsOn, Owns: t.Owns, Verify: t.Verify,
		Role: t.Doer(), Spec: t.Spec, BasedOn: t.BasedOn, OwnReviews: len(t.ReviewBy)+len(t.Without) > 0,
		Created: t.Created, Changed: t.Changed, Budgeted: t.Budget != nil, Reverts: t.Reverts}
	s.Level, s.Estimate, s.Entered, s.Labels = t.Level, t.Estimate, t.Entered, t.Labels
	s.Phase = t.Phase
	s.Asking = lists.Of(t.Asking, func(a Asking) Role { return a.To })
	if t.Retry != nil {
		s.NotBefore, s.Retries = t.Retry.NotBefore, t.Retry.Count
	}
	if t.Reverted != nil {
		s.Reverted, s.Successors = true, t.SupersededBy
	}
	if t.Attempt != nil {
		s.Coder, s.Iteration, s.Cycles, s.Doubt = t.Attempt.Coder, t.Attempt.Iteration, t.Attempt.Cycles, t.Attempt.Doubt
	}
	if t.Claim != nil {
		s.Coder, s.Lease = t.Claim.By, t.Claim.Lease
	}
	if AnyOf(ReadyForReview, Approved).Has(t.Status) && t.Submission != nil {
		s.Judges = lists.Of(t.Submission.ReviewBy, t.judgeOf)
	}
	if t.Block != nil {
		s.Reason, s.Limit = t.Block.Reason, t.Block.Limit
		s.Asks, s.AskedOf = t.Block.From != 0, t.Block.To
	}
	if t.Integration != nil {
		s.FailedAt = t.Integration.At
	}
	return s
}
