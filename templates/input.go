package templates

import (
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// An Input holds the facts for a prompt. The first four fields and the role's
// work are required: the task of a role that does tasks, with its submission of
// one that judges, the triggers of one that plans. All other fields are optional.
type Input struct {
	Role   board.Role
	Row    *board.RoleRow // of the role, on the board
	Kernel string         // the contract, Markdown
	Goal   *board.Goal
	Roles  []board.Role // that layers may have folders for; nil: the first three

	Agent    board.AgentID
	Worktree string // the folder in which the agent is started
	Task     *board.Task
	Limits   board.Limits // of the board; a task's own limits override them
	Notes    []*board.Note
	// Questions about the task, or about the tasks of a planner's triggers: those
	// with an answer, and for a planner the open ones.
	Questions []*board.Question
	// Anomalies that were recorded of the task, of what stands on the same spec, and of
	// work in the same paths.
	Anomalies   []*board.Anomaly
	Lessons     []string // that concern its paths, each with its source
	LessonsLeft int      // how many more concern them
	Rejections  []string // of other tasks in the same paths, each with its source

	Gates       []string // NAME: COMMAND of the board
	Conventions []string // files with the project's conventions, as git show names them on integration

	Failure string // how the previous session on this work failed
	Report  string // "supervisor" if the supervisor reports the agent's last message for it; otherwise the agent reports itself

	// Compliance is how well the provider keeps contracts: full, partial or
	// unknown. If it is not full, the prompt repeats the invariants at its end.
	Compliance string
	Advice     string         // on the program in which the agent runs
	Confined   bool           // the kernel keeps the session to its checkout and a home of its own
	Await      board.Duration // how long a coder may wait in its session for the verdict; 0: not at all
	Denied     []string       // paths that the role may not write, as globs
	Specs      []Spec         // of the task and of the goal, one per path
	Log, Diff  Cut            // commits and changes of the submission, for who judges it
	Order      string         // of tests and code in the commits of the submission, "" if it has no code
	Withheld   []string       // paths of the submission that the worktree of a review has as integration has them
	Context    string         // of the task, which stands in place of the spec's section

	Phase   *Phase  // that the task belongs to, nil where the goal has no phases
	Needed  string  // what the tasks that it depends on came to
	Stories []Story // of a loop, that were worked on before the task

	// Asked is the question that the session is to answer, about Task, whatever the role is
	// for; nil for other work. Chain are the questions for whose answer it is asked.
	Asked *board.Question
	Chain []*board.Question

	Triggers    []flow.Trigger     // why a planner was woken
	Held        []board.TaskID     // tasks of the goal that a decision holds back
	About       []*board.Task      // the tasks that the triggers name
	Discoveries []*board.Discovery // not converted yet
	Board       []board.Summary    // every live task
}

// A Phase is what a session is told of the phase that its task belongs to.
type Phase struct {
	Workflow string
	Name     string // with its place among the others
	About    string
	Asked    []string // the artifacts that it produces, and by which command each begins
	Approved []string // the approved artifacts of the goal, as git names their texts on integration, quoted for a shell
}

// A Story is a task of a loop, and what the work on it left for the next one.
type Story struct {
	Title    string
	Status   string
	Patterns []string // what was done, how it was checked, what was found
	Failures []string // by what it failed, if it did
}

// A basis holds what roles of a capacity share: the folder of the templates
// that they have in common, and what their prompts need.
type basis struct {
	capacity board.Capacity
	folder   board.Role
	needs    func(Input) string // returns what is missing, "" if nothing is
}

// bases has a row per capacity.
var bases = []basis{
	{board.Plans, board.Planner, needsTrigger},
	{board.Does, board.Coder, needsTask},
	{board.Judges, board.CodeReviewer, needsSubmission},
}

// Capacity is what agents of the role do, zero if the row is missing or
// another role's.
func (in Input) Capacity() board.Capacity {
	if in.Row == nil || in.Row.Name != in.Role {
		return 0
	}
	return in.Row.Capacity
}

// folders are the folders whose files make up a prompt for the role, the role's
// own last.
func (in Input) folders() []string {
	list := []string{shared}
	if in.Asked != nil {
		return append(list, answers)
	}
	for _, b := range bases {
		if b.capacity == in.Capacity() && b.folder != in.Role {
			list = append(list, b.folder.String())
		}
	}
	return append(list, in.Role.String())
}

// Own is what the role holds of the task; zero without a task.
func (in Input) Own() board.Judgement {
	if in.Task == nil {
		return board.Judgement{}
	}
	return in.Task.Judgement(in.Role)
}

// Missing are the other roles that have still to approve the submission.
func (in Input) Missing() []board.Role {
	return slices.DeleteFunc(in.Task.Missing(), func(r board.Role) bool { return r == in.Role })
}

// Others are the judgements of other roles that have open blockers. For a role
// that does the task, the other roles are those that did not reject it last.
func (in Input) Others() []board.Judgement {
	apart := in.Role
	if in.Capacity() == board.Does {
		apart = in.Task.RejectedBy
	}
	return lists.Where(in.Task.Judgements, func(j board.Judgement) bool {
		return j.Role != apart && j.Rejection != nil && len(j.Rejection.Blockers) > 0
	})
}

func needsTrigger(in Input) string {
	if len(in.Triggers) == 0 {
		return "a trigger"
	}
	return ""
}

func needsTask(in Input) string {
	if in.Task == nil {
		return "a task"
	}
	return ""
}

func needsSubmission(in Input) string {
	if in.Task == nil || in.Task.Submission == nil {
		return "a task with a submission"
	}
	return ""
}

// check refuses an input that lacks a part of the prompt.
func (in Input) check() error {
	for _, b := range bases {
		if b.capacity != in.Capacity() {
			continue
		}
		missing := b.needs(in)
		if in.Asked != nil {
			missing = needsTask(in)
		}
		switch {
		case in.Kernel == "":
			missing = "a contract"
		case in.Goal == nil:
			missing = "a goal"
		}
		if missing != "" {
			return fmt.Errorf("a prompt for a %s needs %s", in.Role, missing)
		}
		return nil
	}
	return fmt.Errorf("no prompt for role %s", in.Role)
}

// limits returns the board's limits, overridden by the task's own.
func (in Input) limits() board.Limits {
	limits := in.Limits
	if in.Task == nil || in.Task.Limits == nil {
		return limits
	}
	if own := in.Task.Limits.Iterations; own > 0 {
		limits.Iterations = own
	}
	if own := in.Task.Limits.Cycles; own > 0 {
		limits.Cycles = own
	}
	return limits
}
