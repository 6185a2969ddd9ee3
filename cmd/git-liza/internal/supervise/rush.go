// Package supervise runs supervisors: each registers one agent, waits for work
// that its role may do, claims it, spawns the agent's program in the worktree
// and watches both until the board shows the expected move. Any of them merges
// what is approved.
//
// A supervisor is never a language model and decides nothing that the rules of
// flow decide. What it starts it also ends: when it returns, no process of an
// agent is left, nothing is held and nobody is registered.
//
// A [Rush] runs one supervisor per slot. A supervisor is the loop: it looks at
// the board, decides what comes next and takes it.
//
//	rush.go, idle.go, stuck.go            all supervisors, and when they are done
//	rush_crew.go, rush_server.go          who belongs to them, and requests that change it
//	rush_messages.go, narrate.go          what they say
//	fit.go, dryrun.go                     programs that can be started, and what is known before
//	register.go, supervisor.go, pick.go   the loop of one
//	coder.go, reviewer.go, planner.go     how it takes the work of its role
//	merger.go, due.go, levels.go          how it merges, and makes what the board asks for
//	outages.go                            gates that cannot run here
//	switches.go                           files by which a person asks for a checkpoint
//
// Its worker runs the sessions on what was taken. Both act through one
// registration (registration.go).
//
//	worker.go, coding.go, reviewing.go, planning.go   sessions on one assignment
//	session.go, prior.go, prompt.go, workend.go       one session, and what it ends
//	watcher.go, budget.go                             what ends it early
//	reporter.go, record.go                            what is written down of it
//	baseline.go, worktree.go                          what is put back after it
package supervise

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/secret"
	"github.com/git-liza/git-liza/worktrees"
)

// A Slot is one agent that the user wants a supervisor for.
type Slot struct {
	Role     board.Role
	ID       board.AgentID // "" for the first number that is free
	Provider provider.Provider
	Once     bool          // the supervisor ends after one assignment
	MaxWait  time.Duration // the supervisor ends after so long without work; 0 means never
}

// A Rush is a set of supervisors in one process with one view of the blackboard. Every
// field but Clone and Self may be zero.
type Rush struct {
	Clone   *work.Clone // the repository; its actor is not used
	Self    string      // the path of this git-liza
	Environ []string    // agents see a part of it
	Limits  Limits      // the zero value means DefaultLimits
	Bounds  Bounds      // limits on sessions, beside the budgets of the board

	// Goal is the one whose work the supervisors take; "" is all that are in progress.
	Goal board.GoalID

	// UntilIdle ends the rush when all tasks are final, or when nothing can
	// move without a human: a *Stuck.
	UntilIdle bool

	// Engine is the configured program that runs containers, "" if none is configured.
	Engine string

	// Known are the programs whose logins a supervisor that died may have lent to sessions.
	Known provider.Catalogue

	// NoTrips leaves it to others to trip the circuit breaker.
	NoTrips bool

	// Tell receives what happens, from one goroutine at a time.
	Tell func(Message)
	// Follow is the agent whose output is told too, or FollowAll.
	Follow board.AgentID

	// Staff returns the slot of one more agent of a role of the board, with the provider
	// that somebody asked for, "" for the configured one. It is called by one goroutine
	// at a time. With nil no agents are added while the rush runs.
	Staff func(b *board.Board, role board.Role, provider string) (Slot, error)

	// Planted returns the hooks that came or changed since the rush began. No git of the
	// rush starts a hook from then on. Planted may be nil.
	Planted func() []string

	sessions      atomic.Int32                  // running now
	planted       sync.Map                      // hooks that were named
	seals         sharedMap[string, []byte]     // of the reviews whose sessions run, by their folders
	changed       sync.Map                      // files of the main work tree and refs that were named
	baseline      atomic.Pointer[work.Baseline] // of the session that began last
	settings      sessionSettings
	committer     [2]string
	board         string       // its id
	mask          *secret.Mask // hides secrets in what is kept
	view          *work.View
	idle          *idleSet
	triggers      triggerTries
	troubles      troubles
	due           dueTries
	gates         gateTries
	changelogs    sharedMap[board.SprintID, bool] // sprints that were looked at for changes of specs
	judged        atomic.Int64                    // number of the next record when patterns were looked for
	pauses        sharedMap[string, string]       // pauses that were announced, by provider
	fitness       sharedMap[string, *Unfit]       // what is known of programs, by programKey; nil where nothing is
	link          link
	presences     presenceWriter
	begun         time.Time
	lastSessions  sharedMap[board.AgentID, time.Time] // when they were recorded, of those since then; "" has the last move of all
	presenceCache presenceCache
	own           sharedMap[board.Actor, bool] // agents of this rush
	holders       sharedMap[string, bool]      // other agents that hold tasks, as was said
	usage         rushUsage
	speaker       speaker
	beside        sync.WaitGroup // goroutines that end soon after the supervisors
}

// MostOfRole is how many agents of a role a rush has at most.
const MostOfRole = 100

// FollowAll stands for all agents of a rush, see [Rush.Follow].
const FollowAll board.AgentID = "all"

// Run runs a supervisor for each slot until all have ended. It returns nil after the
// board was stopped or ctx is done. If all supervisors end with an error, it returns
// that of the first.
func (r *Rush) Run(ctx context.Context, slots []Slot) error {
	if r.Clone.Checkouts.Trees == nil {
		return worktrees.ErrNoWorkTree
	}
	if r.Limits == (Limits{}) {
		r.Limits = DefaultLimits()
	}
	name, email, err := r.Clone.Repo.Config.Identity(ctx)
	if err != nil {
		return err
	}
	b, begun, err := r.Clone.Store.Board(ctx)
	if err != nil {
		return err
	}
	r.committer, r.board = [2]string{name, email}, b.Settings().Board
	r.speaker.tell, r.speaker.now, r.speaker.last = r.Tell, r.Clone.Store.Now, time.Now()
	defer r.speaker.flush()
	r.Clone.Repo.Notice = r.say
	r.mask = secret.New(r.Environ)
	r.begun = r.Clone.Store.Now()
	r.idle = &idleSet{allIdle: make(chan struct{}, 1), tips: map[*supervisor]board.ObjectID{}}

	if r.link.remote, err = r.Clone.Store.Authority(ctx); err != nil {
		return err
	}
	watching, unwatch := context.WithCancel(context.WithoutCancel(ctx))
	defer unwatch()
	r.view = work.Watch(watching, r.Clone.Repo)
	for _, line := range append(UnboundLines(b, r.Bounds, slots), unstaffedLines(b, slots)...) {
		r.ask(line)
	}
	r.startNarration(watching, begun)
	if err := r.startPolling(watching); err != nil {
		return err
	}
	if err := r.startPresences(watching); err != nil {
		return err
	}
	working, abort := context.WithCancel(ctx)
	defer abort()
	if err := r.startSwitches(watching, abort); err != nil {
		return err
	}
	r.startOrphanRelease(watching)
	err = r.runSlots(working, b, slots)
	unwatch()
	r.beside.Wait()
	return err
}

// rowOf is the row of a role; without a capacity if the board lacks it. Nobody can be
// registered for that one.
func rowOf(b *board.Board, role board.Role) *board.RoleRow {
	if row := b.Role(role); row != nil {
		return row
	}
	return &board.RoleRow{Name: role}
}

// runSlots runs the supervisors and waits for them. The board gives the rows of their
// roles. Others may ask it for more supervisors, and for the end of some.
func (r *Rush) runSlots(ctx context.Context, b *board.Board, slots []Slot) error {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &crew{rush: r, ctx: working, ended: make(chan struct{})}
	c.reserve(len(slots))
	for _, slot := range slots {
		c.hire(b, slot)
	}
	deafen := r.listen(working, c)
	verdict, err := r.awaitEnd(ctx, c.ended)
	cancel()
	<-c.ended
	deafen()
	if err != nil || verdict || ctx.Err() != nil {
		return err
	}
	return c.failure()
}

// goals returns the goal whose work the supervisors take, none if it is that of all.
func (r *Rush) goals() []board.GoalID {
	if r.Goal == "" {
		return nil
	}
	return []board.GoalID{r.Goal}
}

// merges reports whether the supervisors merge what is approved for a goal, also after
// its end.
func (r *Rush) merges(goal board.GoalID) bool { return r.Goal == "" || goal == r.Goal }

// serves reports whether the supervisors take work of a goal. Nobody goes on with a
// goal that has ended.
func (r *Rush) serves(b *board.Board, goal board.GoalID) bool {
	if r.Goal != "" {
		return goal == r.Goal
	}
	g := b.Goal(goal)
	return g != nil && g.Status.IsInProgress()
}

// awaitEnd waits until all supervisors have ended or the rush is over; verdict is true
// in the second case.
func (r *Rush) awaitEnd(ctx context.Context, all <-chan struct{}) (verdict bool, err error) {
	for {
		select {
		case <-all:
			return false, nil
		case <-r.idle.allIdle:
		}
		if !r.UntilIdle || ctx.Err() != nil {
			continue
		}
		over, err := r.isOver(ctx)
		if over {
			return true, err
		}
		if err != nil {
			r.say(err.Error())
		}
	}
}

// followOutput returns where an agent's output goes beside its log.
func (r *Rush) followOutput(id board.AgentID) io.Writer {
	if id != r.Follow && r.Follow != FollowAll {
		return nil
	}
	return &splitter{to: func(line string) { r.speaker.pass(Message{Kind: OutputMessage, Agent: id, Text: line}) }}
}
