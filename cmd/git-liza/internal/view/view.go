// Package view presents a blackboard to people and programs. From a board, a
// time and what the clone knows it makes values for JSON, rows and text for
// people, and the commands to type next. Every display of a board uses it, so
// that text, JSON, a terminal and a browser agree.
//
// It is pure: it prints nothing, runs nothing, and reads neither a clock nor the
// environment. It decides nothing: it asks the rules in package flow what may be
// done. Errors in reading the board are in [board.Board.Err], which callers check
// when they are done with a [Reading].
package view

import (
	"cmp"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A Reading is the blackboard at a time, with the caller for whom it was
// read.
type Reading struct {
	Board *board.Board
	Tip   board.ObjectID // the state commit that was read
	At    time.Time      // the time of the reading, which decides whether a lease has ended

	Principal string      // the principal that this clone acts as, "" if it has none
	Asker     flow.Caller // the caller that "claimable" and "why_not" speak of
	Person    flow.Caller // the caller whose inbox it is: a person, or an agent

	// Checkout returns the folder of a task's checkout on this host, "" if
	// there is none. It is nil on a host without checkouts.
	Checkout func(*board.Task) string

	// About is the goal that status speaks of, "" for the current one. With Only it
	// leaves out the tasks of other goals.
	About board.GoalID
	Only  bool
	Focus board.TaskID // that [Picture.Next] speaks of if it needs a person, "" for any

	Local Local

	// Recent are the newest moves, newest first, for [Picture.Log].
	Recent []Entry
}

// goal returns the goal that status speaks of.
func (r Reading) goal() board.GoalID { return cmp.Or(r.About, r.Board.Settings().Goal) }

// goals returns the goals whose tasks status speaks of; none means all.
func (r Reading) goals() []board.GoalID {
	if r.Only {
		return []board.GoalID{r.goal()}
	}
	return nil
}

// A Local is what a clone and its machine know beside the board. Its zero value
// means no dead supervisor, no command that waits for trust, and no remote.
type Local struct {
	Presences map[board.AgentID]gitstore.Presence // the last presence of each agent
	Dead      map[board.AgentID]int               // the process id of an agent's supervisor that died on this machine
	Untrusted map[board.TaskID]Step               // tasks whose verify command is not allowed here, and how to allow it
	Commands  []Untrusted                         // gates and the like that are not allowed here
	Needs     []Need                              // what else this machine needs
	Snoozed   map[string]time.Time                // until when this clone does not show items of the inbox, by their keys

	Identity  Identity
	Remote    Remote
	Hooks     string           // what is wrong with the hooks of this clone, "" if nothing is
	Confined  string           // how far sessions are confined here, "" if they are not meant to be
	Breach    *Breach          // why the board's last moves do not replay, nil if they do
	Repair    string           // the command that repairs such a board
	Uncounted int              // sessions of the current goal that did not report their usage
	Take      string           // the command that brings merged work to the branch that people work on, "" if none is needed
	Ahead     *Step            // what to do about a branch that is ahead of integration, nil if none is
	Drift     *Drift           // of the one task that is shown, nil of work that is not approved
	Kept      []string         // refs with work of the one task that is shown, beside its submissions
	Active    []metrics.Active // who worked last, by the moves that this clone has counted
}

// A Breach is one thing that is wrong with a board.
type Breach struct {
	Rule   flow.Rule      `json:"rule"`
	Reason string         `json:"reason"`
	Commit board.ObjectID `json:"commit,omitempty"` // the state commit that does not replay, or the one that cannot be read
}

// An Untrusted is a command of the board that is not allowed on this machine.
type Untrusted struct {
	Where string // as git liza trust names it
	Since time.Time
	Step  Step // that allows it
}

// A Need is something that this machine needs, with the command that settles it.
type Need struct {
	Kind    string // of the item in the inbox
	Subject string
	Text    string
	Command string
	Since   time.Time // zero if nobody knows
}

// A Step is a command that would advance the board.
type Step struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

// mostIDs is the highest number that [Reading.FreeAgent] tries for an id that this
// clone may act as.
const mostIDs = 10000

// FreeAgent returns the first id of a role that can act by hand with this clone's
// principal: one that is registered by hand and idle, or not registered. If there
// is none it returns the first id, and the rules say why that cannot act.
func (r Reading) FreeAgent(role board.Role) flow.Caller {
	me := r.Board.Principals().Find(r.Principal)
	for n := 1; n <= mostIDs; n++ {
		id := agentID(role, n)
		if me != nil && !me.MayAct(board.Actor(id)) {
			continue
		}
		if a := r.Board.Agent(id); a == nil || a.Generation == "" && a.Task == "" && a.Review == "" && a.Degraded == "" {
			return flow.Caller{By: board.Actor(id), Principal: r.Principal}
		}
	}
	return flow.Caller{By: board.Actor(agentID(role, 1)), Principal: r.Principal}
}

func agentID(role board.Role, n int) board.AgentID {
	return board.AgentID(role.String() + "-" + strconv.Itoa(n))
}
