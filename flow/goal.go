package flow

import (
	"slices"
	"time"
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

// keeps reports whether a task in a state, created at that time, is held.
func (h *Hold) keeps(id TaskID, in Status, created time.Time) bool {
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
	Planned taskIDs  `yaml:"planned"`
	Stretch taskIDs  `yaml:"stretch"`
}
