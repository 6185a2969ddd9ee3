package board

import (
	"strings"
	"time"
)

// A Deferral says until when nobody has to look at a discovery.
type Deferral struct {
	Until  time.Time `yaml:"until"`
	Reason string    `yaml:"reason"`
	By     Actor     `yaml:"by"`
	At     time.Time `yaml:"at"`
}

// An Anomaly is something that went against the plan, one small document
// anomalies/<sprint>/<number>.yaml; the circuit breaker reads them.
type Anomaly struct {
	ID        RecordID          `yaml:"id"`
	Type      AnomalyType       `yaml:"type"`
	Task      TaskID            `yaml:"task"`
	Details   map[string]string `yaml:"details"`
	By        Actor             `yaml:"by"`
	At        time.Time         `yaml:"at"`
	Dismissed *Dismissal        `yaml:"dismissed"`
	Archived  bool              `yaml:"archived"`
}

// A Discovery is work or risk found during a task, one small document
// discovered/<sprint>/<number>.yaml.
type Discovery struct {
	ID        RecordID   `yaml:"id"`
	Text      string     `yaml:"text"`
	Severity  string     `yaml:"severity"` // low, medium, high, critical
	Urgency   string     `yaml:"urgency"`  // immediate or deferred
	During    TaskID     `yaml:"during"`
	Recommend string     `yaml:"recommend"`
	Converted TaskID     `yaml:"converted"` // the task that it became
	By        Actor      `yaml:"by"`
	At        time.Time  `yaml:"at"`
	Dismissed *Dismissal `yaml:"dismissed"`
	Archived  bool       `yaml:"archived"`
	Deferred  *Deferral  `yaml:"deferred"`
}

// IsOpen reports whether somebody must look at the discovery at that time: it
// became no task, and is neither dismissed, archived nor deferred until later.
func (d *Discovery) IsOpen(at time.Time) bool {
	return d.Converted == "" && d.Dismissed == nil && !d.Archived && (d.Deferred == nil || !d.Deferred.Until.After(at))
}

// A Note is a message to an agent, a role, the workers of a task or all, one
// small document notes/<sprint>/<number>.yaml.
type Note struct {
	ID        RecordID   `yaml:"id"`
	For       string     `yaml:"for"` // all, a role, an agent id or a task id
	Text      string     `yaml:"text"`
	By        Actor      `yaml:"by"`
	At        time.Time  `yaml:"at"`
	Expires   time.Time  `yaml:"expires"` // zero: never
	Dismissed *Dismissal `yaml:"dismissed"`
	Archived  bool       `yaml:"archived"`
}

// NoteIsCurrent reports whether prompts repeat a note at a time: it is neither
// dismissed nor archived, has not expired, and what it is for is not over. A task is over
// when it is final. A note for all, a role or an agent is over when the goal has ended in
// whose sprint it was written, and when the board has no row of the role.
func NoteIsCurrent(b *Board, n *Note, at time.Time) bool {
	if n.Dismissed != nil || n.Archived || !n.Expires.IsZero() && !n.Expires.After(at) {
		return false
	}
	if n.For != "all" && b.Role(AgentID(n.For).Role()) == nil && b.Role(Role(n.For)) == nil {
		t := b.Task(TaskID(n.For))
		return t != nil && !t.Status.Final()
	}
	g := b.Goal(GoalOfRecord(b, n.ID))
	return g == nil || g.Status == InProgress || g.Ended.Before(n.At) // the agent need not be there yet
}

// Breaker is the document breaker.yaml: the circuit breaker.
type Breaker struct {
	Tripped    bool      `yaml:"tripped"`
	Pattern    string    `yaml:"pattern"`
	Severity   string    `yaml:"severity"`
	Evidence   []string  `yaml:"evidence"`
	Report     string    `yaml:"report"`
	By         Actor     `yaml:"by"`
	At         time.Time `yaml:"at"`
	Resolution string    `yaml:"resolution"`
	Watermark  int       `yaml:"watermark"` // records up to this number were judged

	Patterns  []string   `yaml:"patterns"`  // all that matched, the most severe is Pattern
	Records   []RecordID `yaml:"records"`   // that form them
	Artifacts []string   `yaml:"artifacts"` // specs and paths that they are about
}

// An AnomalyType is one of nineteen kinds of anomaly.
type AnomalyType uint8

// The types of anomalies.
const (
	RetryLoop AnomalyType = iota + 1
	TradeOff
	SpecAmbiguity
	ExternalBlocker
	AssumptionViolated
	ScopeDeviation
	Workaround
	DebtCreated
	SpecChanged
	HypothesisExhaustion
	SpecGap
	ReviewDeadlock
	SystemAmbiguity
	LimitReached       // the move that reaches the limit records it
	ReviewChurn        // the fourth rejection of a task records it
	ReplacementBlocked // the block of a task that replaces another records it
	GateFailed         // the move that brings the receipt of a gate that failed and is not required records it
	FailureStreak      // the session whose failure is the third in a row with the same error records it
	GuardKilled        // the supervisor of a session that ended its guard records it; see [Attempt.Doubt]
	SealChanged        // the supervisor of a review records it, whose verdict was held against another seal than it made; see [Attempt.Doubt]
)

// AnomalyNames are the names of the types of anomalies, after the word for what they name.
var AnomalyNames = names{"anomaly type", "retry_loop", "trade_off", "spec_ambiguity", "external_blocker", "assumption_violated",
	"scope_deviation", "workaround", "debt_created", "spec_changed", "hypothesis_exhaustion", "spec_gap",
	"review_deadlock", "system_ambiguity", "limit_reached",
	"review_churn", "replacement_blocked", "gate_failed", "failure_streak", "guard_killed", "seal_changed"}

// NoHooks is the assumption that is violated where a session may have written a hook.
const NoHooks = "sessions write no hooks of the clone"

// NoSettings is the same for what decides in git's configuration what runs.
const NoSettings = "sessions change no settings that decide what runs"

// NoChanges is the same for what else is the person's in the clone, who may have changed it.
const NoChanges = "sessions change nothing of the clone"

// anomalyDetails are the keys that an anomaly of a type must have.
var anomalyDetails = map[AnomalyType][]string{
	RetryLoop:          {"count", "error_pattern"},
	TradeOff:           {"what", "why", "debt_created"},
	SpecAmbiguity:      {"spec", "question"},
	ExternalBlocker:    {"blocker_service"},
	AssumptionViolated: {"assumption", "reality"},
	SystemAmbiguity:    {"protocol_section", "question"},
	LimitReached:       {"limit"},
	ReviewChurn:        {"rejections"},
	ReplacementBlocked: {"replaces"},
	GateFailed:         {"gate", "result"},
	FailureStreak:      {"failures", "fingerprint", "error"},
}

// Required are the keys of details that an anomaly of this type must have.
func (a AnomalyType) Required() []string { return anomalyDetails[a] }

// String is the type's name.
func (a AnomalyType) String() string { return AnomalyNames.name(uint8(a)) }

// MarshalText writes the name; the zero value is an error.
func (a AnomalyType) MarshalText() ([]byte, error) { return AnomalyNames.marshal(uint8(a)) }

// UnmarshalText accepts exactly the names of [AnomalyType.String].
func (a *AnomalyType) UnmarshalText(text []byte) error { return unmarshalName(a, text, AnomalyNames) }

// GoalOfRecord is the goal of the sprint in which a record stands; "" if there is
// none of that id.
func GoalOfRecord(b *Board, id RecordID) GoalID {
	sprint, _, _ := strings.Cut(string(id), "/")
	if s := b.Sprint(SprintID(sprint)); s != nil {
		return s.Goal
	}
	return ""
}

// BreakerPatterns are the patterns that a trip may name.
func BreakerPatterns() []string {
	return []string{"retry_cluster", "debt_accumulation", "assumption_cascade", "spec_gap_cluster", "workaround_pattern",
		"external_service_outage", "review_churn", "replacement_chain", "failure_streak"}
}

// BreakerSeverities are what a trip says of the cause, the most severe first.
func BreakerSeverities() []string {
	return []string{"ARCHITECTURE_FLAW", "SPEC_FLAW", "SCOPE_FLAW", "EXTERNAL_DEPENDENCY"}
}
