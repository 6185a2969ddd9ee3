package board

import (
	"slices"
)

// An Act is what a move does. The zero value is no act.
type Act uint8

// The acts on tasks, then those on the other nouns.
const (
	ActAdd Act = iota + 1
	ActFinalize
	ActEdit
	ActClaim
	ActRenew
	ActIntent
	ActSubmit
	ActReview
	ActApprove
	ActReject
	ActMerge
	ActIntegrationFail
	ActBlock
	ActUnblock
	ActSupersede
	ActAbandon
	ActRelease
	ActHandoff
	ActAdopt
	ActPause
	ActResume
	ActCheckpoint
	ActStop
	ActDecide
	ActGoal
	ActComplete
	ActAbort
	ActAlign
	ActSprintStart
	ActSprintClose
	ActRetro
	ActRegister
	ActUnregister
	ActDegrade
	ActTrip
	ActReset
	ActAnomaly
	ActDiscover
	ActConvert
	ActNote
	ActSpecChange
	ActInit
	ActConfig
	ActImport
	ActArchive
	ActMigrate
	ActAmend
	ActPrincipal
	ActSession
	ActAccept
	ActRecheck
	ActDismiss
	ActRole
	ActRequire
	ActReopen
	ActAnswer
	ActTake
	ActDismissRecord
	ActLift
	ActMark
	ActDefer
	ActLevel
	ActSchedule
	ActOutage
	ActPhase
	ActReload
	ActClassify
	ActAsk
)

var actNames = names{"act", "add", "finalize", "edit", "claim", "renew", "intent", "submit", "review", "approve", "reject",
	"merge", "integration_fail", "block", "unblock", "supersede", "abandon", "release", "handoff", "adopt",
	"pause", "resume", "checkpoint", "stop", "decide", "goal", "complete", "abort", "align",
	"sprint_start", "sprint_close", "retro", "register", "unregister", "degrade", "trip", "reset",
	"anomaly", "discover", "convert", "note", "spec_change", "init", "config", "import", "archive", "migrate",
	"amend", "principal", "session", "accept", "recheck", "dismiss", "role", "require", "reopen", "answer", "take",
	"dismiss_record", "lift", "mark", "defer", "level", "schedule", "outage",
	"phase", "reload", "classify", "ask"}

// Acts are all acts.
func Acts() []Act { return all[Act](actNames) }

// String is the act's name as moves and logs spell it.
func (a Act) String() string { return actNames.name(uint8(a)) }

// MarshalText writes the name; the zero value is an error.
func (a Act) MarshalText() ([]byte, error) { return actNames.marshal(uint8(a)) }

// UnmarshalText accepts exactly the names of [Act.String].
func (a *Act) UnmarshalText(text []byte) error { return unmarshalName(a, text, actNames) }

// actCommands are the commands of the acts that are named differently from
// their command.
var actCommands = map[Act]string{
	ActAdd: "task add", ActFinalize: "task finalize", ActEdit: "task edit", ActUnblock: "task unblock", ActSupersede: "task supersede", ActAbandon: "task abandon",
	ActConvert: "task add", ActIntegrationFail: "merge",
	ActDecide: "checkpoint decide", ActGoal: "goal set", ActComplete: "goal done", ActAbort: "goal abort",
	ActSprintStart: "sprint start", ActSprintClose: "sprint close", ActRetro: "sprint retro",
	ActReset: "board breaker reset", ActArchive: "board archive", ActMigrate: "board migrate", ActMark: "board mark",
	ActSpecChange: "record spec-change", ActDiscover: "record discovery", ActAnomaly: "record anomaly", ActAlign: "record alignment", ActImport: "task add", ActAmend: "board edit",
	ActAccept: "artifact accept", ActRole: "role add", ActRequire: "role require", ActReopen: "goal reopen",
	ActDismissRecord: "record dismiss", ActDismiss: "reject", ActRecheck: "approve", ActLift: "checkpoint lift", ActDefer: "record defer",
	ActLevel: "goal level pass", ActSchedule: "goal schedule",
	ActPhase: "goal phase next", ActReload: "goal set",
	ActRegister: "agents add", ActUnregister: "agents remove", ActDegrade: "agents rest", ActOutage: "gate outage", ActClassify: "plan classify",
}

// Command is what a person types after "git liza" for the act, such as
// "task add".
func (a Act) Command() string {
	if command, ok := actCommands[a]; ok {
		return command
	}
	return a.String()
}

// goalActs are the acts beside those on a task that name their goal.
var goalActs = []Act{ActAdd, ActFinalize, ActImport, ActConvert, ActGoal, ActComplete, ActAbort, ActReopen,
	ActAlign, ActSpecChange, ActSprintStart, ActSprintClose, ActRetro, ActAnomaly, ActDiscover, ActNote,
	ActAnswer, ActTake, ActSession, ActAccept, ActLift, ActDefer, ActDismissRecord,
	ActLevel, ActSchedule, ActPhase, ActReload, ActClassify, ActAsk}

// looseActs are acts that may name a goal.
var looseActs = []Act{ActCheckpoint, ActDecide, ActAmend, ActArchive}

// NamesGoalAlone reports whether the act names a goal only where its fields or its
// caller name one: the goal that commands usually mean is not meant.
func (a Act) NamesGoalAlone() bool { return slices.Contains(looseActs, a) }

// NamesGoal reports whether an act names its goal.
func (a Act) NamesGoal() bool { return slices.Contains(goalActs, a) }
