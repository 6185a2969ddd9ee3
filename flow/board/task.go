package board

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// ReasonQuestion is the reason of a block that only asks: it is no failure, and
// only answers lead on.
const ReasonQuestion = "question"

// MaySave reports whether an actor may save claimed work for the one who goes on with it. A
// reviewer's supervisor may not, even after the lease: it would judge what it wrote,
// under another's name.
func MaySave(b *Board, t *Task, by Actor) bool {
	return t.Claim.By == by || by.IsHuman() || b.CapacityOf(by) == Plans
}

// A Dismissed is a blocker that a person took back.
type Dismissed struct {
	Finding Finding   `yaml:"finding"`
	Reason  string    `yaml:"reason"`
	By      Actor     `yaml:"by"`
	At      time.Time `yaml:"at"`
}

// NeedsRole reports whether an open task cannot go on without a role: it is done
// or judged by it, or has open blockers of it.
func (t *Task) NeedsRole(name Role) bool {
	if t.Doer() == name || slices.Contains(t.ReviewBy, name) || t.Submission != nil && slices.Contains(t.Submission.ReviewBy, name) {
		return true
	}
	rejected := t.Judgement(name).Rejection
	return rejected != nil && len(rejected.Blockers) > 0
}

// A Task is a reviewable piece of work, the document tasks/<NN>/<id>.yaml. Data
// of some states only is in sub-documents that are nil in other states.
type Task struct {
	ID        TaskID   `yaml:"id"`
	Title     string   `yaml:"title"`
	Status    Status   `yaml:"status"`
	Kind      Kind     `yaml:"kind"`
	Role      Role     `yaml:"role"` // that does it; none is coder
	Goal      GoalID   `yaml:"goal"`
	Sprint    SprintID `yaml:"sprint"`
	Stretch   bool     `yaml:"stretch"`
	DoneWhen  string   `yaml:"done_when"`
	Spec      string   `yaml:"spec"`     // path#anchor, the path relative to the repository
	BasedOn   []string `yaml:"based_on"` // what the work stands on beside its spec, as Spec
	Scope     string   `yaml:"scope"`
	Priority  int      `yaml:"priority"` // 1 is first, 5 is last
	DependsOn []TaskID `yaml:"depends_on"`
	Owns      []string `yaml:"owns"`
	Verify    string   `yaml:"verify"`
	ReviewBy  []Role   `yaml:"review_by"` // roles that judge it beside those that the board asks for

	Files           *Files   `yaml:"files"`
	Estimate        Duration `yaml:"estimate"`   // of the work of one agent; 0 is not known
	Level           int      `yaml:"level"`      // from 1
	Acceptance      []string `yaml:"acceptance"` // criteria, each shown to coder and reviewer
	Steps           []Step   `yaml:"steps"`
	Context         LongText `yaml:"context"`          // stands in the prompt in place of the spec's section
	Consumers       []TaskID `yaml:"consumers"`        // tasks that use what it makes
	IntegrationTest string   `yaml:"integration_test"` // path of the test that shows it
	VerifyTimeout   Duration `yaml:"verify_timeout"`   // of Verify; 0 is the machine's
	Labels          []string `yaml:"labels"`

	Phase  PhaseID  `yaml:"phase"`  // "" where the goal had no workflow; see [AnyPhase]
	Denies []string `yaml:"denies"` // globs of paths that its work does not change, whoever does it

	Without      []Role       `yaml:"without"` // roles that a person left out
	Meant        []ObjectID   `yaml:"meant"`   // blobs and commits in which a person means what looks like a key or a conflict
	Limits       *Limits      `yaml:"limits"`  // overrides of the board's, zero means not overridden
	Budget       *Budget      `yaml:"budget"`  // overrides of the board's, zero means not overridden
	Created      time.Time    `yaml:"created"`
	CreatedBy    Actor        `yaml:"created_by"`
	Changed      time.Time    `yaml:"changed"`
	Supersedes   []TaskID     `yaml:"supersedes"`
	Reverts      []TaskID     `yaml:"reverts"`  // merged tasks that the work takes back
	Generation   int          `yaml:"rescoped"` // how many supersedes lead to this task
	SupersededBy []TaskID     `yaml:"superseded_by"`
	Rescope      string       `yaml:"rescope_reason"`
	Abandoned    string       `yaml:"abandon_reason"`
	AbandonedBy  Actor        `yaml:"abandoned_by"`
	Entered      time.Time    `yaml:"entered"`  // its status
	Saves        int          `yaml:"saves"`    // number of the last refs/liza/saved/<task>/<n>
	Attempts     int          `yaml:"attempts"` // folders and branches started afresh so far
	Cycles       int          `yaml:"review_cycles_total"`
	Attempt      *Attempt     `yaml:"attempt"`
	Coders       []Worker     `yaml:"coders"` // all that ever held the task
	Failures     []Failure    `yaml:"failures"`
	Asked        int          `yaml:"questions"` // times that work stopped for questions alone
	Retry        *Retry       `yaml:"retry"`
	MergeFails   int          `yaml:"integration_failures"` // since the counter last restarted
	Claim        *Claim       `yaml:"claim"`
	Intent       *Intent      `yaml:"intent"`
	Submissions  int          `yaml:"submissions"`
	Submission   *Submission  `yaml:"submission"`
	Judgements   []Judgement  `yaml:"judgements"`  // by role; none is empty
	RejectedBy   Role         `yaml:"rejected_by"` // the role of the last rejection
	Block        *Block       `yaml:"block"`
	Integration  *Integration `yaml:"integration_failure"`
	Handoff      *Handoff     `yaml:"handoff"`
	Merge        *Merge       `yaml:"merge"`
	Reverted     *Reverted    `yaml:"reverted"`
	Usage        Usage        `yaml:"usage"`  // of the sessions on it
	Asking       []Asking     `yaml:"asking"` // open questions that were asked during the work
}

// An Attempt is one line of work on a task: one folder, one branch, one coder.
// It outlives the claim, so that the same coder continues where it stopped.
type Attempt struct {
	Number    int      `yaml:"number"` // its folder is .worktrees/<task>, from 2 on .worktrees/<task>@<number>
	Coder     Actor    `yaml:"coder"`
	Base      ObjectID `yaml:"base"`      // the integration tip that it began from
	Start     ObjectID `yaml:"start"`     // where its branch is created if it is missing: Base, or its last saved commit
	Iteration int      `yaml:"iteration"` // claims within this attempt
	Cycles    int      `yaml:"review_cycles"`
	Fix       ObjectID `yaml:"integration_fix"` // the tip that must be merged in before the next submit
	Keep      bool     `yaml:"keep_branch"`     // the next claim continues from Start
	Saved     ObjectID `yaml:"saved"`           // the work at its last question; another coder continues from it
	Doubt     RecordID `yaml:"doubt"`           // the anomaly, guard_killed or seal_changed, for which only people judge and merge it
}

// A Worker is an actor that held a task; the rule against self-review needs it.
type Worker struct {
	By        Actor  `yaml:"by"`
	Principal string `yaml:"principal"`
}

// A Failure is one coder's attempt that ended in BLOCKED.
type Failure struct {
	Coder  Actor     `yaml:"coder"`
	Reason string    `yaml:"reason"`
	At     time.Time `yaml:"at"`
}

// A Claim is the time-bounded ownership of a CLAIMED task.
type Claim struct {
	By        Actor     `yaml:"by"`
	Principal string    `yaml:"principal"` // behind the holder
	Since     time.Time `yaml:"since"`
	Lease     time.Time `yaml:"lease_expires"`
	From      Status    `yaml:"from"` // the state it was first claimed from; release leads back there
	Tip       ObjectID  `yaml:"tip"`  // of the branch that its coder goes on with; "" is the attempt's start
}

// An Intent is what a coder declares before it commits.
type Intent struct {
	Summary        string    `yaml:"summary"`
	Validation     string    `yaml:"validation"`
	Files          []string  `yaml:"files"`
	Assumptions    []string  `yaml:"assumptions"`
	Risks          []string  `yaml:"risks"`
	Extend         []string  `yaml:"extend"` // globs beyond the task's owns
	TestsNotNeeded string    `yaml:"tests_not_needed"`
	Removes        []string  `yaml:"removes"` // specs of which the work leaves no file, on purpose
	Tip            ObjectID  `yaml:"tip"`     // of the branch, when the iteration's first intent was made
	At             time.Time `yaml:"at"`
}

// A Submission is the exact commit that waits for a verdict.
type Submission struct {
	Number   int       `yaml:"number"` // kept as refs/liza/saved/<task>/<number of the save>
	Save     int       `yaml:"save"`
	Commit   ObjectID  `yaml:"commit"`
	Tree     ObjectID  `yaml:"tree"`
	Base     ObjectID  `yaml:"base"` // merge base with the integration tip
	Changed  int       `yaml:"changed"`
	Paths    []string  `yaml:"paths"` // the first MaxList of the changed paths
	Receipt  *Receipt  `yaml:"receipt"`
	At       time.Time `yaml:"at"`
	ReviewBy []Role    `yaml:"review_by"` // that must judge it; never empty in memory
	Human    bool      `yaml:"human"`     // a person submitted it
	Gates    []Receipt `yaml:"gates"`     // of the gates at a submission
}

// A Review is the time-bounded right to judge a submission.
type Review struct {
	By    Actor     `yaml:"by"`
	Since time.Time `yaml:"since"`
	Lease time.Time `yaml:"lease_expires"`
	Texts []TextRef `yaml:"texts"` // the texts that the task stood on when the review began
}

// A Verdict is an approval of one commit.
type Verdict struct {
	Commit    ObjectID  `yaml:"commit"`
	Tree      ObjectID  `yaml:"tree"`
	By        Actor     `yaml:"by"`
	Principal string    `yaml:"principal"`
	Message   string    `yaml:"message"`
	At        time.Time `yaml:"at"`
	Texts     []TextRef `yaml:"texts"` // the texts that the task stood on
	For       *Voucher  `yaml:"for"`   // whose verdict a person brings
}

// A Rejection is the last rejection with the blockers that are still open.
type Rejection struct {
	Commit   ObjectID  `yaml:"commit"`
	By       Actor     `yaml:"by"`
	Blockers []Finding `yaml:"blockers"`
	Concerns []Finding `yaml:"concerns"`
	Prior    []Prior   `yaml:"prior"`
	Overall  string    `yaml:"overall"`
	At       time.Time `yaml:"at"`
	// Dismissed are earlier blockers that a person withdrew.
	Dismissed []Dismissed `yaml:"dismissed"`
	For       *Voucher    `yaml:"for"` // whose verdict a person brings
}

// A Finding is one remark of a reviewer.
type Finding struct {
	File       string `yaml:"file"`
	Line       int    `yaml:"line"`
	Issue      string `yaml:"issue"`
	Why        string `yaml:"why"`
	Suggestion string `yaml:"suggestion"`
}

// A Block is the reason why a task waits, with one to three questions.
type Block struct {
	Reason    string     `yaml:"reason"`
	Limit     string     `yaml:"limit"` // the limit that blocked the task, "" if an actor blocked it
	Questions []string   `yaml:"questions"`
	Attempted []string   `yaml:"attempted"`
	By        Actor      `yaml:"by"`
	At        time.Time  `yaml:"at"`
	Asked     []RecordID `yaml:"asked"` // the documents of the questions, in their order
	From      Status     `yaml:"from"`  // where the task returns to when its questions are answered; zero: it waits for unblock
	To        Role       `yaml:"to"`    // whom the questions are to, as in their documents
}

// An Integration is the last failure to merge.
type Integration struct {
	Onto   ObjectID  `yaml:"onto"`
	Paths  []string  `yaml:"conflicts"`
	Gate   string    `yaml:"gate"`
	Output string    `yaml:"output"`
	By     Actor     `yaml:"by"`
	At     time.Time `yaml:"at"`
}

// A Handoff is what a coder leaves for the next worker.
type Handoff struct {
	Summary    string    `yaml:"summary"`
	NextAction string    `yaml:"next_action"`
	Approach   string    `yaml:"approach"`
	Blockers   []string  `yaml:"blockers"`
	Files      []string  `yaml:"files"`
	NextSteps  []string  `yaml:"next_steps"`
	DeadEnds   []string  `yaml:"dead_ends"`
	By         Actor     `yaml:"by"`
	At         time.Time `yaml:"at"`
}

// A Merge is how the work reached integration.
type Merge struct {
	Commit   ObjectID  `yaml:"commit"`
	Onto     ObjectID  `yaml:"onto"`
	Tree     ObjectID  `yaml:"tree"`
	Drift    int       `yaml:"drift"` // first-parent commits on integration between base and onto
	Receipts []Receipt `yaml:"receipts"`
	Adopted  bool      `yaml:"adopted"`
	LeftOut  *Save     `yaml:"left_out"`
	By       Actor     `yaml:"by"`
	At       time.Time `yaml:"at"`
}

// A Save is a commit kept as refs/liza/saved/<task>/<number>.
type Save struct {
	Number int      `yaml:"number"`
	Commit ObjectID `yaml:"commit"`
}

// Live reports whether the lease of the claim has not ended at that time.
func (c *Claim) Live(at time.Time) bool { return c != nil && c.Lease.After(at) }

// Live reports whether the lease of the review has not ended at that time.
func (r *Review) Live(at time.Time) bool { return r != nil && r.Lease.After(at) }

// IsCodedBy reports whether the actor, or the principal behind it, ever held the task.
func (t *Task) IsCodedBy(by Actor, principal string) bool {
	return slices.ContainsFunc(t.Coders, func(w Worker) bool { return w.By == by || principal != "" && w.Principal == principal })
}

// AddCoder adds a worker to the coders of the task, who may not judge it.
func (t *Task) AddCoder(w Worker) {
	if !slices.Contains(t.Coders, w) {
		t.Coders = append(slices.Clip(t.Coders), w)
	}
}

// Exhausted reports whether so many coders failed that the task is presumed to
// be framed wrong: by default two distinct ones, or three failures in all.
func (t *Task) Exhausted(limits Limits) bool {
	return t.failedBy() >= limits.FailedCoders || len(t.Failures) >= limits.Failures
}

// failedBy counts the distinct coders who failed the task.
func (t *Task) failedBy() int {
	distinct := lists.Set(t.Failures, func(f Failure) Actor { return f.Coder })
	return len(distinct)
}

// Clone is a copy whose sub-documents may be changed without changing t. Slices
// are replaced, never appended to in place.
func (t *Task) Clone() *Task {
	c := *t
	c.Attempt = CopyOf(t.Attempt)
	c.Claim = CopyOf(t.Claim)
	return &c
}

// CopyOf is a copy of a value, nil of nil.
func CopyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// A Voucher is the account on a code host whose verdict a person brings.
type Voucher struct {
	Account string `yaml:"account"` // HOST/NAME
	Review  string `yaml:"review"`
	URL     string `yaml:"url"`
}

// Equal reports whether two vouchers bring the same verdict; nil brings none.
func (v *Voucher) Equal(o *Voucher) bool {
	return (v == nil) == (o == nil) && (v == nil || *v == *o)
}

// ShownTexts are the texts of a task that an actor has in view who judges it by a
// board: those that its review began with, else those that the board has now.
func ShownTexts(b *Board, t *Task, by Actor) []TextRef {
	if t == nil {
		return nil
	}
	if _, held := t.HeldReview(by); held != nil {
		return held.Texts
	}
	return TextRefsOf(b, t)
}

// AfterRejection reports whether the claim answers a rejection. A claim after
// an unblock does not: the actor that unblocked the task has considered the
// rejection.
func (t *Task) AfterRejection() bool {
	return t.Claim != nil && t.Claim.From == Rejected && t.Rejection() != nil
}
