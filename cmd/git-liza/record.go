package main

import (
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
)

type recordCommands struct {
	Discovery  discoverCommand   `cmd:"" help:"Work or a risk that was found beside a task."`
	Anomaly    anomalyCommand    `cmd:"" help:"Something that went against the plan."`
	Alignment  alignCommand      `cmd:"" help:"Where things stand against the goal's original intent."`
	SpecChange specChangeCommand `cmd:"" help:"That a spec changed, and what caused it."`

	List    recordListCommand    `cmd:"" default:"withargs" help:"Questions, discoveries, anomalies and notes that are open; the default."`
	Defer   deferCommand         `cmd:"" help:"Put a discovery off until a later time."`
	Dismiss recordDismissCommand `cmd:"" help:"Take an anomaly, a discovery or a note off the prompts."`
}

// record makes a move that writes one small document and prints its id.
func (inv *invocation) record(act board.Act, folder board.Folder, detail flow.Detail) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, act, "", detail)
	if err != nil {
		return err
	}
	id := writtenID(r, folder)
	return inv.result(r, map[string]any{"record": id}, "%s %s", act, id)
}

// writtenID returns the id of the document that a move wrote to a folder.
func writtenID(r gitstore.Result, folder board.Folder) string {
	if edit := lists.Find(r.After.Changes(), func(e board.Edit) bool { return e.Key.Folder == folder }); edit != nil {
		return edit.Key.ID
	}
	return ""
}

type anomalyCommand struct {
	Type   board.AnomalyType `arg:"" tool:"What it is." help:"One of retry_loop, trade_off, spec_ambiguity, external_blocker, assumption_violated, scope_deviation, workaround, debt_created, spec_changed, hypothesis_exhaustion, spec_gap, review_deadlock, system_ambiguity, limit_reached."`
	Task   board.TaskID      `placeholder:"ID" help:"The task it is about."`
	Detail map[string]string `mapsep:"none" placeholder:"K=V" help:"What the type asks for; repeatable."`
}

func (c *anomalyCommand) Run(inv *invocation) error {
	return inv.record(board.ActAnomaly, board.Anomalies, &flow.AnomalyMove{Type: c.Type, About: c.Task, Details: c.Detail})
}

type discoverCommand struct {
	Text      string       `arg:"" help:"What was found; - for standard input."`
	Severity  string       `required:"" placeholder:"low|medium|high|critical" help:"How bad it is."`
	Urgency   string       `default:"deferred" placeholder:"immediate|deferred" tool:"An immediate one wakes a planner." help:"An immediate one wakes a planner; default deferred."`
	During    board.TaskID `placeholder:"TASK" help:"The task during which it was found."`
	Recommend string       `help:"What to do about it."`
}

func (c *discoverCommand) said() *string { return &c.Text }

func (c *discoverCommand) Run(inv *invocation) error {
	return inv.record(board.ActDiscover, board.Discovered, &flow.DiscoverMove{Text: c.Text, Severity: c.Severity, Urgency: c.Urgency,
		During: c.During, Recommend: c.Recommend})
}

type alignCommand struct {
	goalFlag
	Text    string `arg:"" tool:"Where things stand." help:"Where things stand against the original intent; - for standard input."`
	Answers string `placeholder:"CHECKPOINT" tool:"The checkpoint whose decision it answers." help:"It answers the decision at this checkpoint: what is held back can be claimed again."`
}

func (c *alignCommand) said() *string { return &c.Text }

func (c *alignCommand) Run(inv *invocation) error {
	said := "aligned"
	if c.Answers != "" {
		said += ", the hold of " + c.Answers + " ends"
	}
	clone, err := openGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, board.ActAlign, "", &flow.AlignMove{Text: c.Text, Answers: c.Answers})
	if err != nil {
		return err
	}
	id := movedGoal(r)
	return inv.result(r, map[string]any{"goal": id}, "%s %s", id, said)
}

type deferCommand struct {
	ID     board.RecordID `arg:"" help:"The discovery."`
	Until  string         `required:"" placeholder:"T" tool:"A time, or a span from now (3d); at most 90 days." help:"When somebody has to look again: a time, or a span from now (3d); at most 90 days."`
	Reason string         `required:"" help:"Why it can wait."`
}

func (c *deferCommand) Run(inv *invocation) error {
	now := inv.now().UTC().Truncate(time.Second)
	until, err := (&noteCommand{Until: c.Until}).expires(now)
	if err != nil {
		return usagef("git liza record defer "+string(c.ID)+" --until 3d --reason R", "--until: %v", err)
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, board.ActDefer, "", &flow.DeferMove{Record: c.ID, Until: until, Reason: c.Reason})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"record": c.ID, "until": until}, "%s put off until %s", c.ID, until.Format(view.Stamp))
}

type recordDismissCommand struct {
	ID     board.RecordID `arg:"" name:"record" help:"An anomaly, a discovery or a note."`
	Reason string         `required:"" help:"Why it needs nobody's attention any more."`
}

func (c *recordDismissCommand) Run(inv *invocation, clone *work.Clone) error {
	kind := ""
	r, err := clone.Move(inv.ctx, board.ActDismissRecord, "", func(b *board.Board) (flow.Detail, error) {
		kind = board.RecordKind(b, c.ID)
		if kind == "" && !b.Empty() {
			return nil, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no record " + string(c.ID), Hint: "git liza record list --all"}
		}
		return &flow.DismissRecordMove{Kind: kind, Record: c.ID, Reason: c.Reason}, nil
	})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"record": c.ID, "kind": kind}, "%s %s dismissed", kind, c.ID)
}
