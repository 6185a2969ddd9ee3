package templates

import (
	"fmt"

	"github.com/git-liza/git-liza/flow"
)

// An Input holds the facts for a prompt. The first three fields and the
// role's work are required: a coder's task, a reviewer's task with its
// submission, a planner's triggers. All other fields are optional.
type Input struct {
	Role   flow.Role
	Kernel string // the contract, Markdown
	Goal   *flow.Goal

	Agent    flow.AgentID
	Worktree string // the folder in which the agent is started
	Task     *flow.Task
	Limits   flow.Limits // of the board; a task's own limits override them
	Notes    []*flow.Note
	Failure  string // how the previous session on this work failed
	Report   string // "supervisor" if the supervisor reports the agent's last message for it; otherwise the agent reports itself

	// Compliance is how well the provider keeps contracts: full, partial or
	// unknown. If it is not full, the prompt repeats the invariants at its end.
	Compliance string
	Await      flow.Duration // how long a coder may wait in its session for the verdict; 0: not at all
	Denied     []string      // paths that the role may not write, as globs
	Specs      []Spec        // of the task and of the goal, one per path

	Triggers    []flow.Trigger    // why a planner was woken
	About       []*flow.Task      // the tasks that the triggers name
	Discoveries []*flow.Discovery // not converted yet
	Board       []flow.Summary    // every live task
}

// A row holds what a role needs beside the files in its folder.
type row struct {
	role  flow.Role
	needs func(Input) string // returns what is missing, "" if nothing is
}

// roles has a row per role that can be prompted.
var roles = []row{
	{flow.Planner, needsTrigger},
	{flow.Coder, needsTask},
	{flow.CodeReviewer, needsSubmission},
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
	for _, r := range roles {
		if r.role != in.Role {
			continue
		}
		missing := r.needs(in)
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
func (in Input) limits() flow.Limits {
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
