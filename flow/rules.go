package flow

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A rule is one row of the table: an act, the states between which it leads, the
// actors that may make it, and what must hold before any of its fields are known.
// Guards over the fields and the effect are methods of the act's detail.
type rule struct {
	act    board.Act
	from   board.StateSet // none: the act is not about one task
	to     board.Status   // zero: the status stays, or the effect decides
	by     standing
	open   func(*play) *Refusal
	detail func() Detail
	also   behaviours // the optional interfaces of the detail
}

// rules is the table. If an act has several rows, the first one that matches
// the state of the task and the actor applies.
var rules = []rule{
	{board.ActAdd, 0, 0, planner | human, always, of[AddMove], asks | fills | admits | titles},
	{board.ActFinalize, 0, 0, planner | human, always, of[FinalizeMove], asks | fills | repeats | titles},
	{board.ActEdit, board.Described | board.AnyOf(board.Claimed, board.ReadyForReview, board.Rejected, board.Approved, board.IntegrationFailed), 0, planner | human, editable, of[EditMove], asks | fills | admits},
	{board.ActClaim, board.AnyOf(board.Unclaimed, board.Rejected, board.IntegrationFailed, board.Claimed), board.Claimed, coder | human, claimable, of[ClaimMove], asks | fills | movesRefs | repeats | admits},
	{board.ActRenew, board.AnyOf(board.Claimed, board.ReadyForReview), 0, supervisor | human, renewable, of[RenewMove], admits},
	{board.ActIntent, board.AnyOf(board.Claimed), 0, holder, always, of[IntentMove], asks | admits},
	{board.ActSubmit, board.AnyOf(board.Claimed), board.ReadyForReview, holder, intended, of[SubmitMove], asks | fills | movesRefs | repeats | admits},
	{board.ActReview, board.AnyOf(board.ReadyForReview), 0, reviewer | human, reviewable, of[ReviewMove], repeats | admits},
	{board.ActApprove, board.AnyOf(board.ReadyForReview), 0, reviewHolder | human, independent, of[ApproveMove], repeats},
	{board.ActReject, board.AnyOf(board.ReadyForReview), board.Rejected, reviewHolder | human, independent, of[RejectMove], asks | repeats},
	{board.ActReject, board.AnyOf(board.Approved), board.Rejected, human, always, of[RejectMove], asks | repeats},
	{board.ActMerge, board.AnyOf(board.Approved), board.Merged, supervisor | human, mergeable, of[MergeMove], asks | fills | movesRefs | repeats | admits},
	{board.ActIntegrationFail, board.AnyOf(board.Approved), board.IntegrationFailed, supervisor | human, mergeable, of[IntegrationFailMove], repeats},
	{board.ActBlock, board.AnyOf(board.Claimed), board.Blocked, holder, always, of[BlockMove], asks | movesRefs | repeats},
	{board.ActBlock, board.AnyOf(board.Claimed, board.Rejected, board.IntegrationFailed), board.Blocked, planner | supervisor | human, leaseEnded, of[BlockMove], asks | movesRefs | repeats},
	{board.ActUnblock, board.AnyOf(board.Blocked), 0, planner | human, unblockable, of[UnblockMove], asks | movesRefs | repeats},
	{board.ActSupersede, board.AnyOf(board.Draft, board.Unclaimed, board.ReadyForReview, board.Rejected, board.Blocked, board.IntegrationFailed), board.Superseded, planner | human, rescopable, of[SupersedeMove], asks | fills | movesRefs | repeats | admits},
	{board.ActAbandon, board.AnyOf(board.Draft, board.Unclaimed, board.ReadyForReview, board.Rejected, board.Approved, board.Blocked, board.IntegrationFailed), board.Abandoned, planner | human, always, of[AbandonMove], asks | movesRefs | repeats},
	{board.ActRelease, board.AnyOf(board.Claimed, board.ReadyForReview), 0, supervisor | human, releasable, of[ReleaseMove], 0},
	{board.ActHandoff, board.AnyOf(board.Claimed), 0, holder, always, of[HandoffMove], 0},
	{board.ActAdopt, 0, 0, human, admin, of[AdoptMove], asks | fills | movesRefs | repeats | titles},

	{board.ActPause, 0, 0, human, always, of[PauseMove], repeats},
	{board.ActResume, 0, 0, human, resumable, of[ResumeMove], repeats},
	{board.ActCheckpoint, 0, 0, supervisor | human, always, of[CheckpointMove], fills | movesRefs | repeats | admits},
	{board.ActStop, 0, 0, human, always, of[StopMove], repeats},
	{board.ActDecide, 0, 0, human, inCheckpoint, of[DecideMove], fills},
	{board.ActGoal, 0, 0, human, always, of[GoalMove], asks | fills | admits | movesRefs | titles},
	{board.ActComplete, 0, 0, supervisor | human, goalOpen, of[CompleteMove], asks | repeats | admits | titles},
	{board.ActAbort, 0, 0, human, goalOpen, of[AbortMove], repeats | titles},
	{board.ActAlign, 0, 0, planner | human, goalOpen, of[AlignMove], 0},
	{board.ActSprintStart, 0, 0, supervisor | human, always, of[SprintStartMove], fills | movesRefs | repeats | admits | titles},
	{board.ActSprintClose, 0, 0, supervisor | human, sprintOpen, of[SprintCloseMove], fills | repeats | admits},
	{board.ActRetro, 0, 0, supervisor | human, always, of[RetroMove], admits | titles},
	{board.ActRegister, 0, 0, supervisor | human, always, of[RegisterMove], repeats | titles},
	{board.ActUnregister, 0, 0, supervisor | human, always, of[UnregisterMove], repeats | titles},
	{board.ActDegrade, 0, 0, supervisor | human, always, of[DegradeMove], repeats | titles},
	{board.ActTrip, 0, 0, supervisor | human, always, of[TripMove], movesRefs | repeats | admits},
	{board.ActReset, 0, 0, human, tripped, of[ResetMove], 0},
	{board.ActAnomaly, 0, 0, anybody, always, of[AnomalyMove], fills | titles},
	{board.ActDiscover, 0, 0, anybody, always, of[DiscoverMove], fills | titles},
	{board.ActConvert, 0, 0, planner | human, always, of[ConvertMove], asks | fills | admits | titles},
	{board.ActNote, 0, 0, anybody, always, of[NoteMove], titles},
	{board.ActSpecChange, 0, 0, anybody, always, of[SpecChangeMove], 0},
	{board.ActInit, 0, 0, human, always, of[InitMove], asks | fills | movesRefs | titles},
	{board.ActConfig, 0, 0, human, admin, of[ConfigMove], repeats | admits},
	{board.ActImport, 0, 0, planner | supervisor | human, always, of[ImportMove], asks | fills | repeats | admits | titles},
	{board.ActArchive, 0, 0, supervisor | human, always, of[ArchiveMove], titles},
	{board.ActMigrate, 0, 0, human, admin, of[MigrateMove], repeats | titles},
	{board.ActAmend, 0, 0, human, admin, of[AmendMove], asks | fills | titles},
	{board.ActPrincipal, 0, 0, human, admin, of[PrincipalMove], repeats | titles},
	{board.ActSession, anywhere, 0, supervisor | human, always, of[SessionMove], admits | titles},

	{board.ActRecheck, board.AnyOf(board.Approved), board.ReadyForReview, supervisor | human, outdated, of[RecheckMove], repeats},
	{board.ActDismiss, board.AnyOf(board.Rejected), 0, human, independent, of[DismissMove], 0},
	{board.ActAccept, 0, 0, human, admin, of[AcceptMove], asks | fills | repeats | titles},
	{board.ActRole, 0, 0, human, admin, of[RoleMove], repeats | titles},
	{board.ActRequire, 0, 0, human, admin, of[RequireMove], repeats | titles},
	{board.ActReopen, 0, 0, human, always, of[ReopenMove], asks | fills | movesRefs | repeats | titles},
	{board.ActAnswer, 0, 0, anybody, always, of[AnswerMove], repeats | titles},
	{board.ActTake, 0, 0, supervisor | human, always, of[TakeMove], repeats | admits | titles},
	{board.ActDismissRecord, 0, 0, human, always, of[DismissRecordMove], repeats | titles},

	{board.ActLift, 0, 0, human, always, of[LiftMove], repeats | titles},
	{board.ActMark, 0, 0, human, always, of[MarkMove], movesRefs | titles},
	{board.ActDefer, 0, 0, planner | human, always, of[DeferMove], repeats | titles},

	{board.ActLevel, 0, 0, supervisor | human, passable, of[LevelMove], asks | fills | repeats | titles},
	{board.ActSchedule, 0, 0, planner | human, goalOpen, of[ScheduleMove], repeats | titles},
	{board.ActOutage, 0, 0, supervisor | human, always, of[OutageMove], repeats | titles},

	{board.ActPhase, 0, 0, supervisor | human, goalOpen, of[PhaseMove], asks | fills | repeats | admits | titles},
	{board.ActReload, 0, 0, human, goalOpen, of[ReloadMove], asks | fills | titles},
	{board.ActClassify, 0, 0, human, always, of[ClassifyMove], asks | fills | repeats | titles},
	{board.ActAsk, 0, 0, anybody, always, of[AskMove], fills | titles},
}

// behaviours is a set of the optional interfaces of details, see [Detail].
type behaviours uint8

const (
	asks      behaviours = 1 << iota // asker
	fills                            // filler
	movesRefs                        // refMover
	repeats                          // repeater
	admits                           // admitter
	titles                           // titled
)

// anywhere is every state, including the final ones, or no task at all: the act
// adds to the record of a task and does not count as a change of it.
const anywhere board.StateSet = 1<<(board.Abandoned+1) - 1

// standing is a set of capacities: those of an actor or, in the table, those of
// which the actor needs one.
type standing uint16

const (
	human        standing = 1 << iota
	planner               // an agent whose role plans
	coder                 // the supervisor of an agent whose role does tasks
	reviewer              // the supervisor of an agent whose role judges
	supervisor            // the supervisor of any agent
	holder                // the holder of the claim on the task
	reviewHolder          // the holder of the review of the task
	anybody               // every human and every agent
)

// standings are the names of the capacities in refusals.
var standings = []string{"a human", "a planner", "a coder's supervisor", "a code-reviewer's supervisor",
	"a supervisor", "the holder of the claim", "the holder of the review", "anybody"}

func (s standing) String() string {
	list := ""
	for i, name := range standings {
		if s&(1<<i) == 0 {
			continue
		}
		if list != "" {
			list += " or "
		}
		list += name
	}
	return list
}

// HumansOnly reports whether only humans may ever make the act.
func HumansOnly(a board.Act) bool {
	return !slices.ContainsFunc(rules, func(r rule) bool { return r.act == a && r.by != human })
}

// CapacityOf is that of the agents whose supervisors, beside humans, make the act:
// Does for claims, Judges for reviews. It is zero for all other acts.
func CapacityOf(a board.Act) board.Capacity {
	switch i := slices.IndexFunc(rules, func(r rule) bool { return r.act == a }); {
	case i < 0:
		return 0
	case rules[i].by&coder != 0:
		return board.Does
	case rules[i].by&reviewer != 0:
		return board.Judges
	}
	return 0
}

// WorkOf reports whether agents of the capacity make the act on a task or review
// that they took.
func WorkOf(a board.Act, c board.Capacity) bool {
	own := map[board.Capacity]standing{board.Does: coder | holder, board.Judges: reviewer | reviewHolder}[c]
	return slices.ContainsFunc(rules, func(r rule) bool { return r.act == a && r.by&own != 0 })
}

func of[T any, D interface {
	*T
	Detail
}]() Detail {
	return D(new(T))
}

func always(*play) *Refusal { return nil }

// Allows reports whether the rules table lets the act begin in the state.
// [Opens] also judges the actor and the guards.
func Allows(s board.Status, a board.Act) bool {
	return startStates()[a].Has(s)
}

// startStates has for each act the states in which the rules table lets it begin.
var startStates = sync.OnceValue(func() map[board.Act]board.StateSet {
	of := map[board.Act]board.StateSet{}
	for i := range rules {
		of[rules[i].act] |= rules[i].from
	}
	return of
})

// Takers are the roles whose agents can make an act on a task at that time: the
// one that does it, or those that miss a verdict and have no live review. nil
// means that every supervisor can.
func Takers(s *board.Summary, a board.Act, at time.Time) []board.Role {
	switch CapacityOf(a) {
	case board.Does:
		return []board.Role{cmp.Or(s.Role, board.Coder)}
	case board.Judges:
		free := lists.Where(s.Judges, func(j board.Judge) bool { return !j.Done && !j.Lease.After(at) })
		return append([]board.Role{}, lists.Of(free, func(j board.Judge) board.Role { return j.Role })...)
	}
	return nil
}
