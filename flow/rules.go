package flow

import "slices"

// A rule is one row of the table: an act, the states between which it leads, the
// actors that may make it, and what must hold before any of its fields are known.
// Guards over the fields and the effect are methods of the act's detail.
type rule struct {
	act    Act
	from   states // none: the act is not about one task
	to     Status // zero: the status stays, or the effect decides
	by     standing
	open   func(*play) *Refusal
	detail func() Detail
	also   behaviours // the optional interfaces of the detail
}

// rules is the table. If an act has several rows, the first one that matches
// the state of the task and the actor applies.
var rules = []rule{
	{ActAdd, 0, 0, planner | human, always, of[AddMove], asks | fills | admits | titles},
	{ActFinalize, 0, 0, planner | human, always, of[FinalizeMove], asks | fills | repeats | titles},
	{ActEdit, described | in(Claimed, ReadyForReview, Rejected, Approved, IntegrationFailed), 0, planner | human, editable, of[EditMove], asks | fills | admits},
	{ActClaim, in(Unclaimed, Rejected, IntegrationFailed, Claimed), Claimed, coder | human, claimable, of[ClaimMove], asks | fills | movesRefs | repeats | admits},
	{ActRenew, in(Claimed, ReadyForReview), 0, supervisor | human, renewable, of[RenewMove], admits},
	{ActIntent, in(Claimed), 0, holder, always, of[IntentMove], asks | admits},
	{ActSubmit, in(Claimed), ReadyForReview, holder, intended, of[SubmitMove], asks | fills | movesRefs | repeats | admits},
	{ActReview, in(ReadyForReview), 0, reviewer | human, reviewable, of[ReviewMove], repeats | admits},
	{ActApprove, in(ReadyForReview), 0, reviewHolder | human, independent, of[ApproveMove], repeats},
	{ActReject, in(ReadyForReview), Rejected, reviewHolder | human, independent, of[RejectMove], asks | repeats},
	{ActReject, in(Approved), Rejected, human, always, of[RejectMove], asks | repeats},
	{ActMerge, in(Approved), Merged, supervisor | human, mergeable, of[MergeMove], asks | fills | movesRefs | repeats | admits},
	{ActIntegrationFail, in(Approved), IntegrationFailed, supervisor | human, mergeable, of[IntegrationFailMove], repeats},
	{ActBlock, in(Claimed), Blocked, holder, always, of[BlockMove], asks | movesRefs | repeats},
	{ActBlock, in(Claimed, Rejected, IntegrationFailed), Blocked, planner | supervisor | human, leaseEnded, of[BlockMove], asks | movesRefs | repeats},
	{ActUnblock, in(Blocked), 0, planner | human, unblockable, of[UnblockMove], asks | movesRefs | repeats},
	{ActSupersede, in(Draft, Unclaimed, ReadyForReview, Rejected, Blocked, IntegrationFailed), Superseded, planner | human, rescopable, of[SupersedeMove], asks | fills | movesRefs | repeats | admits},
	{ActAbandon, in(Draft, Unclaimed, ReadyForReview, Rejected, Approved, Blocked, IntegrationFailed), Abandoned, planner | human, always, of[AbandonMove], asks | movesRefs | repeats},
	{ActRelease, in(Claimed, ReadyForReview), 0, supervisor | human, releasable, of[ReleaseMove], 0},
	{ActHandoff, in(Claimed), 0, holder, always, of[HandoffMove], 0},
	{ActAdopt, 0, 0, human, admin, of[AdoptMove], asks | fills | movesRefs | repeats | titles},

	{ActPause, 0, 0, human, always, of[PauseMove], repeats},
	{ActResume, 0, 0, human, resumable, of[ResumeMove], repeats},
	{ActCheckpoint, 0, 0, supervisor | human, always, of[CheckpointMove], fills | movesRefs | repeats | admits},
	{ActStop, 0, 0, human, always, of[StopMove], repeats},
	{ActDecide, 0, 0, human, inCheckpoint, of[DecideMove], fills},
	{ActGoal, 0, 0, human, always, of[GoalMove], asks | fills | admits | movesRefs | titles},
	{ActComplete, 0, 0, supervisor | human, goalOpen, of[CompleteMove], asks | repeats | admits | titles},
	{ActAbort, 0, 0, human, goalOpen, of[AbortMove], repeats | titles},
	{ActAlign, 0, 0, planner | human, goalOpen, of[AlignMove], 0},
	{ActSprintStart, 0, 0, supervisor | human, always, of[SprintStartMove], fills | movesRefs | repeats | admits | titles},
	{ActSprintClose, 0, 0, supervisor | human, sprintOpen, of[SprintCloseMove], fills | repeats | admits},
	{ActRetro, 0, 0, supervisor | human, always, of[RetroMove], admits | titles},
	{ActRegister, 0, 0, supervisor | human, always, of[RegisterMove], repeats | titles},
	{ActUnregister, 0, 0, supervisor | human, always, of[UnregisterMove], repeats | titles},
	{ActDegrade, 0, 0, supervisor | human, always, of[DegradeMove], repeats | titles},
	{ActTrip, 0, 0, supervisor | human, always, of[TripMove], movesRefs | repeats | admits},
	{ActReset, 0, 0, human, tripped, of[ResetMove], 0},
	{ActAnomaly, 0, 0, anybody, always, of[AnomalyMove], fills | titles},
	{ActDiscover, 0, 0, anybody, always, of[DiscoverMove], fills | titles},
	{ActConvert, 0, 0, planner | human, always, of[ConvertMove], asks | fills | admits | titles},
	{ActNote, 0, 0, anybody, always, of[NoteMove], titles},
	{ActSpecChange, 0, 0, anybody, always, of[SpecChangeMove], 0},
	{ActInit, 0, 0, human, always, of[InitMove], asks | fills | movesRefs | titles},
	{ActConfig, 0, 0, human, admin, of[ConfigMove], repeats | admits},
	{ActImport, 0, 0, planner | supervisor | human, always, of[ImportMove], asks | fills | repeats | admits | titles},
	{ActArchive, 0, 0, supervisor | human, always, of[ArchiveMove], titles},
	{ActMigrate, 0, 0, human, admin, of[MigrateMove], repeats | titles},
	{ActAmend, 0, 0, human, admin, of[AmendMove], asks | fills | titles},
	{ActPrincipal, 0, 0, human, admin, of[PrincipalMove], repeats | titles},
	{ActSession, anywhere, 0, supervisor | human, always, of[SessionMove], admits | titles},

	{ActRecheck, in(Approved), ReadyForReview, supervisor | human, outdated, of[RecheckMove], repeats},
	{ActDismiss, in(Rejected), 0, human, independent, of[DismissMove], 0},
	{ActAccept, 0, 0, human, admin, of[AcceptMove], asks | fills | repeats | titles},
	{ActRole, 0, 0, human, admin, of[RoleMove], repeats | titles},
	{ActRequire, 0, 0, human, admin, of[RequireMove], repeats | titles},
	{ActReopen, 0, 0, human, always, of[ReopenMove], asks | fills | movesRefs | repeats | titles},
	{ActAnswer, 0, 0, anybody, always, of[AnswerMove], repeats | titles},
	{ActTake, 0, 0, supervisor | human, always, of[TakeMove], repeats | admits | titles},
	{ActDismissRecord, 0, 0, human, always, of[DismissRecordMove], repeats | titles},

	{ActLift, 0, 0, human, always, of[LiftMove], repeats | titles},
	{ActMark, 0, 0, human, always, of[MarkMove], movesRefs | titles},
	{ActDefer, 0, 0, planner | human, always, of[DeferMove], repeats | titles},

	{ActLevel, 0, 0, supervisor | human, passable, of[LevelMove], asks | fills | repeats | titles},
	{ActSchedule, 0, 0, planner | human, goalOpen, of[ScheduleMove], repeats | titles},
	{ActOutage, 0, 0, supervisor | human, always, of[OutageMove], repeats | titles},

	{ActPhase, 0, 0, supervisor | human, goalOpen, of[PhaseMove], asks | fills | repeats | admits | titles},
	{ActReload, 0, 0, human, goalOpen, of[ReloadMove], asks | fills | titles},
	{ActClassify, 0, 0, human, always, of[ClassifyMove], asks | fills | repeats | titles},
	{ActAsk, 0, 0, anybody, always, of[AskMove], fills | titles},
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

// described are the states in which a task can be described anew. In other open
// states only its budget can change.
var described = in(Draft, Unclaimed, Blocked)

// anywhere is every state, including the final ones, or no task at all: the act
// adds to the record of a task and does not count as a change of it.
const anywhere states = 1<<(Abandoned+1) - 1

// states is a set of task states.
type states uint16

func in(list ...Status) states {
	var set states
	for _, s := range list {
		set |= 1 << s
	}
	return set
}

func (set states) has(s Status) bool { return set&(1<<s) != 0 }

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
func (a Act) HumansOnly() bool {
	return !slices.ContainsFunc(rules, func(r rule) bool { return r.act == a && r.by != human })
}

// Capacity is that of the agents whose supervisors, beside humans, make the act:
// Does for claims, Judges for reviews. It is zero for all other acts.
func (a Act) Capacity() Capacity {
	switch i := slices.IndexFunc(rules, func(r rule) bool { return r.act == a }); {
	case i < 0:
		return 0
	case rules[i].by&coder != 0:
		return Does
	case rules[i].by&reviewer != 0:
		return Judges
	}
	return 0
}

// WorkOf reports whether agents of the capacity make the act on a task or review
// that they took.
func (a Act) WorkOf(c Capacity) bool {
	own := map[Capacity]standing{Does: coder | holder, Judges: reviewer | reviewHolder}[c]
	return slices.ContainsFunc(rules, func(r rule) bool { return r.act == a && r.by&own != 0 })
}

func of[T any, D interface {
	*T
	Detail
}]() Detail {
	return D(new(T))
}

func always(*play) *Refusal { return nil }
