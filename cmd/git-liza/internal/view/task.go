package view

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Task is a task as JSON shows it, with exactly the keys that scripts rely on. Values follow
// the rule of [ValueOf]. What is tagged short is in the task's summary. Reviewer to Rejection
// are of the first review, the last verdict and the last rejection of any role.
type Task struct {
	ID         board.TaskID   `yaml:"id,short"`
	Title      string         `yaml:"title,short"`
	Status     board.Status   `yaml:"status,short"`
	Kind       board.Kind     `yaml:"kind,short"`
	Goal       board.GoalID   `yaml:"goal,short"`
	Sprint     board.SprintID `yaml:"sprint,short"`
	DoneWhen   string         `yaml:"done_when"`
	Spec       string         `yaml:"spec,short"`
	Scope      string         `yaml:"scope"`
	Priority   int            `yaml:"priority,short"`
	DependsOn  []board.TaskID `yaml:"depends_on,short"`
	Owns       []string       `yaml:"owns,short"`
	Verify     string         `yaml:"verify,short"`
	Created    time.Time      `yaml:"created,short"`
	Changed    time.Time      `yaml:"changed,short"`
	AssignedTo board.Actor    `yaml:"assigned_to,short"` // that holds the task or worked on it last
	Lease      time.Time      `yaml:"lease_expires,short"`
	Worktree   string         `yaml:"worktree"`
	Branch     string         `yaml:"branch"`
	Base       board.ObjectID `yaml:"base_commit"`
	Iteration  int            `yaml:"iteration,short"`
	Cycles     int            `yaml:"review_cycles,short"`
	AllCycles  int            `yaml:"review_cycles_total"`
	Attempts   int            `yaml:"attempts"`

	Failures     []board.Failure    `yaml:"failed_by"`
	Intent       *board.Intent      `yaml:"intent"`
	Submitted    board.ObjectID     `yaml:"review_commit"`
	Reviewer     board.Actor        `yaml:"reviewing_by,short"`
	ReviewLease  time.Time          `yaml:"review_lease_expires,short"`
	ApprovedBy   board.Actor        `yaml:"approved_by"`
	Verdict      *board.Verdict     `yaml:"verdict"`
	Rejection    *board.Rejection   `yaml:"rejection"`
	Merged       board.ObjectID     `yaml:"merge_commit"`
	Drift        int                `yaml:"drift"`
	Blocked      string             `yaml:"blocked_reason,short"`
	Questions    []string           `yaml:"blocked_questions"`
	MergeFailure *board.Integration `yaml:"integration_failure"`
	Fix          board.ObjectID     `yaml:"integration_fix"`
	Handoff      *board.Handoff     `yaml:"handoff"`
	Supersedes   []board.TaskID     `yaml:"supersedes"`
	SupersededBy []board.TaskID     `yaml:"superseded_by"`
	Rescope      string             `yaml:"rescope_reason"`

	Role       board.Role      `yaml:"role,short"` // that does it
	BasedOn    []string        `yaml:"based_on,short"`
	ReviewBy   []board.Role    `yaml:"review_by"` // that it names to judge it
	Without    []board.Role    `yaml:"without"`
	Reviews    []Review        `yaml:"reviews"`
	Missing    []board.Role    `yaml:"missing,short"` // that have still to approve the submission
	Stale      []string        `yaml:"stale"`         // texts that have changed since somebody approved it
	Usage      board.Usage     `yaml:"usage"`
	Budget     *board.Budget   `yaml:"budget"`
	BudgetLeft *board.Budget   `yaml:"budget_left"` // nil without a budget
	Claimable  bool            `yaml:"claimable"`   // whether the asker could claim it now
	WhyNot     string          `yaml:"why_not"`     // the reason if not, "" for a final task
	Limits     *board.Limits   `yaml:"limits,short"`
	Reverts    []board.TaskID  `yaml:"reverts,short"` // the merged tasks that it takes back
	Reverted   *board.Reverted `yaml:"reverted"`      // by what it was taken back itself

	Level           int            `yaml:"level,short"` // this and what follows is what a plan says of it
	Estimate        board.Duration `yaml:"estimate,short"`
	Labels          []string       `yaml:"labels,short"`
	Files           *board.Files   `yaml:"files"`
	Acceptance      []string       `yaml:"acceptance"`
	Steps           []board.Step   `yaml:"steps"`
	Context         board.LongText `yaml:"context"`
	Consumers       []board.TaskID `yaml:"consumers"`
	IntegrationTest string         `yaml:"integration_test"`
	VerifyTimeout   board.Duration `yaml:"verify_timeout"`

	Retries     int              `yaml:"retries,short"`    // claims that failed
	NotBefore   time.Time        `yaml:"not_before,short"` // when agents try again
	RetryError  string           `yaml:"retry_error"`
	Entered     time.Time        `yaml:"entered,short"`
	AbandonedBy board.Actor      `yaml:"abandoned_by"`
	Gates       []board.Receipt  `yaml:"gates"` // at the submission
	Phase       board.PhaseID    `yaml:"phase,short"`
	Denies      []string         `yaml:"denies"` // globs of paths that its work does not change
	Asking      []board.RecordID `yaml:"asking"` // open questions that were asked during the work
}

// A Review is what a role that judges the submission of a task holds of it.
type Review struct {
	Role      board.Role       `yaml:"role"`
	By        board.Actor      `yaml:"by"`
	Lease     time.Time        `yaml:"lease_expires"`
	Verdict   *board.Verdict   `yaml:"verdict"`
	Rejection *board.Rejection `yaml:"rejection"`
}

// summarised is the part of a task that is in its summary. It reads no document.
func summarised(t *board.Summary) Task {
	reviewer, lease := t.Reviewing(time.Time{})
	return Task{
		ID: t.ID, Title: t.Title, Status: t.Status, Kind: t.Kind, Goal: t.Goal, Sprint: t.Sprint, Spec: t.Spec, Priority: t.Priority,
		DependsOn: t.DependsOn, Owns: t.Owns, Verify: t.Verify, Created: t.Created, Changed: t.Changed, AssignedTo: t.Coder, Lease: t.Lease,
		Iteration: t.Iteration, Cycles: t.Cycles, Reviewer: reviewer, ReviewLease: lease, Blocked: t.Reason, Role: t.Role, BasedOn: t.BasedOn,
		Missing: lists.Of(lists.Where(t.Judges, func(j board.Judge) bool { return !j.Done }), func(j board.Judge) board.Role { return j.Role }), Limits: t.Limits, Reverts: t.Reverts, Level: t.Level, Estimate: t.Estimate, Labels: t.Labels,
		Retries: t.Retries, NotBefore: t.NotBefore, Entered: t.Entered, Phase: t.Phase,
	}
}

// Task returns a task as JSON shows it, see [Task].
func (r Reading) Task(t *board.Task) Object { return ObjectOf(r.wholeTask(t)) }

func (r Reading) wholeTask(t *board.Task) Task {
	short := t.Summary()
	v, a, sub, merge, retry := summarised(&short), partOf(t.Attempt), partOf(t.Submission), partOf(t.Merge), partOf(t.Retry)
	v.DoneWhen, v.Scope, v.Base, v.AllCycles, v.Attempts, v.Failures, v.Intent = t.DoneWhen, t.Scope, a.Base, t.Cycles, t.Attempts, t.Failures, t.Intent
	v.Submitted, v.ApprovedBy, v.Verdict, v.Rejection = sub.Commit, partOf(t.Verdict()).By, t.Verdict(), t.Rejection()
	v.Merged, v.Drift, v.Questions, v.MergeFailure, v.Fix, v.Handoff = merge.Commit, merge.Drift, partOf(t.Block).Questions, t.Integration, a.Fix, t.Handoff
	v.Supersedes, v.SupersededBy, v.Rescope = t.Supersedes, t.SupersededBy, t.Rescope
	v.ReviewBy, v.Without, v.Reviews, v.Usage, v.Budget, v.Reverted = t.ReviewBy, t.Without, reviewsOf(t), t.Usage, t.Budget, t.Reverted
	v.Files, v.Acceptance, v.Steps, v.Context, v.Consumers = t.Files, t.Acceptance, t.Steps, t.Context, t.Consumers
	v.IntegrationTest, v.VerifyTimeout, v.RetryError, v.AbandonedBy, v.Gates, v.Denies = t.IntegrationTest, t.VerifyTimeout, retry.Error, t.AbandonedBy, sub.Gates, t.Denies
	v.BudgetLeft = r.budgetLeft("", t.ID)
	v.Stale = append(v.Stale, lists.Of(t.Outdated(r.Board), board.TextRef.String)...)
	v.Asking = append(v.Asking, lists.Of(t.Asking, func(a board.Asking) board.RecordID { return a.Question })...)
	if t.Attempt != nil && !t.Status.Final() {
		v.Branch = t.ID.Branch()
		if r.Checkout != nil {
			v.Worktree = r.Checkout(t)
		}
	}
	v.WhyNot = r.whyNot(t.ID)
	if v.Claimable = v.WhyNot == ""; t.Status.Final() {
		v.WhyNot = ""
	}
	return v
}

// reviewsOf returns what each role holds of the task: first those that judge the
// submission, in its order, then others with a rejection.
func reviewsOf(t *board.Task) (list []Review) {
	judging := lists.Of(t.Judgements, func(j board.Judgement) board.Role { return j.Role })
	roles := lists.Add(slices.Clone(partOf(t.Submission).ReviewBy), judging...)
	for _, role := range roles {
		own := t.Judgement(role)
		review := partOf(own.Review)
		list = append(list, Review{role, review.By, review.Lease, own.Verdict, own.Rejection})
	}
	return list
}

// Tasks returns tasks with at least the wanted keys. It reads documents only
// for keys that summaries lack.
func (r Reading) Tasks(list []*board.Summary, wanted []string) []Object {
	_, short := NewTaskRows(list, wanted)
	var rows []Object
	for _, s := range list {
		if short {
			rows = append(rows, ObjectOf(summarised(s)))
		} else if t := r.Board.Task(s.ID); t != nil {
			rows = append(rows, r.Task(t))
		}
	}
	return rows
}

// partOf returns a sub-document, or the zero value if the task has none.
func partOf[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}

// budgetLeft returns what is left of a task's budget, of planning for a goal if the id
// is "", nil without a budget.
func (r Reading) budgetLeft(goal board.GoalID, id board.TaskID) *board.Budget {
	left, bounded := flow.RemainingBudget(r.Board, goal, id)
	if !bounded {
		return nil
	}
	return &left
}

// whyNot returns the reason why the asker cannot claim the task, "" if it
// can.
func (r Reading) whyNot(id board.TaskID) string {
	if refusal := flow.Opens(r.Board, board.ActClaim, id, r.Asker, r.At); refusal != nil {
		return refusal.Reason
	}
	return ""
}

// A taskField is a field of a [Task].
type taskField struct {
	key   string
	index int
	short bool // it is in the task's summary
}

func taskFields() (list []taskField) {
	of := reflect.TypeFor[Task]()
	for i := range of.NumField() {
		key, options, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ",")
		list = append(list, taskField{key, i, options == "short"})
	}
	return list
}

// TaskKeys are the keys of a [Task].
func TaskKeys() []string { return lists.Of(taskFields(), func(f taskField) string { return f.key }) }

// SummaryKeys are the keys of a [Task] whose values are in summaries.
func SummaryKeys() []string {
	fields := lists.Where(taskFields(), func(f taskField) bool { return f.short })
	return lists.Of(fields, func(f taskField) string { return f.key })
}
