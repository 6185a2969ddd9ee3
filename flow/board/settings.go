package board

import (
	"cmp"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// DefaultAlarms are the thresholds of alarms that a board does not set.
func DefaultAlarms() Alarms {
	return Alarms{
		Lease:               Duration(2 * time.Minute),
		Orphaned:            Duration(30 * time.Second),
		Stalled:             Duration(30 * time.Minute),
		Draft:               Duration(30 * time.Minute),
		Unstaffed:           Duration(time.Minute),
		CheckpointStale:     Duration(30 * time.Minute),
		CheckpointStuck:     Duration(2 * time.Hour),
		CheckpointAbandoned: Duration(8 * time.Hour),
		PauseStale:          Duration(30 * time.Minute),
		PauseForgotten:      Duration(2 * time.Hour),
		Approaching:         80,
		Approvals:           20,
	}
}

// Filled are the thresholds with the usual ones in place of those that are not set.
func (a Alarms) Filled() Alarms {
	usual := DefaultAlarms()
	for own, is := range map[*Duration]Duration{
		&a.Lease: usual.Lease, &a.Orphaned: usual.Orphaned, &a.Stalled: usual.Stalled, &a.Draft: usual.Draft, &a.Unstaffed: usual.Unstaffed,
		&a.CheckpointStale: usual.CheckpointStale, &a.CheckpointStuck: usual.CheckpointStuck, &a.CheckpointAbandoned: usual.CheckpointAbandoned,
		&a.PauseStale: usual.PauseStale, &a.PauseForgotten: usual.PauseForgotten,
	} {
		*own = cmp.Or(*own, is)
	}
	a.Approaching, a.Approvals = cmp.Or(a.Approaching, usual.Approaching), cmp.Or(a.Approvals, usual.Approvals)
	return a
}

// NewestFormat is the format that this program writes, and the newest that it
// knows. It judges boards of every earlier one too.
const NewestFormat = 1

// The names of the limits, as the block of a task has them.
const (
	LimitIterations = "iteration_limit"
	LimitCycles     = "review_deadlock"
	LimitMergeFails = "integration_failures"
	LimitNoVerdicts = "review_exhaustion"
	LimitRetries    = "retries"
)

// NeedsDecision reports whether the board is in a checkpoint that no human has
// decided yet.
func (c ControlState) NeedsDecision() bool { return c.State == Checkpoint && c.Decision == "" }

// IsDecided reports whether the board is in a checkpoint that a human has
// decided.
func (c ControlState) IsDecided() bool { return c.State == Checkpoint && c.Decision != "" }

// AwaitsGoal reports whether the board is in a checkpoint that only a new goal ends.
func (c ControlState) AwaitsGoal(b *Board) bool {
	g := b.Goal(c.Goal)
	return c.State == Checkpoint && c.Decision == "PIVOT" && g != nil && g.Status == InProgress
}

// Onward is the command that ends a pause, a checkpoint or a stop of a board, or the first
// of several.
func (c ControlState) Onward(b *Board) string {
	switch {
	case b.Breaker().Tripped:
		return "git liza board breaker reset --resolution R"
	case c.NeedsDecision():
		return "git liza checkpoint decide CONTINUE --message M"
	case c.AwaitsGoal(b):
		return "git liza goal set TITLE"
	}
	return "git liza resume --reason R"
}

// Settings is the document liza.yaml: what holds for the whole board.
type Settings struct {
	Format      int          `yaml:"format"`
	Board       string       `yaml:"board"` // random id of this board
	Goal        GoalID       `yaml:"goal"`  // which a command means that names none
	Integration Branch       `yaml:"integration"`
	Control     ControlState `yaml:"control"`
	Next        Counters     `yaml:"next"`
	Checked     *Checked     `yaml:"checked"` // the newest checkpoint
	Config      Config       `yaml:"config"`
}

// A Branch is the integration branch: its name below refs/heads/ and its tip
// according to the board. The ref follows the board.
type Branch struct {
	Name string   `yaml:"name"`
	Tip  ObjectID `yaml:"tip"`
}

// Ref is the branch's full name.
func (b Branch) Ref() string { return "refs/heads/" + b.Name }

// A ControlState says whether new work may begin, by whose decision and why.
type ControlState struct {
	State    Control   `yaml:"state"`
	Before   Control   `yaml:"before"` // the state in which the board was stopped
	Reason   string    `yaml:"reason"`
	By       Actor     `yaml:"by"`
	At       time.Time `yaml:"at"`
	Decision string    `yaml:"decision"` // about the current checkpoint
	Message  string    `yaml:"message"`
	Mark     string    `yaml:"mark"` // of the current checkpoint, "" outside of one
	Goal     GoalID    `yaml:"goal"` // which the checkpoint, or its decision, is about; "" if none is
}

// Checked is the newest checkpoint of a board, at first its first mark: automatic
// checkpoints count from it.
type Checked struct {
	Mark string    `yaml:"mark"`
	At   time.Time `yaml:"at"`
}

// Counters are the numbers that the next automatic ids get.
type Counters struct {
	Task   int `yaml:"task,keep"`
	Goal   int `yaml:"goal,keep"`
	Sprint int `yaml:"sprint,keep"`
	Record int `yaml:"record,keep"`
	Mark   int `yaml:"mark,keep"`
}

// A Config has all values that the rules read. init writes all of them but Alarms, so that
// the board does not depend on the defaults of a version of the program.
type Config struct {
	Lease           Duration `yaml:"lease"`
	ReviewLease     Duration `yaml:"review_lease"`
	Grace           Duration `yaml:"grace"`
	Limits          Limits   `yaml:"limits"`
	SupersedeDepth  int      `yaml:"supersede_depth,keep"`
	TextLimit       int      `yaml:"text_limit,keep"` // bytes
	BlobLimit       int64    `yaml:"blob_limit,keep"` // bytes of one submitted file
	AllowSelfReview bool     `yaml:"allow_self_review,keep"`
	DriftAlarm      int      `yaml:"drift_alarm,keep"`
	Tests           []string `yaml:"tests,keep"` // globs of paths that count as tests
	Never           []string `yaml:"never,keep"` // globs of paths that no agent changes
	Gates           []Gate   `yaml:"gates,keep"`
	PostWorktree    string   `yaml:"post_worktree"`
	Budgets         Budgets  `yaml:"budgets"`

	Checkpoint Checkpoints `yaml:"checkpoint"`
	Goal       GoalPolicy  `yaml:"goal"`
	Alarms     Alarms      `yaml:"alarms"`

	Schedule SchedulePolicy `yaml:"schedule"`
	Retry    RetryPolicy    `yaml:"retry"`
	Pressure PressurePolicy `yaml:"pressure"`

	Automation AutomationPolicy `yaml:"automation"`
}

// AutomationPolicy says what agents need to know of the texts that they work by.
type AutomationPolicy struct {
	Required bool `yaml:"required,keep"` // each is classified
}

// SchedulePolicy says how goals are scheduled that do not say it themselves.
type SchedulePolicy struct {
	Barrier Barrier `yaml:"barrier"` // zero is [NoBarrier]
}

// Checkpoints say when supervisors make a checkpoint beside a deadline; 0 is never.
type Checkpoints struct {
	Every int `yaml:"every,keep"` // after so many merges of a goal
	Share int `yaml:"share,keep"` // percent of the budget of a goal
}

// GoalPolicy says what supervisors do with goals.
type GoalPolicy struct {
	Auto bool `yaml:"auto,keep"` // they complete a goal whose tasks are all final
}

// Alarms are thresholds of views; no rule reads them. A zero means the program's
// own, so that liza.yaml, which most moves rewrite, does not grow.
type Alarms struct {
	Lease               Duration `yaml:"lease"`
	Orphaned            Duration `yaml:"orphaned"`
	Stalled             Duration `yaml:"stalled"`
	Draft               Duration `yaml:"draft"`
	Unstaffed           Duration `yaml:"unstaffed"`
	CheckpointStale     Duration `yaml:"checkpoint_stale"`
	CheckpointStuck     Duration `yaml:"checkpoint_stuck"`
	CheckpointAbandoned Duration `yaml:"checkpoint_abandoned"`
	PauseStale          Duration `yaml:"pause_stale"`
	PauseForgotten      Duration `yaml:"pause_forgotten"`
	Approaching         int      `yaml:"approaching"` // percent of a limit
	Approvals           int      `yaml:"approvals"`   // verdicts in a row without a finding
	Off                 []string `yaml:"off"`         // kinds that are not wanted
}

// Limits bound how often something may fail before a human or planner decides.
// In a task, zero means the value of the board.
type Limits struct {
	Iterations   int `yaml:"iterations"`
	Cycles       int `yaml:"review_cycles"`
	MergeFails   int `yaml:"integration_failures"`
	NoVerdicts   int `yaml:"no_verdicts"`
	FailedCoders int `yaml:"failed_coders"`
	Failures     int `yaml:"failures"`
}

// A Gate is a command that has to succeed where it runs.
type Gate struct {
	Name     string   `yaml:"name"`
	Command  string   `yaml:"command"`
	Required bool     `yaml:"required,keep"`
	Timeout  Duration `yaml:"timeout"`
	At       Stage    `yaml:"at"`    // see [Gate.Stage]
	Paths    []string `yaml:"paths"` // globs: it may be skipped where none of them is touched; none: never
}

// DefaultConfig is the configuration that init writes; doc/configuration.md has
// it as a table.
func DefaultConfig() Config {
	return Config{
		Lease:          Duration(30 * time.Minute),
		ReviewLease:    Duration(30 * time.Minute),
		Grace:          Duration(time.Minute),
		Limits:         Limits{Iterations: 10, Cycles: 5, MergeFails: 3, NoVerdicts: 2, FailedCoders: 2, Failures: 3},
		SupersedeDepth: 2,
		TextLimit:      4096,
		BlobLimit:      50 << 20,
		DriftAlarm:     20,
		Tests: []string{"**/*_test.*", "**/test_*", "**/*.test.*", "**/*.spec.*",
			"**/tests/**", "**/test/**", "**/__tests__/**"},
		Never:    defaultNever(),
		Retry:    RetryPolicy{Attempts: 3, Strategy: Exponential, Base: Duration(30 * time.Second), Max: Duration(5 * time.Minute)},
		Pressure: PressurePolicy{Rate: 50},
	}
}

// defaultNever are paths with secrets, and those of git itself.
func defaultNever() []string {
	return []string{"**/.env*", "**/*.pem", "**/id_rsa*", "**/id_ecdsa*", "**/id_ed25519*", ".git/**"}
}

// Over is the limits of the board with the overrides of a task, which may be nil.
func (l Limits) Over(task *Limits) Limits {
	if task == nil {
		return l
	}
	pick := func(own, board int) int {
		if own > 0 {
			return own
		}
		return board
	}
	return Limits{
		Iterations:   pick(task.Iterations, l.Iterations),
		Cycles:       pick(task.Cycles, l.Cycles),
		MergeFails:   pick(task.MergeFails, l.MergeFails),
		NoVerdicts:   pick(task.NoVerdicts, l.NoVerdicts),
		FailedCoders: pick(task.FailedCoders, l.FailedCoders),
		Failures:     pick(task.Failures, l.Failures),
	}
}

// Gate is the configured gate of that name.
func (c Config) Gate(name string) (Gate, bool) {
	if g := lists.Find(c.Gates, func(g Gate) bool { return g.Name == name }); g != nil {
		return *g, true
	}
	return Gate{}, false
}

// Stage is where the gate runs.
func (g Gate) Stage() Stage { return cmp.Or(g.At, AtMerge) }

// GatesAt are the gates of a stage, in their order.
func (c Config) GatesAt(at Stage) []Gate {
	return lists.Where(c.Gates, func(g Gate) bool { return g.Stage() == at })
}

// A Stage is where a gate runs. The zero value is [AtMerge].
type Stage uint8

// The stages of gates.
const (
	AtMerge  Stage = iota + 1 // on the merged tree
	AtSubmit                  // on what is submitted
	AtLevel                   // on integration, when the tasks of a level are done
	AtGoal                    // on integration, before a goal is completed
	AtPhase                   // on integration, before a goal leaves a phase
)

var stageNames = names{"stage of a gate", "merge", "submit", "level", "goal", "phase"}

// String is the stage's name, that of [AtMerge] for the zero value.
func (s Stage) String() string { return stageNames.name(uint8(cmp.Or(s, AtMerge))) }

// MarshalText writes the name; the zero value is an error.
func (s Stage) MarshalText() ([]byte, error) { return stageNames.marshal(uint8(s)) }

// UnmarshalText accepts exactly the names of [Stage.String].
func (s *Stage) UnmarshalText(text []byte) error { return unmarshalName(s, text, stageNames) }
