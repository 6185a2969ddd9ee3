package supervise

import (
	"context"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A registration is one agent as this process registered it: its name, the clone that
// it acts with, the program that it runs, its log and its presence. The agent's
// supervisor and worker share it.
type registration struct {
	rush       *Rush
	id         board.AgentID
	generation board.Generation
	capacity   board.Capacity // of the agent's role; no move changes it while an agent has the role
	row        *board.RoleRow // of the role, as the board had it at the last session
	clone      *work.Clone
	provider   provider.Provider
	log        *log
	presence   *presence

	starts    starts                     // of the program
	avoided   map[board.TaskID]time.Time // until when tasks that cannot be taken here are avoided
	complaint string                     // the last one, so that it is not repeated
}

// replacedError is the error of a supervisor whose registration was replaced or has
// ended.
func (reg *registration) replacedError() error {
	return &flow.Refusal{Rule: flow.RuleStale, Hint: "git liza agents",
		Reason: fmt.Sprintf("%s is registered with another generation: a newer registration has replaced this one, or it has ended", reg.id)}
}

// avoidTask avoids a task for a while, and returns until when.
func (reg *registration) avoidTask(id board.TaskID, why error) time.Time {
	reg.avoided[id] = time.Now().Add(retryAfter)
	reg.rush.troubles.note(id, why)
	reg.sayOnce("%s cannot take %s: %v", reg.id, id, why)
	return reg.avoided[id]
}

func (reg *registration) say(format string, args ...any) { reg.rush.say(fmt.Sprintf(format, args...)) }

// ask says what a person has to do something about.
func (reg *registration) ask(format string, args ...any) { reg.rush.ask(fmt.Sprintf(format, args...)) }

// sayOnce says what a person has to know, unless it was the last complaint already.
func (reg *registration) sayOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != reg.complaint {
		reg.complaint = text
		reg.rush.ask(text)
	}
}

// boardTime is the time by which the supervisor judges the board.
func (reg *registration) boardTime(b *board.Board) time.Time {
	return timeOn(b, reg.clone.Store.Now())
}

// timeOn is the time by which a board is judged: that of its last move, if this machine's
// clock is behind.
func timeOn(b *board.Board, now time.Time) time.Time {
	if now.Before(b.At()) {
		return b.At()
	}
	return now
}

// giveBack releases what the agent holds, unless somebody else has taken it or ended it since.
func (reg *registration) giveBack(ctx context.Context, id board.TaskID, m flow.ReleaseMove) error {
	_, err := reg.clone.Release(ctx, id, m)
	if flow.IsRefused(err) {
		return nil
	}
	return err
}

// environment returns the environment of commands other than the provider that run for
// the agent, with more variables, until remove is called. It holds no secret.
func (reg *registration) environment(ctx context.Context, a *assignment, more ...string) (env []string, remove func(), err error) {
	spawn, remove, err := reg.spawn(ctx, a)
	spawn.Machine = append(spawn.Machine, more...)
	return spawn.Environment(nil), remove, err
}

// spawn is a session of the agent, as far as its environment goes, until remove is called.
func (reg *registration) spawn(ctx context.Context, a *assignment) (spawn provider.Spawn, remove func(), err error) {
	machine, err := reg.clone.Machine(ctx, a.dir)
	if err != nil {
		return provider.Spawn{}, nil, err
	}
	programs, remove, err := provider.Programs(reg.rush.Self)
	return provider.Spawn{Agent: reg.id, Generation: reg.generation.Child(), Row: reg.row, Goal: a.goal(), Task: a.taskID(), Review: a.reviewedCommit(), Question: a.questionID(), Dir: a.dir,
		Committer: reg.rush.committer, Environ: reg.rush.Environ, Machine: machine, Common: reg.clone.Repo.CommonDir(), Programs: programs}, remove, err
}
