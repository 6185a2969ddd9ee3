package main

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// recordCommands leave word on the board beside the tasks.
type recordCommands struct {
	Note       noteCommand       `cmd:"" group:"Plan" help:"Leave a word for an agent, a role, a task or all."`
	Discover   discoverCommand   `cmd:"" group:"Plan" help:"Record work or risk that was found beside a task."`
	Convert    convertCommand    `cmd:"" group:"Plan" help:"Make a task of a discovery."`
	Anomaly    anomalyCommand    `cmd:"" group:"Plan" help:"Record that something went against the plan."`
	Align      alignCommand      `cmd:"" group:"Plan" help:"Add a line to the goal's alignment history."`
	SpecChange specChangeCommand `cmd:"" group:"Plan" help:"Record that a spec changed, and what caused it."`
}

type noteCommand struct {
	Text string `arg:"" help:"The word; - for standard input."`
	For  string `default:"all" placeholder:"all|ROLE|AGENT|TASK" help:"Whom it is for; default all."`
}

func (c *noteCommand) Run(s *session) error {
	text, err := s.text(c.Text)
	if err != nil {
		return err
	}
	return s.record(flow.ActNote, flow.Notes, &flow.NoteMove{For: c.For, Text: text})
}

type discoverCommand struct {
	Text      string      `arg:"" help:"What was found; - for standard input."`
	Severity  string      `required:"" placeholder:"low|medium|high|critical" help:"How bad it is."`
	Urgency   string      `default:"deferred" placeholder:"immediate|deferred" help:"An immediate one wakes a planner; default deferred."`
	During    flow.TaskID `placeholder:"TASK" help:"The task during which it was found."`
	Recommend string      `help:"What to do about it."`
}

func (c *discoverCommand) Run(s *session) error {
	text, err := s.text(c.Text)
	if err != nil {
		return err
	}
	return s.record(flow.ActDiscover, flow.Discovered, &flow.DiscoverMove{Text: text, Severity: c.Severity, Urgency: c.Urgency,
		During: c.During, Recommend: c.Recommend})
}

type anomalyCommand struct {
	Type   flow.AnomalyType  `arg:"" help:"One of retry_loop, trade_off, spec_ambiguity, external_blocker, assumption_violated, scope_deviation, workaround, debt_created, spec_changed, hypothesis_exhaustion, spec_gap, review_deadlock, system_ambiguity."`
	Task   flow.TaskID       `placeholder:"ID" help:"The task it is about."`
	Detail map[string]string `mapsep:"none" placeholder:"K=V" help:"What the type asks for; repeatable."`
}

func (c *anomalyCommand) Run(s *session) error {
	return s.record(flow.ActAnomaly, flow.Anomalies, &flow.AnomalyMove{Type: c.Type, About: c.Task, Details: c.Detail})
}

// record makes a move that writes one small document and prints its id.
func (s *session) record(act flow.Act, folder flow.Folder, detail flow.Detail) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(s.ctx, act, "", detail)
	if err != nil {
		return err
	}
	id := written(r, folder)
	return s.result(r, map[string]any{"record": id}, "%s %s", act, id)
}

// written is the id of the document that a move wrote to a folder.
func written(r gitstore.Result, folder flow.Folder) string {
	for _, edit := range r.After.Changes() {
		if edit.Key.Folder == folder {
			return edit.Key.ID
		}
	}
	return ""
}

type convertCommand struct {
	Discovery flow.RecordID `arg:"" help:"Its id, such as sprint-1/3."`
	ID        flow.TaskID   `arg:"" optional:"" help:"The task's id; default the next task-N."`
	Draft     bool          `help:"Not claimable until it is finalized."`
	taskFlags
}

func (c *convertCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	if c.Verify != nil {
		if err := clone.TrustOwn(s.ctx, *c.Verify); err != nil {
			return err
		}
	}
	r, err := clone.Move(s.ctx, flow.ActConvert, "", func(b *flow.Board) (flow.Detail, error) {
		list := []flow.TaskInput{c.over(flow.TaskInput{ID: c.ID, Draft: c.Draft, Title: titled(b, c.Discovery)})}
		list[0].Spec = clone.Rooted(list[0].Spec)
		b.Number(list)
		return &flow.ConvertMove{Discovery: c.Discovery, Input: list[0]}, nil
	})
	if err != nil {
		return err
	}
	t := r.After.Task(r.Move.Detail.(*flow.ConvertMove).Input.ID)
	return s.result(r, map[string]any{"task": t.ID, "status": t.Status, "discovery": c.Discovery}, "%s converted to %s → %s", c.Discovery, t.ID, t.Status)
}

// titled is the first line of a discovery, the title of its task unless
// another one is given.
func titled(b *flow.Board, id flow.RecordID) string {
	d, ok := b.Load(flow.Key{Folder: flow.Discovered, ID: string(id)}).(*flow.Discovery)
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(d.Text, "\n")
	return line
}

type alignCommand struct {
	Text string `arg:"" help:"Where things stand against the original intent; - for standard input."`
}

func (c *alignCommand) Run(s *session) error {
	text, err := s.text(c.Text)
	if err != nil {
		return err
	}
	return s.goalLine(flow.ActAlign, "aligned", &flow.AlignMove{Text: text})
}

type specChangeCommand struct {
	Spec   string      `arg:"" placeholder:"SPEC" help:"The spec, as PATH or PATH#ANCHOR."`
	Change string      `required:"" help:"What changed; - for standard input."`
	By     flow.TaskID `placeholder:"TASK" help:"The task that caused it."`
}

func (c *specChangeCommand) Run(s *session) error {
	change, err := s.text(c.Change)
	if err != nil {
		return err
	}
	return s.goalLine(flow.ActSpecChange, "spec change recorded", &flow.SpecChangeMove{Spec: c.Spec, Change: change, Cause: c.By})
}

// goalLine makes a move that adds to one of the goal's histories.
func (s *session) goalLine(act flow.Act, what string, detail flow.Detail) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(s.ctx, act, "", detail)
	if err != nil {
		return err
	}
	id := r.After.Settings().Goal
	return s.result(r, map[string]any{"goal": id}, "%s", fmt.Sprintf("%s %s", id, what))
}
