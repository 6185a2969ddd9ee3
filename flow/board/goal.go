package board

import (
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
)

// A Goal is what the human wants, the document goals/<id>.yaml.
type Goal struct {
	ID        GoalID      `yaml:"id"`
	Title     string      `yaml:"title"`
	Spec      string      `yaml:"spec"`
	Status    Phase       `yaml:"status"`
	Created   time.Time   `yaml:"created"`
	CreatedBy Actor       `yaml:"created_by"`
	Ended     time.Time   `yaml:"ended"`
	Reason    string      `yaml:"reason"` // why it ended
	Alignment []Alignment `yaml:"alignment"`
	Changes   []Change    `yaml:"spec_changes"`
	Usage     Usage       `yaml:"usage"`
	Priority  int         `yaml:"priority"`    // from 1, the first, to 5
	Sprint    SprintID    `yaml:"sprint"`      // the open one, "" between two
	Next      SprintID    `yaml:"next_sprint"` // reserved for the next one; "" while one is open
	Added     int         `yaml:"tasks_added"` // how many tasks were ever entered

	Merged       int    `yaml:"tasks_merged"`  // how many tasks of it ever became MERGED
	AtCheckpoint *Tally `yaml:"at_checkpoint"` // when the last checkpoint was made; nil is zero
	Hold         *Hold  `yaml:"hold"`

	Schedule *Schedule  `yaml:"schedule"` // nil is that of the configuration
	Pressure []Pressure `yaml:"pressure"`
	Streak   *Streak    `yaml:"streak"` // of failures; nil if the last claim did not fail

	Workflow   string    `yaml:"workflow"` // its name; "" is [PlainWorkflow], which has no document
	Phase      PhaseID   `yaml:"phase"`    // "" without a workflow
	PhaseSince time.Time `yaml:"phase_since"`
	Begun      []PhaseID `yaml:"begun"` // phases that it entered forward; their templates are not added again
	Every      Every     `yaml:"every"` // what a person is asked at
	Loop       *Loop     `yaml:"loop"`
	Plans      []PlanRef `yaml:"plans"` // that tasks were imported from, each path once

	Failed int `yaml:"failed_level"` // the highest level that failed and has not passed since; 0 is none
}

// A Tally is what a goal had reached and used at some time.
type Tally struct {
	Merged int   `yaml:"merged"`
	Tokens int64 `yaml:"tokens"`
	Cost   Cost  `yaml:"cost"`
}

// A Hold keeps tasks of a goal from being claimed until a decision is answered.
type Hold struct {
	Checkpoint string    `yaml:"checkpoint"` // the mark whose decision it follows
	Decision   string    `yaml:"decision"`   // REPLAN, ADJUST_SPECS or PIVOT
	Message    string    `yaml:"message"`
	Tasks      []TaskID  `yaml:"tasks"` // none: every task of the goal that was there then and is UNCLAIMED
	By         Actor     `yaml:"by"`
	At         time.Time `yaml:"at"`
}

// Keeps reports whether a task in a state, created at that time, is held.
func (h *Hold) Keeps(id TaskID, in Status, created time.Time) bool {
	switch {
	case h == nil:
		return false
	case h.Decision == "PIVOT":
		return true
	case len(h.Tasks) > 0:
		return slices.Contains(h.Tasks, id)
	}
	return in == Unclaimed && !created.After(h.At)
}

// An Alignment is one line of a goal's history: where things stand against
// the original intent.
type Alignment struct {
	Text string    `yaml:"text"`
	By   Actor     `yaml:"by"`
	At   time.Time `yaml:"at"`
}

// A Change is a recorded change of a spec.
type Change struct {
	Spec   string    `yaml:"spec"`
	Change string    `yaml:"change"`
	Task   TaskID    `yaml:"task"`
	By     Actor     `yaml:"by"`
	At     time.Time `yaml:"at"`
}

// A Sprint is a slice of a goal, the document sprints/<id>.yaml. The tasks
// record which sprint they belong to.
type Sprint struct {
	ID       SprintID       `yaml:"id"`
	Goal     GoalID         `yaml:"goal"`
	Status   Phase          `yaml:"status"`
	Started  time.Time      `yaml:"started"`
	Deadline time.Time      `yaml:"deadline"`
	Ended    time.Time      `yaml:"ended"`
	Reason   string         `yaml:"reason"`
	Carried  []TaskID       `yaml:"carried"` // unfinished tasks that passed to the next sprint, at most MaxList
	Retro    string         `yaml:"retro"`
	Usage    Usage          `yaml:"usage"`
	Archived int            `yaml:"archived"`      // planned tasks of it in the archive
	Words    *Retrospective `yaml:"retrospective"` // beside Retro
}

// A Retrospective is what a sprint taught, in three lists.
type Retrospective struct {
	Gaps      []string  `yaml:"spec_gaps"`
	Contracts []string  `yaml:"contract_observations"`
	Actions   []string  `yaml:"actions"`
	By        Actor     `yaml:"by"`
	At        time.Time `yaml:"at"`
}

// A SprintPlan is what a sprint planned when it began, the document
// planned/<sprint>.yaml. A sprint that planned nothing has none.
type SprintPlan struct {
	Sprint  SprintID `yaml:"sprint"`
	Planned TaskIDs  `yaml:"planned"`
	Stretch TaskIDs  `yaml:"stretch"`
}

// Pivoting are the goals in progress that wait for another one to take their place.
func Pivoting(b *Board) []GoalID {
	waiting := lists.Where(b.GoalsInProgress(), func(g *Goal) bool { return g.Hold != nil && g.Hold.Decision == "PIVOT" })
	return lists.Of(waiting, func(g *Goal) GoalID { return g.ID })
}

// CountFailed enters how a level went in the highest one that failed and has not passed.
func (g *Goal) CountFailed(level int, passed bool) {
	switch {
	case !passed:
		g.Failed = max(g.Failed, level)
	case g.Failed == level:
		g.Failed = 0
	}
}

// A Loop bounds a goal whose tasks agents do one after the other.
type Loop struct {
	Path       string   `yaml:"path"` // of the stories, which is the spec of the goal
	Blob       ObjectID `yaml:"blob"` // as they were read
	Iterations int      `yaml:"iterations"`
	Tokens     int64    `yaml:"tokens"`          // 0 sets no bound
	Cost       Cost     `yaml:"cost"`            // 0 sets no bound
	Wall       Duration `yaml:"wall"`            // since the goal was set; 0 sets no bound
	Used       int      `yaml:"iterations_used"` // claims of agents
	Denies     []string `yaml:"denies"`          // globs of paths that no task of the goal changes
	Judge      Role     `yaml:"judge"`           // in place of the roles that judge everything; "" leaves those
}

// LoopOf is the loop of a goal, nil if it has none.
func LoopOf(b *Board, goal GoalID) *Loop {
	if g := b.Goal(goal); g != nil {
		return g.Loop
	}
	return nil
}

// Unbounded is the loop without its bounds; nil stays nil.
func (l *Loop) Unbounded() *Loop {
	if l == nil {
		return nil
	}
	rest := *l
	rest.Iterations, rest.Tokens, rest.Cost, rest.Wall = 0, 0, 0, 0
	return &rest
}

// LoopBound names the bound of the goal's loop by which agents claim nothing of it at a
// time, as the flags of git liza loop do; "" if there is none.
func (g *Goal) LoopBound(at time.Time) string {
	l := g.Loop
	switch {
	case l == nil:
	case l.Used >= l.Iterations:
		return "iterations"
	case l.Tokens > 0 && g.Usage.Tokens() >= l.Tokens:
		return "tokens"
	case l.Cost > 0 && g.Usage.Cost >= l.Cost:
		return "cost"
	case l.Wall > 0 && !at.Before(g.Created.Add(time.Duration(l.Wall))):
		return "wall"
	}
	return ""
}

// TaskDenials are the globs of paths that the work on a task does not change, whoever does
// it.
func TaskDenials(b *Board, t *Task) []string {
	l := LoopOf(b, t.Goal)
	if l == nil {
		return t.Denies
	}
	return slices.Concat(t.Denies, l.Denies, []string{glob.Quote(l.Path)})
}

// OpenSprints are the open sprints of all goals.
func OpenSprints(b *Board) []SprintID {
	list := lists.Of(b.GoalsInProgress(), func(g *Goal) SprintID { return g.Sprint })
	return slices.DeleteFunc(list, func(id SprintID) bool { return id == "" })
}

// PlanOf is what a sprint planned when it began; nil if it planned nothing.
func PlanOf(b *Board, id SprintID) *SprintPlan {
	plan, _ := b.Load(Key{PlannedDocs, string(id)}).(*SprintPlan)
	return plan
}

// A Cause is why a checkpoint was made that no person asked for. The zero value is
// none.
type Cause uint8

// The causes of checkpoints.
const (
	CauseDeadline Cause = iota + 1 // of the sprint is over
	CauseMerges                    // so many since the last checkpoint
	CauseBudget                    // such a share of it is used since the last checkpoint
	CauseFile                      // a person put it there
	CauseGate                      // it cannot run on two hosts
)

var causeNames = names{"cause", "deadline", "merges", "budget", "file", "gate"}

// String is the cause as moves spell it.
func (c Cause) String() string { return causeNames.name(uint8(c)) }

// MarshalText writes the name; the zero value is an error.
func (c Cause) MarshalText() ([]byte, error) { return causeNames.marshal(uint8(c)) }

// UnmarshalText accepts exactly the names of [Cause.String].
func (c *Cause) UnmarshalText(text []byte) error { return unmarshalName(c, text, causeNames) }

// A Fate is what becomes of the open tasks of a goal that is reached. The zero
// value says nothing about them.
type Fate uint8

// The fates of open tasks.
const (
	TasksAbandoned Fate = iota + 1 // they are given up
	TasksMoved                     // they pass to another goal
	TasksKept                      // they stay as they are, and agents no longer take them
)

var fateNames = names{"fate of tasks", "abandon", "move", "keep"}

// String is the fate as commands name it.
func (f Fate) String() string { return fateNames.name(uint8(f)) }

// MarshalText writes the name; the zero value is an error.
func (f Fate) MarshalText() ([]byte, error) { return fateNames.marshal(uint8(f)) }

// UnmarshalText accepts exactly the names of [Fate.String].
func (f *Fate) UnmarshalText(text []byte) error { return unmarshalName(f, text, fateNames) }

// OpenTasksOf are the tasks of a goal that are not final, in order of creation.
func OpenTasksOf(b *Board, goal GoalID) []*Summary {
	return lists.Where(b.Summaries(), func(s *Summary) bool { return s.Goal == goal && !s.Status.Final() })
}

// Holds are decisions that keep tasks from being claimed, by goal.
type Holds map[GoalID]*Hold

// HoldsOf are the decisions of a board that hold tasks back; none if there is no board.
func HoldsOf(b *Board) Holds {
	if b == nil {
		return nil
	}
	of := Holds{}
	for _, g := range b.GoalsInProgress() {
		if g.Hold != nil {
			of[g.ID] = g.Hold
		}
	}
	return of
}

// HeldTasks are the tasks of a goal that a decision holds back, oldest first.
func HeldTasks(b *Board, goal GoalID) []TaskID {
	g := b.Goal(goal)
	if g == nil || g.Hold == nil {
		return nil
	}
	held := lists.Where(OpenTasksOf(b, goal), func(s *Summary) bool { return g.Hold.Keeps(s.ID, s.Status, s.Created) })
	return lists.Of(held, func(s *Summary) TaskID { return s.ID })
}

// A Mark is a state that a person named, the document marks/<name>.yaml; the
// commit is that of the ref.
type Mark struct {
	Name   string    `yaml:"name"`
	Reason string    `yaml:"reason"`
	By     Actor     `yaml:"by"`
	At     time.Time `yaml:"at"`
}

// numberedMark are the names of marks that the board gives itself.
var numberedMark = pattern.Late(`^(sprint|checkpoint)-[0-9]+$`)

// GoodMark accepts names that are part of a ref.
func GoodMark(name string) bool {
	return name != "" && len(name) <= 64 && name[0] != '.' && name[0] != '_' && name[0] != '-' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == "" && !strings.Contains(name, "..") &&
		!strings.HasSuffix(name, ".") && !strings.HasSuffix(name, ".lock") && !numberedMark().MatchString(name)
}

// IsMarkName reports whether a mark can have the name, given by a person or by the board.
func IsMarkName(name string) bool { return GoodMark(name) || numberedMark().MatchString(name) }

// Tally is what a goal has reached and used; nil if that is nothing.
func (g *Goal) Tally() *Tally {
	if now := (Tally{Merged: g.Merged, Tokens: g.Usage.Tokens(), Cost: g.Usage.Cost}); now != (Tally{}) {
		return &now
	}
	return nil
}

// Equal reports whether two tallies are the same; nil is zero.
func (t *Tally) Equal(o *Tally) bool { return t.Sums() == o.Sums() }

// Sums are the sums of a tally, zero for nil.
func (t *Tally) Sums() Tally {
	if t == nil {
		return Tally{}
	}
	return *t
}
