package main

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// taskFlags are the fields of a task that a user can set. nil means not
// given.
type taskFlags struct {
	Title     *string          `help:"What it is, in one line."`
	DoneWhen  *string          `help:"How a reviewer tells that it is done."`
	Spec      *string          `placeholder:"PATH[#ANCHOR]" help:"Where it is specified; the file must be on integration. ./PATH is from the current folder."`
	Scope     *string          `help:"What belongs to it and what does not."`
	Priority  *int             `placeholder:"1..5" help:"1 is first; default 3."`
	DependsOn []board.TaskID   `placeholder:"ID" help:"Tasks that must be merged before."`
	Owns      []string         `placeholder:"GLOB,…" help:"Paths that only this task changes while it is in work; repeatable."`
	Verify    *string          `placeholder:"CMD" help:"Shell command that must succeed at submit."`
	Kind      *board.Kind      `placeholder:"code|docs|config|spec" help:"Default code, which wants tests."`
	Stretch   *bool            `help:"Not planned for the sprint, only if there is time."`
	Role      *board.Role      `placeholder:"ROLE" help:"That does it; default coder."`
	BasedOn   []string         `placeholder:"PATH[#ANCHOR],…" help:"What it stands on beside its spec, as --spec; repeatable."`
	ReviewBy  []board.Role     `placeholder:"ROLE" help:"Roles that judge it beside those that the board asks for."`
	Without   []board.Role     `placeholder:"ROLE" help:"Roles that the board asks for and that do not judge it. Only a person leaves one out."`
	Meant     []board.ObjectID `placeholder:"OBJECT" help:"A blob or commit in which what looks like a key or a conflict is meant, beside those before. Only a person says so; repeatable."`
	Reverts   []board.TaskID   `placeholder:"ID" help:"Merged tasks that it takes back."`
	Phase     *board.PhaseID   `placeholder:"PHASE" help:"In which it is worked on, of the workflow of its goal; default the present one. any: in every one, which only a person says."`

	planFlags

	BudgetTokens *int64      `placeholder:"N" help:"How many tokens sessions on it may use; 0 for what the board says."`
	BudgetCost   *board.Cost `placeholder:"DOLLARS" help:"What sessions on it may cost; 0 for what the board says."`

	limitFlags
}

// planFlags are what a plan says of a task beside that. Its steps are in files alone.
type planFlags struct {
	Level           *int            `placeholder:"N" help:"From 1; default one more than that of the tasks that it depends on."`
	Estimate        *board.Duration `placeholder:"SPAN" help:"How long an agent works on it, such as 45m."`
	Label           []string        `placeholder:"WORD" data:"labels" help:"A label; repeatable."`
	Acceptance      []string        `sep:"none" placeholder:"TEXT" help:"A criterion that coder and reviewer are shown; repeatable."`
	Create          []string        `placeholder:"PATH,…" help:"A file that the work creates; repeatable. A task that owns nothing else owns these and those that it modifies."`
	Modify          []string        `placeholder:"PATH,…" help:"A file that the work changes; repeatable."`
	Read            []string        `placeholder:"PATH,…" help:"A file to read for it; repeatable."`
	Context         *board.LongText `placeholder:"TEXT|PATH#ANCHOR" help:"What an agent has to know, in place of the section of the spec."`
	Consumers       []board.TaskID  `placeholder:"ID" help:"Tasks that use what it makes."`
	IntegrationTest *string         `placeholder:"PATH" help:"The test that shows that they can."`
	VerifyTimeout   *board.Duration `placeholder:"SPAN" help:"How long verify may run; default 10m."`
}

// over replaces the fields of an input that were given.
func (f *planFlags) over(in *board.TaskInput) {
	put(&in.Level, f.Level)
	put(&in.Estimate, f.Estimate)
	put(&in.Context, f.Context)
	put(&in.IntegrationTest, f.IntegrationTest)
	put(&in.VerifyTimeout, f.VerifyTimeout)
	putList(&in.Labels, f.Label)
	putList(&in.Acceptance, f.Acceptance)
	putList(&in.Consumers, f.Consumers)
	if f.Create == nil && f.Modify == nil && f.Read == nil {
		return
	}
	var files board.Files
	put(&files, in.Files)
	putList(&files.Create, f.Create)
	putList(&files.Modify, f.Modify)
	putList(&files.Read, f.Read)
	in.Files = &files
}

// A reopensFlag names the task that a new one does again.
type reopensFlag struct {
	Reopens board.TaskID `placeholder:"ID" help:"A merged task that was taken back, or is taken back by one that this depends on: its work is done again."`
}

// limitFlags are the limits of a task; 0 is what the board says.
type limitFlags struct {
	MaxIterations          *int `placeholder:"N" help:"Claims of one attempt before the task is blocked; 0 for what the board says, here and below."`
	MaxReviewCycles        *int `placeholder:"N" help:"Rejections of one attempt."`
	MaxIntegrationFailures *int `placeholder:"N" help:"Failed merges."`
	MaxNoVerdicts          *int `placeholder:"N" help:"Reviews that ended without a verdict."`
	MaxFailedCoders        *int `placeholder:"N" help:"Different coders that failed it."`
	MaxFailures            *int `placeholder:"N" help:"Failures in all."`
}

// limits replaces the limits that were given. It returns nil if none is left.
func (f *limitFlags) limits(was *board.Limits) *board.Limits {
	if *f == (limitFlags{}) {
		return was
	}
	var l board.Limits
	put(&l, was)
	put(&l.Iterations, f.MaxIterations)
	put(&l.Cycles, f.MaxReviewCycles)
	put(&l.MergeFails, f.MaxIntegrationFailures)
	put(&l.NoVerdicts, f.MaxNoVerdicts)
	put(&l.FailedCoders, f.MaxFailedCoders)
	put(&l.Failures, f.MaxFailures)
	if l == (board.Limits{}) {
		return nil
	}
	return &l
}

// over replaces the fields of an input that were given.
func (f *taskFlags) over(in board.TaskInput) board.TaskInput {
	put(&in.Title, f.Title)
	put(&in.DoneWhen, f.DoneWhen)
	put(&in.Spec, f.Spec)
	put(&in.Scope, f.Scope)
	put(&in.Priority, f.Priority)
	put(&in.Verify, f.Verify)
	put(&in.Kind, f.Kind)
	put(&in.Stretch, f.Stretch)
	putList(&in.DependsOn, f.DependsOn)
	putList(&in.Owns, f.Owns)
	put(&in.Role, f.Role)
	put(&in.Phase, f.Phase)
	putList(&in.BasedOn, f.BasedOn)
	putList(&in.ReviewBy, f.ReviewBy)
	putList(&in.Without, f.Without)
	in.Meant = append(slices.Clone(in.Meant), lists.Where(f.Meant, func(o board.ObjectID) bool { return !slices.Contains(in.Meant, o) })...)
	putList(&in.Reverts, f.Reverts)
	f.planFlags.over(&in)
	in.Limits = f.limits(in.Limits)
	if f.BudgetTokens != nil || f.BudgetCost != nil {
		in.Budget = f.budget(in.Budget)
	}
	return in
}

// budget replaces the fields of a budget that were given. It returns nil if
// nothing of the budget is left.
func (f *taskFlags) budget(was *board.Budget) *board.Budget {
	var b board.Budget
	put(&b, was)
	put(&b.Tokens, f.BudgetTokens)
	put(&b.Cost, f.BudgetCost)
	if b == (board.Budget{}) {
		return nil
	}
	return &b
}

func put[T any](field *T, said *T) {
	if said != nil {
		*field = *said
	}
}

// putList sets a list if the command line says one.
func putList[T any](field *[]T, said []T) {
	if said != nil {
		*field = said
	}
}
