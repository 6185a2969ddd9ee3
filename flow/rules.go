package flow

import "slices"

// A rule is one row of the table: which act leads from which states to which,
// who may do it, and what must hold before any of its fields are known.
// Guards over the fields and the effect are methods of the act's detail.
type rule struct {
	act    Act
	from   states // none: the act is not about one task
	to     Status // zero: the status stays, or the effect decides
	by     standing
	open   func(*play) *Refusal
	detail func() Detail
}

// rules is the table. Where an act has several rows, the first that fits the
// task's state and the actor counts.
var rules = []rule{
	{ActAdd, 0, 0, planner | human, always, of[AddMove]},
	{ActFinalize, 0, 0, planner | human, always, of[FinalizeMove]},
	{ActEdit, described | in(Claimed, ReadyForReview, Rejected, Approved, IntegrationFailed), 0, planner | human, editable, of[EditMove]},
	{ActClaim, in(Unclaimed, Rejected, IntegrationFailed, Claimed), Claimed, coder | human, claimable, of[ClaimMove]},
	{ActRenew, in(Claimed, ReadyForReview), 0, supervisor | human, renewable, of[RenewMove]},
	{ActIntent, in(Claimed), 0, holder, always, of[IntentMove]},
	{ActSubmit, in(Claimed), ReadyForReview, holder, intended, of[SubmitMove]},
	{ActReview, in(ReadyForReview), 0, reviewer | human, reviewable, of[ReviewMove]},
	{ActApprove, in(ReadyForReview), Approved, reviewHolder, independent, of[ApproveMove]},
	{ActReject, in(ReadyForReview), Rejected, reviewHolder, independent, of[RejectMove]},
	{ActReject, in(Approved), Rejected, human, always, of[RejectMove]},
	{ActMerge, in(Approved), Merged, supervisor | human, mergeable, of[MergeMove]},
	{ActIntegrationFail, in(Approved), IntegrationFailed, supervisor | human, mergeable, of[IntegrationFailMove]},
	{ActBlock, in(Claimed), Blocked, holder, always, of[BlockMove]},
	{ActBlock, in(Claimed, Rejected, IntegrationFailed), Blocked, planner | supervisor | human, leaseEnded, of[BlockMove]},
	{ActUnblock, in(Blocked), 0, planner | human, unblockable, of[UnblockMove]},
	{ActSupersede, in(Draft, Unclaimed, ReadyForReview, Rejected, Blocked, IntegrationFailed), Superseded, planner | human, rescopable, of[SupersedeMove]},
	{ActAbandon, in(Draft, Unclaimed, ReadyForReview, Rejected, Approved, Blocked, IntegrationFailed), Abandoned, planner | human, always, of[AbandonMove]},
	{ActRelease, in(Claimed, ReadyForReview), 0, supervisor | human, releasable, of[ReleaseMove]},
	{ActHandoff, in(Claimed), 0, holder, always, of[HandoffMove]},
	{ActAdopt, 0, 0, human, admin, of[AdoptMove]},

	{ActPause, 0, 0, human, always, of[PauseMove]},
	{ActResume, 0, 0, human, resumable, of[ResumeMove]},
	{ActCheckpoint, 0, 0, supervisor | human, always, of[CheckpointMove]},
	{ActStop, 0, 0, human, always, of[StopMove]},
	{ActDecide, 0, 0, human, inCheckpoint, of[DecideMove]},
	{ActGoal, 0, 0, human, always, of[GoalMove]},
	{ActComplete, 0, 0, supervisor | human, goalOpen, of[CompleteMove]},
	{ActAbort, 0, 0, human, goalOpen, of[AbortMove]},
	{ActAlign, 0, 0, planner | human, goalOpen, of[AlignMove]},
	{ActSprintStart, 0, 0, supervisor | human, always, of[SprintStartMove]},
	{ActSprintClose, 0, 0, supervisor | human, sprintOpen, of[SprintCloseMove]},
	{ActRetro, 0, 0, supervisor | human, always, of[RetroMove]},
	{ActRegister, 0, 0, supervisor | human, always, of[RegisterMove]},
	{ActUnregister, 0, 0, supervisor | human, always, of[UnregisterMove]},
	{ActDegrade, 0, 0, supervisor | human, always, of[DegradeMove]},
	{ActTrip, 0, 0, supervisor | human, always, of[TripMove]},
	{ActReset, 0, 0, human, tripped, of[ResetMove]},
	{ActAnomaly, 0, 0, anybody, always, of[AnomalyMove]},
	{ActDiscover, 0, 0, anybody, always, of[DiscoverMove]},
	{ActConvert, 0, 0, planner | human, always, of[ConvertMove]},
	{ActNote, 0, 0, anybody, always, of[NoteMove]},
	{ActSpecChange, 0, 0, anybody, always, of[SpecChangeMove]},
	{ActInit, 0, 0, human, always, of[InitMove]},
	{ActConfig, 0, 0, human, admin, of[ConfigMove]},
	{ActImport, 0, 0, human, always, of[ImportMove]},
	{ActArchive, 0, 0, supervisor | human, always, of[ArchiveMove]},
	{ActMigrate, 0, 0, human, admin, of[MigrateMove]},
	{ActAmend, 0, 0, human, admin, of[AmendMove]},
	{ActPrincipal, 0, 0, human, admin, of[PrincipalMove]},
	{ActSession, anywhere, 0, supervisor | human, always, of[SessionMove]},
}

// described are the states in which a task can be described anew; in the other
// open ones only its budget changes.
var described = in(Draft, Unclaimed, Blocked)

// anywhere stands for every state, also the final ones, and for no task at
// all: the act adds to what is recorded of a task and does not count as a
// change of it.
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

// standing is the set of capacities in which an actor makes a move, and in
// the table those of which one is needed.
type standing uint16

const (
	human        standing = 1 << iota
	planner               // an agent with the role planner
	coder                 // the supervisor of a coder
	reviewer              // the supervisor of a code-reviewer
	supervisor            // the supervisor of any agent
	holder                // who holds the claim on the task
	reviewHolder          // who holds the review of the task
	anybody               // every human and every agent
)

// standings spells the capacities for refusals.
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

// HumansOnly reports whether no agent and no supervisor may ever do the act.
func (a Act) HumansOnly() bool {
	return !slices.ContainsFunc(rules, func(r rule) bool { return r.act == a && r.by != human })
}

// WorkOf reports whether agents of the role do the act with what they took: a
// task, a review. In everybody else's name it is another move.
func (a Act) WorkOf(role Role) bool {
	own := map[Role]standing{Coder: coder | holder, CodeReviewer: reviewer | reviewHolder}[role]
	return slices.ContainsFunc(rules, func(r rule) bool { return r.act == a && r.by&own != 0 })
}

func of[T any, D interface {
	*T
	Detail
}]() Detail {
	return D(new(T))
}

func always(*play) *Refusal { return nil }
