package main

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
)

type goalCommands struct {
	Show   goalShowCommand   `cmd:"" default:"withargs" help:"Show a goal with its phase, its levels, and what came of the stories of a loop; the default."`
	List   goalListCommand   `cmd:"" help:"List all goals."`
	Done   goalDoneCommand   `cmd:"" help:"Say that the goal is reached."`
	Abort  goalAbortCommand  `cmd:"" help:"Give the goal up."`
	Reopen goalReopenCommand `cmd:"" help:"Go on with a goal that has ended, in a new sprint."`
	Set    goalSetCommand    `cmd:"" help:"Set a new goal, which becomes the current one; without a title, give the current one another workflow."`

	Schedule goalScheduleCommand `cmd:"" help:"Say what holds back the tasks of a goal beside what they depend on."`
	Focus    focusCommand        `cmd:"" help:"What commands of this clone are about that name no goal and no task."`
	Level    levelCommands       `cmd:"" help:"The levels of a goal, which goal show has."`
	Phase    phaseCommands       `cmd:"" help:"The phases of a goal, which goal show has."`
}

type goalListCommand struct{}

func (c *goalListCommand) Run(inv *invocation, l look) error {
	on, err := focusedGoal(inv, l.clone)
	if err != nil {
		return err
	}
	goals := view.Goals(l.reading.Board, l.reading.Board.Tasks(), board.GoalID(on.Goal))
	return l.answer(inv, map[string]any{"goals": goals}, view.GoalTable(goals).Text(inv.width()))
}

type goalDoneCommand struct {
	ID     board.GoalID `arg:"" optional:"" help:"Default: the current goal."`
	Reason string       `help:"What shows it; - for standard input."`
	Force  string       `placeholder:"abandon|keep|GOAL" help:"What becomes of its open tasks: they are given up, stay as they are, or pass to another goal."`
}

func (c *goalDoneCommand) said() *string { return &c.Reason }

func (c *goalDoneCommand) Run(inv *invocation) error {
	m := &flow.CompleteMove{Reason: c.Reason}
	if c.Force != "" && m.Open.UnmarshalText([]byte(c.Force)) != nil {
		m.Open = board.TasksMoved
		if err := m.To.UnmarshalText([]byte(c.Force)); err != nil {
			return usagef("git liza help goal done", "--force: %v", err)
		}
	}
	clone, err := openGoal(inv, c.ID)
	if err != nil {
		return err
	}
	if err := (work.Stages{Clone: clone}).PassGoal(inv.ctx, m); err != nil {
		return err
	}
	return inv.goalEnd(c.ID, board.ActComplete, m)
}

type goalAbortCommand struct {
	ID     board.GoalID `arg:"" optional:"" help:"Default: the current goal."`
	Reason string       `required:"" help:"Why; - for standard input."`
}

func (c *goalAbortCommand) said() *string { return &c.Reason }

func (c *goalAbortCommand) Run(inv *invocation) error {
	return inv.goalEnd(c.ID, board.ActAbort, &flow.AbortMove{Reason: c.Reason})
}

type goalReopenCommand struct {
	ID     board.GoalID `arg:"" help:"A goal that has ended."`
	Reason string       `required:"" help:"Why; - for standard input."`
}

func (c *goalReopenCommand) said() *string { return &c.Reason }

func (c *goalReopenCommand) Run(inv *invocation) error {
	_, r, err := inv.goalMove(c.ID, board.ActReopen, func(*work.Clone, *board.Board) flow.Detail { return &flow.ReopenMove{Reason: c.Reason} })
	if err != nil {
		return err
	}
	return inv.goalResult(r)
}

type goalSetCommand struct {
	Title string       `arg:"" optional:"" help:"The goal; its first line is the title."`
	Spec  string       `placeholder:"PATH" help:"Its spec; the file must be on integration. Default: a page that the goal's words make, committed on the current branch and adopted."`
	ID    board.GoalID `name:"id" help:"Default: the next goal-N; without a title the current goal."`

	Priority int          `placeholder:"N" help:"From 1, the first, to 5; default 3."`
	Pivot    board.GoalID `placeholder:"GOAL" help:"The goal that it takes the place of, by a decision PIVOT; default: the only one that waits for that."`
	Beside   bool         `help:"It takes the place of none."`

	Workflow string        `placeholder:"NAME|FILE" help:"The phases that it goes through: git liza artifact define lists the workflows; default liza, which has none. Without a title the goal gets another one, or its own as the file is now: the board has a copy."`
	Phase    board.PhaseID `placeholder:"PHASE" help:"In which it begins; default the first, and of its own workflow the same."`
	Every    string        `placeholder:"none|task|phase" help:"Ask a person: for a verdict on each submission, or before each next phase."`
	Map      []string      `sep:"none" placeholder:"OLD=NEW" help:"Without a title: the phase that open tasks of another one get; none=NEW for those that have none. Repeatable."`
	Reason   string        `help:"Without a title: why; - for standard input."`
}

// workflow reads the workflow that the goal is to have.
func (c *goalSetCommand) workflow(inv *invocation) (w *board.Workflow, every board.Every, err error) {
	if every, err = parseEvery(c.Every, 0); err != nil || c.Workflow == "" {
		return nil, every, err
	}
	clone, err := inv.reader()
	if err != nil {
		return nil, 0, err
	}
	w, err = readWorkflow(inv, clone, c.Workflow)
	return w, every, err
}

// pivot returns the goal that the new one takes the place of.
func (c *goalSetCommand) pivot(b *board.Board) board.GoalID {
	if waiting := board.Pivoting(b); c.Pivot == "" && !c.Beside && len(waiting) == 1 {
		return waiting[0]
	}
	return c.Pivot
}

func (c *goalSetCommand) Run(inv *invocation) error {
	switch {
	case c.Title == "" && c.Spec == "" && c.Workflow == "":
		return usagef("git liza help goal set", "a new goal needs a title, and another workflow for the current one its name")
	case c.Title == "" && c.Spec == "" && (c.Priority != 0 || c.Pivot != "" || c.Beside):
		return usagef("git liza help goal set", "without a title only --workflow, --id, --phase, --every, --map and --reason say something")
	case c.Title == "" && c.Spec == "":
		return c.reload(inv)
	case len(c.Map) > 0 || c.Reason != "":
		return usagef("git liza help goal set", "a new goal has no tasks to give other phases: --map and --reason go without a title")
	}
	w, every, err := c.workflow(inv)
	if err != nil {
		return err
	}
	if c.Spec == "" {
		if err := c.addPage(inv); err != nil {
			return err
		}
	}
	title, _, _ := strings.Cut(board.Clean(c.Title), "\n")
	clone, r, err := inv.goalMove("", board.ActGoal, func(clone *work.Clone, b *board.Board) flow.Detail {
		return &flow.GoalMove{ID: c.id(b), Title: title, Spec: clone.Specs.Rooted(c.Spec), Priority: c.Priority, Pivot: c.pivot(b), Workflow: w, Phase: c.Phase, Every: every}
	})
	if err != nil {
		return err
	}
	warning, err := unwritten(inv, clone.Repo, r.After)
	if err != nil {
		return err
	}
	if warning == "" {
		return inv.goalResult(r)
	}
	inv.progress("warning: %s", warning)
	return inv.goalResult(r, view.Member{Key: "warning", Value: warning})
}

func (c *goalSetCommand) id(b *board.Board) board.GoalID {
	return cmp.Or(c.ID, board.GoalID("goal-"+strconv.Itoa(b.Settings().Next.Goal)))
}

// addPage makes the goal's words its spec.
func (c *goalSetCommand) addPage(inv *invocation) error {
	clone, err := openGoal(inv, "")
	if err != nil {
		return err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	at := clone.Store.Now()
	if refusal := cmp.Or(flow.Opens(b, board.ActGoal, "", clone.Caller, at), flow.Opens(b, board.ActAdopt, "", clone.Caller, at)); refusal != nil {
		return refusal
	}
	if take := takeCommand(inv, clone.Repo, b); take != "" {
		return &flow.Refusal{Rule: flow.RuleAncestry, Reason: "your branch lacks what was merged, and the page of the goal is committed on it", Hint: take}
	}
	if c.Spec, err = work.AddPage(inv.ctx, clone, b, c.id(b), c.Title); err == nil {
		inv.progress("%s is written, committed and adopted; to say more, edit and commit it, then: git liza adopt HEAD --reason R", c.Spec)
	}
	return err
}

// goalEnd ends a goal, lists its open tasks and warns of changes of specs that its
// changelog lacks.
func (inv *invocation) goalEnd(goal board.GoalID, act board.Act, detail flow.Detail) error {
	clone, r, err := inv.goalMove(goal, act, func(*work.Clone, *board.Board) flow.Detail { return detail })
	if err != nil {
		return err
	}
	goal = movedGoal(r)
	isOpen := func(t board.Summary) bool { return t.Goal == goal && !t.Status.Final() }
	open := append([]board.TaskID{}, lists.Of(lists.Where(r.After.Tasks(), isOpen), func(t board.Summary) board.TaskID { return t.ID })...)
	if len(open) > 0 {
		inv.progress("warning: open in %s: %s, which agents no longer take (git liza list --goal %s); to go on with them: git liza goal reopen %s --reason R",
			goal, view.Count(len(open), "task"), goal, goal)
	}
	unentered, err := work.Unentered(inv.ctx, clone, goal)
	if err != nil { // the goal has ended all the same
		inv.progress("warning: what changed in the specs of %s cannot be read: %v", goal, err)
	} else if text := work.UnenteredText(unentered); text != "" {
		inv.progress("warning: %s", text)
	}
	return inv.goalResult(r, view.Member{Key: "open", Value: open}, view.Member{Key: "unentered", Value: append([]board.SprintID{}, unentered...)})
}

// goalMove makes a move on a goal; "" is the usual one.
func (inv *invocation) goalMove(goal board.GoalID, act board.Act, detail func(*work.Clone, *board.Board) flow.Detail) (*work.Clone, gitstore.Result, error) {
	clone, err := openGoal(inv, goal)
	if err != nil {
		return nil, gitstore.Result{}, err
	}
	r, err := clone.Move(inv.ctx, act, "", func(b *board.Board) (flow.Detail, error) { return detail(clone, b), nil })
	return clone, r, err
}

// movedGoal returns the goal of a move.
func movedGoal(r gitstore.Result) board.GoalID {
	return cmp.Or(r.Move.Goal, r.After.Settings().Goal)
}

// goalResult prints the goal's state. more is added for --json.
func (inv *invocation) goalResult(r gitstore.Result, more ...view.Member) error {
	g := r.After.Goal(movedGoal(r))
	return inv.result(r, append(view.ObjectOf(g), more...), "%s %s: %s", g.ID, g.Status, plaintext.Line(g.Title))
}
