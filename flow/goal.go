package flow

import "time"

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
	Priority  int         `yaml:"priority,since=2"`    // from 1, the first, to 5
	Sprint    SprintID    `yaml:"sprint,since=2"`      // the open one, "" between two
	Next      SprintID    `yaml:"next_sprint,since=2"` // reserved for the next one; "" while one is open
	Added     int         `yaml:"tasks_added,since=2"` // how many tasks were ever entered
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
	ID       SprintID  `yaml:"id"`
	Goal     GoalID    `yaml:"goal"`
	Status   Phase     `yaml:"status"`
	Started  time.Time `yaml:"started"`
	Deadline time.Time `yaml:"deadline"`
	Ended    time.Time `yaml:"ended"`
	Reason   string    `yaml:"reason"`
	Carried  []TaskID  `yaml:"carried"` // unfinished tasks that passed to the next sprint, at most MaxList
	Retro    string    `yaml:"retro"`
	Usage    Usage     `yaml:"usage"`
	Planned  taskIDs   `yaml:"planned,since=2"` // when it started
	Stretch  taskIDs   `yaml:"stretch,since=2"`
}
