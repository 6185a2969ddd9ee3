package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
)

type agentsCommands struct {
	List    agentsListCommand    `cmd:"" default:"1" help:"The registered agents and what they do; the default."`
	Add     agentsAddCommand     `cmd:"" help:"Enter an agent by hand, or fence its earlier registration."`
	Remove  agentsRemoveCommand  `cmd:"" help:"Remove an agent that holds nothing."`
	Rest    agentsRestCommand    `cmd:"" help:"Give an agent no more work until it is added anew."`
	Stop    agentsStopCommand    `cmd:"" help:"End agents of a running rush, or of git liza agent; what they hold is given back."`
	Restart agentsRestartCommand `cmd:"" help:"End an agent and begin it anew under its id, also one that has ended while its rush runs."`
	Tell    agentsTellCommand    `cmd:"" help:"Write a note to an agent: it reads it after its next command, and in its next prompt."`
}

type agentsListCommand struct{}

func (c *agentsListCommand) Run(inv *invocation, l look) error {
	if err := l.findAgents(inv); err != nil {
		return err
	}
	list := view.NewPicture(l.reading).Agents()
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	if len(list) == 0 {
		inv.progress("no agent is registered; one is by its first move, or by git liza agents add coder-1")
	}
	rows := l.reading.AgentTable(list)
	return inv.answer("", map[string]any{"agents": list}, rows.WrappedText(inv.width()))
}

type agentsStopCommand struct {
	IDs []board.AgentID `arg:"" name:"id" help:"Such as coder-1."`
}

// Run ends agents one after the other, up to the first that cannot be ended.
func (c *agentsStopCommand) Run(inv *invocation) error {
	text, pid, gave := "", 0, []board.TaskID{}
	for _, id := range c.IDs {
		l, r, err := askSupervisors(inv, supervise.Request{Act: supervise.StopAgent, Agent: id})
		if err == nil && !r.Taken {
			err = l.unsupervised(inv, id)
		}
		if err != nil {
			return err
		}
		text += fmt.Sprintf("%s has left%s; process %d did it\n", id, gaveBack(r), r.PID)
		pid, gave = r.PID, append(gave, r.Held...)
	}
	return inv.answer("changed", map[string]any{"stopped": c.IDs, "pid": pid, "gave_back": gave}, text)
}

type agentsRestartCommand struct {
	ID board.AgentID `arg:"" help:"Such as coder-1."`
}

func (c *agentsRestartCommand) Run(inv *invocation) error {
	q := supervise.Request{Act: supervise.RestartAgent, Agent: c.ID}
	l, r, err := askSupervisors(inv, q)
	if err == nil && !r.Taken {
		q.Ended = true
		l, r, err = askSupervisors(inv, q)
	}
	if err != nil {
		return err
	}
	if !r.Taken {
		return l.unsupervised(inv, c.ID)
	}
	return inv.answer("changed", map[string]any{"agent": c.ID, "pid": r.PID, "gave_back": tasksOf(r)}, fmt.Sprintf("%s began anew%s; process %d did it", c.ID, gaveBack(r), r.PID))
}

type agentsTellCommand struct {
	ID    board.AgentID `arg:"" help:"Such as coder-1."`
	Text  string        `arg:"" help:"What it is to know; - for standard input."`
	Until string        `placeholder:"3d|DATE" help:"When prompts no longer repeat it; default: when its goal ends."`
}

func (c *agentsTellCommand) said() *string { return &c.Text }

func (c *agentsTellCommand) Run(inv *invocation) error {
	expires, err := (&noteCommand{Until: c.Until}).expires(inv.now().UTC().Truncate(time.Second))
	if err != nil {
		return usagef("git liza help agents tell", "--until: %v", err)
	}
	clone, err := inv.clone()
	if err == nil {
		err = inv.operator(clone.Repo, "steering another agent")
	}
	if err != nil {
		return err
	}
	r, err := clone.Move(inv.ctx, board.ActNote, "", func(b *board.Board) (flow.Detail, error) {
		if b.Agent(c.ID) == nil {
			return nil, cmp.Or(b.Err(), error(noAgent(c.ID)))
		}
		return &flow.NoteMove{For: string(c.ID), Text: c.Text, Expires: expires}, nil
	})
	if err != nil {
		return err
	}
	id := writtenID(r, board.Notes)
	return inv.result(r, map[string]any{"record": id}, "%s: %s reads it after its next command, and in its next prompt", id, c.ID)
}

// noAgent refuses an agent that is not registered.
func noAgent(id board.AgentID) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza agents", Reason: fmt.Sprintf("no agent %s is registered", id)}
}

// askSupervisors asks the supervisors that run in this clone. An agent may not. It
// returns the board as it was before.
func askSupervisors(inv *invocation, q supervise.Request) (look, supervise.Reply, error) {
	l, err := inv.look()
	if err == nil {
		err = inv.operator(l.clone.Repo, "steering agents")
	}
	if err != nil {
		return l, supervise.Reply{}, err
	}
	r, _, err := supervise.Ask(inv.ctx, l.clone.Repo.CommonDir(), q)
	if err == nil && r.Refused != nil {
		err = &flow.Refusal{Rule: r.Refused.Rule, Reason: r.Refused.Reason, Hint: cmp.Or(r.Refused.Hint, "git liza agents")}
	}
	return l, r, err
}

// tasksOf are the tasks that a stopped agent gave back.
func tasksOf(r supervise.Reply) []board.TaskID { return append([]board.TaskID{}, r.Held...) }

// gaveBack says what a stopped agent gave back.
func gaveBack(r supervise.Reply) string {
	if len(r.Held) == 0 {
		return ""
	}
	return ", " + view.JoinIDs(r.Held) + " is given back"
}

// unsupervised refuses to steer an agent that no process of this clone supervises.
func (l *look) unsupervised(inv *invocation, id board.AgentID) error {
	a := l.reading.Board.Agent(id)
	if a == nil {
		return cmp.Or(l.reading.Board.Err(), error(noAgent(id)))
	}
	if err := l.findAgents(inv); err != nil {
		return err
	}
	refusal := &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza agents remove " + string(id), Reason: fmt.Sprintf("%s was registered by hand: nothing runs it here", id)}
	p, heard := l.reading.Local.Presences[id]
	switch {
	case l.reading.Local.Dead[id] != 0:
		refusal.Reason, refusal.Hint = fmt.Sprintf("process %d, which ran %s, is dead", l.reading.Local.Dead[id], id), "git liza rush"
	case heard:
		refusal.Reason, refusal.Hint = fmt.Sprintf("%s runs on %s, process %d, and not in this clone: type it there", id, p.Host, p.PID), "git liza agents"
	case a.Task != "":
		refusal.Hint = "git liza release " + string(a.Task) + " --as " + string(id)
	case a.Review != "":
		refusal.Hint = "git liza release " + string(a.Review) + " --as " + string(id)
	}
	return refusal
}

// printTold prints once what others wrote for the agent that runs this command since its
// session began, beside an answer as JSON too, because an agent reads both: notes, answers,
// and changes of texts that its work stands on.
func printTold(inv *invocation) {
	id := board.AgentID(inv.getenv("LIZA_AGENT_ID"))
	if inv.opened == nil || id.Role() == "" || !board.Generation(inv.getenv("LIZA_GENERATION")).Spawned() {
		return
	}
	list := work.TakeTold(inv.opened, id)
	if len(list) == 0 {
		return
	}
	l, err := inv.look()
	if err != nil {
		return // the next prompt has them
	}
	for _, told := range list {
		note, ok := l.reading.Board.Load(board.Key{Folder: board.Notes, ID: string(told.Note)}).(*board.Note)
		switch {
		case told.Answer != "":
			if q, ok := l.reading.Board.Load(board.Key{Folder: board.Questions, ID: string(told.Answer)}).(*board.Question); ok {
				fmt.Fprintf(inv.stderr, "answer of %s to %s: %s\n", q.By, q.ID, board.Clean(q.Answer))
			}
		case told.Text != "":
			if line := l.changedText(told.Text); line != "" {
				fmt.Fprintln(inv.stderr, line)
			}
		case ok && told.Note != "":
			fmt.Fprintf(inv.stderr, "note from %s: %s\n", note.By, board.Clean(note.Text))
		}
	}
}

// changedText says that a text changed, in the words of the last record of it; "" for one
// that the board does not know.
func (l look) changedText(path string) string {
	line := "changed: " + board.Clean(path)
	for _, g := range l.reading.Board.GoalsInProgress() {
		for _, c := range slices.Backward(g.Changes) {
			if spec, _, _ := strings.Cut(c.Spec, "#"); spec == path {
				return fmt.Sprintf("%s, says %s: %s; git liza artifact show %s", line, c.By, view.FirstLine(board.Clean(c.Change)), shell.Quote(path))
			}
		}
	}
	if l.reading.Board.Tracked(path) == nil {
		return ""
	}
	return line + ", which your work stands on; git liza artifact show " + shell.Quote(path)
}

type agentsRestCommand struct {
	ID     board.AgentID `arg:""`
	Reason string        `required:"" help:"Why; - for standard input."`
}

func (c *agentsRestCommand) said() *string { return &c.Reason }

func (c *agentsRestCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Make(inv.ctx, board.ActDegrade, "", &flow.DegradeMove{Agent: c.ID, Reason: c.Reason})
	if err != nil {
		return err
	}
	return inv.agentResult(r, c.ID, "rests")
}

type agentsRemoveCommand struct {
	ID board.AgentID `arg:""`
}

func (c *agentsRemoveCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Make(inv.ctx, board.ActUnregister, "", &flow.UnregisterMove{Agent: c.ID})
	if err != nil {
		return err
	}
	if err := clone.Store.Presences.Forget(inv.ctx, c.ID); err != nil {
		inv.progress("the presence of %s could not be removed: %v", c.ID, err)
	}
	return inv.agentResult(r, c.ID, "unregistered")
}
