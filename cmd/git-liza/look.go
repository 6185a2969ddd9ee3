package main

import (
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// lookCommands show the blackboard and change nothing.
type lookCommands struct {
	Status statusCommand `cmd:"" group:"Look" help:"The board at a glance: who works, what waits for whom, what to do next."`
	List   listCommand   `cmd:"" group:"Look" help:"The tasks, a line each."`
	Show   showCommand   `cmd:"" group:"Look" help:"A task with its history, or what it changes."`
	Log    logCommand    `cmd:"" group:"Look" help:"The moves, newest first."`

	Usage   usageCommand    `cmd:"" group:"Look" help:"Tokens and money that sessions used, by task, role, agent, provider, model, outcome or sprint."`
	Session sessionCommands `cmd:"" group:"Look" help:"What agents were told and printed, session by session."`

	State     stateCommand      `cmd:"" group:"Look" help:"The whole blackboard as one YAML document, now or then."`
	Diff      diffCommand       `cmd:"" group:"Look" help:"What changed between two states, document by document."`
	Validate  validateCommand   `cmd:"" group:"Look" help:"Hold the board against its invariants."`
	Fsck      fsckCommand       `cmd:"" group:"Look" help:"Replay the moves and check that they lead to the board."`
	Prompt    promptCommand     `cmd:"" group:"Look" help:"The prompt that an agent of a role would get."`
	Template  templateCommand   `cmd:"" group:"Set up" help:"Print a document to start from."`
	Contracts contractsCommands `cmd:"" group:"Set up" help:"What agents keep to: documents and skills, shown, installed and removed."`
	Agents    agentsCommand     `cmd:"" group:"Govern" help:"The registered agents and what they do."`
}

// A look is the blackboard as one command saw it.
type look struct {
	*work.Clone
	board *flow.Board
	tip   git.ID
	at    time.Time
	self  identity // where a command has asked for it

	// Where a command has asked for them: the supervisors of agents that died on
	// this machine, and what tasks wait for because nobody here allowed it.
	dead   map[flow.Actor]int
	barred map[flow.TaskID]step
}

// look reads the blackboard; nobody's identity is needed for that.
func (s *session) look() (look, error) {
	clone, err := s.reader()
	if err != nil {
		return look{}, err
	}
	b, tip, err := clone.Store.Board(s.ctx)
	return look{Clone: clone, board: b, tip: tip, at: clone.Store.Now()}, err
}

// lookAt reads the blackboard as it was at a time, mark or commit; what stands
// at the tip now is not read and may be broken.
func (s *session) lookAt(rev string) (look, error) {
	clone, err := s.reader()
	if err != nil {
		return look{}, err
	}
	commit, err := s.rev(clone, rev)
	if err != nil {
		return look{}, err
	}
	b, err := clone.Store.BoardAt(commit)
	return look{Clone: clone, board: b, tip: commit, at: clone.Store.Now()}, err
}

// asker is the coder whose claims the board is asked about: the agent that
// asks, if it is a coder, else one that could begin now.
func (l look) asker(s *session) flow.Caller {
	if by, g, err := s.actor(l.Repo); err == nil && by.Role() == flow.Coder {
		principal, err := work.PrincipalOf(s.ctx, l.Repo, by)
		if err == nil {
			return flow.Caller{By: by, Principal: principal, Generation: g}
		}
	}
	return l.free(flow.Coder)
}

// mostIDs is how far free looks for an id that this clone may act as.
const mostIDs = 10000

// free is the first id of a role that can act by hand, and as this clone's
// principal: registered so and idle, or not registered. Where there is none
// the first id of all has the rules say why.
func (l look) free(role flow.Role) flow.Caller {
	who := l.board.Principals()
	me := who.Find(l.Principal)
	for n := 1; n <= mostIDs; n++ {
		id := agentID(role, n)
		if me != nil && !me.MayAct(flow.Actor(id)) {
			continue
		}
		if a := l.board.Agent(id); a == nil || a.Generation == "" && a.Task == "" && a.Review == "" && a.Degraded == "" {
			return flow.Caller{By: flow.Actor(id), Principal: l.Principal}
		}
	}
	return flow.Caller{By: flow.Actor(agentID(role, 1)), Principal: l.Principal}
}

// view shows tasks to whoever asks.
func (l look) view(s *session) taskView {
	return taskView{board: l.board, clone: l.Clone, asker: l.asker(s), at: l.at}
}

// task finds a task of any state.
func (l look) task(id flow.TaskID) (*flow.Task, error) {
	t := l.board.Task(id)
	if err := l.board.Err(); err != nil {
		return nil, err
	}
	if t == nil {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza list --all", Reason: "there is no task " + string(id)}
	}
	return t, nil
}

// span is a length of time for people: 40s, 12m, 3h, 5d.
func span(d time.Duration) string {
	switch d = d.Abs(); {
	case d < time.Minute:
		return d.Truncate(time.Second).String()
	case d < time.Hour:
		return flow.Duration(d.Truncate(time.Minute)).String()
	case d < 48*time.Hour:
		return flow.Duration(d.Truncate(time.Hour)).String()
	}
	return count(int(d.Hours()/24), "day")
}

// lease says how a lease stands.
func lease(until, at time.Time) string {
	switch {
	case until.IsZero():
		return ""
	case until.After(at):
		return span(until.Sub(at)) + " left"
	}
	return "lease ended " + span(at.Sub(until)) + " ago"
}
