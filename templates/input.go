package templates

import (
	"fmt"

	"github.com/git-liza/git-liza/flow"
)

// An Input is what a prompt tells. The first three and what the role's work
// consists of must be there: a coder's task, a reviewer's task with its
// submission, a planner's triggers. The rest may be left out.
type Input struct {
	Role   flow.Role
	Kernel string // the contract, Markdown
	Goal   *flow.Goal

	Agent    flow.AgentID
	Worktree string // the folder in which the agent is started
	Task     *flow.Task
	Limits   flow.Limits // of the board; the task's own go before them
	Notes    []*flow.Note
	Failure  string // how the previous session on this work failed
	Report   string // "supervisor" where the agent's last message is reported for it, else it reports itself

	// Compliance is how well the provider keeps contracts: full, partial or
	// unknown. Where it is not full the prompt ends with the invariants once more.
	Compliance string
	Await      flow.Duration // how long a coder may wait in its session for the verdict; 0: not at all
	Denied     []string      // paths that the role may not write, as globs

	Triggers    []flow.Trigger    // why a planner was woken
	About       []*flow.Task      // the tasks that the triggers name
	Discoveries []*flow.Discovery // not converted yet
	Board       []flow.Summary    // every live task
}

// A row is what is particular to a role beside the files in its folder.
type row struct {
	role  flow.Role
	needs func(Input) string // what is missing, "" if nothing is
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

// check refuses an input that would make a prompt with holes.
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

// limits are the board's with the task's own before them.
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
