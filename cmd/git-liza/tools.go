package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/mcp"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/worktrees"
)

// A toolRow is a command that agents without a shell have as a tool.
type toolRow struct {
	name   string    // of the tool, and after a space its kind
	act    board.Act // the act of its move, zero if it makes none
	effect mcp.Effect
	whose  audience   // who has it
	about  string     // what it does and when to use it
	input  func() any // a new command whose arguments are not set
}

// tool is the name of the tool that the row is a part of.
func (row toolRow) tool() string {
	name, _, _ := strings.Cut(row.name, " ")
	return name
}

// runCommand runs a command whose arguments are set. Its Run asks for what it begins with: the
// clone of its actor, that clone and the board as it is, the board alone, a clone without an
// actor, or none of these. What its method said points to is read from standard input before,
// where it is "-".
func (inv *invocation) runCommand(command any) error {
	if c, ok := command.(interface{ said() *string }); ok {
		text, err := inv.text(*c.said())
		if err != nil {
			return err
		}
		*c.said() = text
	}
	switch c := command.(type) {
	case interface {
		Run(*invocation, *work.Clone) error
	}:
		return withClone(inv, c.Run)
	case interface {
		Run(*invocation, *work.Clone, *board.Board) error
	}:
		clone, err := inv.clone()
		if err != nil {
			return err
		}
		b, _, err := clone.Store.Board(inv.ctx)
		if err != nil {
			return err
		}
		return c.Run(inv, clone, b)
	case interface{ Run(*invocation, look) error }:
		return withLook(inv, c.Run)
	case interface {
		Run(*invocation, reader) error
	}:
		clone, err := inv.reader()
		if err != nil {
			return err
		}
		return c.Run(inv, reader{clone})
	}
	return command.(interface{ Run(*invocation) error }).Run(inv)
}

// A reader is a clone without an actor.
type reader struct{ clone *work.Clone }

// withClone runs what needs the clone of the actor.
func withClone(inv *invocation, run func(*invocation, *work.Clone) error) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	return run(inv, clone)
}

// withLook runs what needs the board as it is.
func withLook(inv *invocation, run func(*invocation, look) error) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	return run(inv, l)
}

// An audience is a set of those who have a tool: agents by what their role is
// for, and people.
type audience uint8

const (
	planners audience = 1 << iota
	doers
	judges
	people
	strangers // agents of a role that the board lacks
	answerers // agents that look for the answer of a question
	workers   = planners | doers | judges | people | strangers
	everybody = workers | answerers
	planning  = planners | people
)

// audienceOf is the audience of an actor whose role has that capacity.
func audienceOf(by board.Actor, capacity board.Capacity) audience {
	switch {
	case by.IsHuman():
		return people
	case capacity == board.Plans:
		return planners
	case capacity == board.Does:
		return doers
	case capacity == board.Judges:
		return judges
	}
	return strangers
}

// tools are the commands that agents have as tools. Claims, reviews and
// merges are left to supervisors, because an agent does not choose its work.
var tools = []toolRow{
	{"list", 0, mcp.Reads, everybody, "The tasks: states, who works on what, what each depends on. Use it to see where things stand.", newCommand[listCommand]},
	{"show", 0, mcp.Reads, everybody, "One task with its intent, findings, handoff, submissions and history. Read yours before you begin, and after a refusal.", newCommand[showCommand]},
	{"graph", 0, mcp.Reads, planning, "What each open task waits for, what is stuck in the way of others, and the longest chain of open tasks. Use it before you add, reorder or supersede tasks.", newCommand[graphCommand]},
	{"recall", 0, mcp.Reads, everybody, "What was said before about something, in moves, sessions and files. Use it before you try what may have been tried.", newCommand[recallTool]},
	{"await", 0, mcp.Reads, workers, "Wait, ten minutes at the most, for a verdict, a resubmission or a merge. Only if your prompt offers it; otherwise end the session.", newCommand[awaitTool]},
	{"note", board.ActNote, mcp.Adds, workers, "Leave a word for later prompts, of what no other tool says.", newCommand[noteCommand]},
	{"record anomaly", board.ActAnomaly, mcp.Adds, workers, "something went against the plan; a refusal names the details that its type needs.", newCommand[anomalyCommand]},
	{"record discovery", board.ActDiscover, mcp.Adds, workers, "work or a risk that is not part of your task.", newCommand[discoverCommand]},

	{"intent", board.ActIntent, mcp.Adds, doers, "Your plan, once per claim, before the first edit: commits without it are refused.", newCommand[intentCommand]},
	{"commit", 0, mcp.Adds, doers, "Commit all in your task's worktree, new files too. For clients without a shell.", newCommand[commitTool]},
	{"submit", board.ActSubmit, mcp.Adds, doers, "Ask for a review of your branch's tip, when all is committed and the checks passed. It runs the task's verify command.", newCommand[submitCommand]},
	{"handoff", board.ActHandoff, mcp.Adds, doers, "Report to the next coder, when you must stop early. Commit what is good first.", newCommand[handoffCommand]},
	{"block", board.ActBlock, mcp.Adds, doers | planning, "Stop work on a task until one to three questions are answered. That is no failure: the work is saved, and goes on with the last answer. With a reason it counts as one.", newCommand[blockCommand]},

	{"ask", board.ActAsk, mcp.Adds, doers | answerers, "Ask without stopping: the task stays yours. Without an answer in time go on with what is known, or hand off. Feedback on the plan is a question to a planner.", newCommand[askTool]},

	{"approve", board.ActApprove, mcp.Adds, judges, "Let the submitted commit reach integration, after you have read the change and seen its checks pass.", newCommand[approveTool]},
	{"reject", board.ActReject, mcp.Adds, judges | people, "Send the submitted commit back with at least one blocker.", newCommand[rejectTool]},

	{"task_add", board.ActAdd, mcp.Adds, planning, "Add tasks, all of them or none. They may depend on each other by the ids that you give them.", newCommand[taskAddTool]},
	{"plan_import", board.ActAdd, mcp.Adds, planning, "Enter a plan of many tasks in one move, all of them or none. A plan with errors changes nothing, and all errors are told at once, each with its line. A second import changes nothing.", newCommand[planImportTool]},
	{"task_edit", board.ActEdit, mcp.Undoes, planning, "Change a task that nobody works on. It takes the fields of task_add's tasks; what you leave out stays.", newCommand[taskEditTool]},
	{"finalize", board.ActFinalize, mcp.Adds, planning, "Make drafts claimable, once they say title, done_when, spec and scope.", newCommand[taskFinalizeCommand]},
	{"supersede", board.ActSupersede, mcp.Undoes, planning, "Replace a task whose framing was wrong by other tasks, new ones or ones that there are. It is final.", newCommand[supersedeTool]},
	{"abandon", board.ActAbandon, mcp.Undoes, planning, "Give a task up. It is final.", newCommand[abandonCommand]},
	{"answer", board.ActAnswer, mcp.Adds, planning | answerers, "Answer a question; show names those of a task. With the last answer the task goes on, unless a limit blocked it.", newCommand[answerTool]},
	{"unblock", board.ActUnblock, mcp.Adds, planning, "Send a blocked task back to work. Open questions to a person are closed only with unanswered.", newCommand[unblockCommand]},
	{"convert", board.ActConvert, mcp.Adds, planning, "Make a task of a discovery. It takes the fields of task_add's tasks.", newCommand[convertTool]},
	{"record defer", board.ActDefer, mcp.Adds, planning, "a discovery can wait, and wakes no planner until then.", newCommand[deferCommand]},
	{"record alignment", board.ActAlign, mcp.Adds, planning, "where the work stands against the goal's original intent; with answers, tasks that a decision held back can be claimed again.", newCommand[alignCommand]},

	{"pause", board.ActPause, mcp.Undoes, people, "Stop new claims on the whole board until somebody resumes. Sessions that run go on.", newCommand[pauseCommand]},
	{"resume", board.ActResume, mcp.Undoes, people, "Let claims go on after a pause, a stop or a checkpoint that was decided.", newCommand[resumeCommand]},
}

// newCommand returns a new command whose arguments are not set.
func newCommand[T any]() any { return new(T) }

// A commitTool commits a task's worktree as its coder's work.
type commitTool struct {
	ID      board.TaskID `arg:"" help:"The task that you hold."`
	Message string       `required:"" help:"The commit's message: a subject, and below an empty line why."`
}

// Run commits.
func (c *commitTool) Run(inv *invocation, clone *work.Clone, b *board.Board) error {
	t, by := b.Task(c.ID), clone.Caller.By
	if t == nil || t.Claim == nil || t.Claim.By != by {
		return &flow.Refusal{Rule: flow.RuleHolder, Reason: fmt.Sprintf("%s does not hold %s", by, board.Excerpt(string(c.ID), 80)), Hint: "git liza list --mine"}
	}
	if clone.Checkouts.Trees == nil {
		return worktrees.ErrNoWorkTree
	}
	author := append(slices.Clone(inv.environ), "GIT_AUTHOR_NAME="+string(by), "GIT_AUTHOR_EMAIL="+string(by)+"@liza.invalid")
	if err := clone.Checkouts.Commit(inv.ctx, c.ID, clone.Checkouts.Folder(t), c.Message, author); err != nil {
		return err
	}
	tip, err := clone.Repo.Refs.Resolve(inv.ctx, c.ID.BranchRef())
	if err != nil {
		return err
	}
	return inv.answer("changed", map[string]any{"task": c.ID, "commit": tip}, fmt.Sprintf("%s is at %s", c.ID.Branch(), tip.Short()))
}

// A findingTool is one remark of a review.
type findingTool struct {
	File       string `help:"The file that it is about."`
	Line       int    `help:"The line, 0 for the whole file."`
	Issue      string `required:"" help:"What is wrong."`
	Why        string `help:"Why it matters."`
	Suggestion string `help:"What would mend it."`
}

// A priorTool says what became of an earlier blocker.
type priorTool struct {
	Finding string        `required:"" help:"The blocker's number in the last rejection, or its text."`
	Status  board.Outcome `required:"" help:"What became of it."`
}

// A rejectTool is reject with its reason as data.
type rejectTool struct {
	ID       board.TaskID  `arg:"" help:"The task."`
	Commit   string        `required:"" help:"The full id of the submitted commit."`
	Blockers []findingTool `required:"" help:"What must be mended before it can be approved; at least one."`
	Concerns []findingTool `schema:"-" help:"What the coder should weigh, each as a blocker; none holds the task up."`
	Prior    []priorTool   `help:"What became of every blocker of the last rejection."`
	Overall  string        `help:"The judgement in a sentence."`
	Role     board.Role    `help:"Of a person: for which role."`
}

// Run rejects.
func (c *rejectTool) Run(inv *invocation) error {
	finding := func(one findingTool) board.Finding { return board.Finding(one) }
	f := board.Feedback{Overall: c.Overall, Blockers: lists.Of(c.Blockers, finding), Concerns: lists.Of(c.Concerns, finding)}
	f.Prior = lists.Of(c.Prior, func(one priorTool) board.Prior { return board.Prior(one) })
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	return reject(inv, clone, c.ID, flow.RejectMove{Commit: board.ObjectID(c.Commit), Feedback: f, Role: c.Role})
}

// A newTaskTool is a task that does not exist yet.
type newTaskTool struct {
	ID    board.TaskID `help:"Default: the next task-N."`
	Draft bool         `help:"Not claimable until it is finalized."`
	taskFlags
	reopensFlag
}

func inputs(list []newTaskTool) []board.TaskInput {
	return lists.Of(list, func(t newTaskTool) board.TaskInput {
		return t.over(board.TaskInput{ID: t.ID, Draft: t.Draft, Reopens: t.Reopens})
	})
}

// A taskAddTool adds tasks in one move.
type taskAddTool struct {
	Tasks []newTaskTool `required:"" help:"The tasks. All but drafts need title, done_when, spec and scope."`
}

// Run adds them.
func (c *taskAddTool) Run(inv *invocation, clone *work.Clone) error {
	return inv.addTasks(clone, inputs(c.Tasks), "", nil)
}

// A supersedeTool is supersede with its replacements as data.
type supersedeTool struct {
	ID     board.TaskID   `arg:"" help:"The task that is replaced."`
	Reason string         `required:"" help:"Why, with the root cause."`
	By     []board.TaskID `help:"Tasks that there are and that replace it."`
	Tasks  []newTaskTool  `schema:"-" help:"New tasks that replace it, each as in task_add."`
}

// Run supersedes.
func (c *supersedeTool) Run(inv *invocation) error {
	return inv.supersede(c.ID, flow.SupersedeMove{Reason: c.Reason, By: c.By, Add: inputs(c.Tasks)}, "", nil)
}

// A taskEditTool is task edit of one task.
type taskEditTool struct {
	ID board.TaskID `arg:"" help:"The task."`
	taskChanges
}

// Run edits.
func (c *taskEditTool) Run(inv *invocation, clone *work.Clone) error {
	return c.edit(inv, clone, c.ID)
}

// A convertTool makes a task of a discovery.
type convertTool struct {
	Discovery   board.RecordID `arg:"" help:"Its id, such as sprint-1/3."`
	ID          board.TaskID   `help:"Default: the next task-N."`
	Draft       bool           `help:"Not claimable until it is finalized."`
	taskFlags   `schema:"-"`
	reopensFlag `schema:"-"`
}

// Run converts.
func (c *convertTool) Run(inv *invocation, clone *work.Clone) error {
	return inv.convert(clone, c.Discovery, c.over(board.TaskInput{ID: c.ID, Draft: c.Draft, Reopens: c.Reopens}))
}
