package supervise

import (
	"context"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A planReport is how a planner's session ends. Its parts are made in this order, each
// as one move; the first refusal ends it.
type planReport struct {
	Tasks    []board.TaskInput `yaml:"tasks"`
	Finalize []board.TaskID    `yaml:"finalize"`
	Answer   []struct {
		Question board.RecordID `yaml:"question"`
		Text     string         `yaml:"text"`
	} `yaml:"answer"`
	Unblock   []board.TaskID `yaml:"unblock"`
	Supersede []struct {
		Task   board.TaskID      `yaml:"task"`
		Reason string            `yaml:"reason"`
		By     []board.TaskID    `yaml:"by"`
		Tasks  []board.TaskInput `yaml:"tasks"`
	} `yaml:"supersede"`
	Abandon []struct {
		Task   board.TaskID `yaml:"task"`
		Reason string       `yaml:"reason"`
	} `yaml:"abandon"`
	Convert []struct {
		Discovery board.RecordID  `yaml:"discovery"`
		Task      board.TaskInput `yaml:"task"`
	} `yaml:"convert"`
	Note    string `yaml:"note"` // for everybody: why a human has to decide
	Align   string `yaml:"align"`
	Answers string `yaml:"answers"` // with align: the checkpoint whose decision it answers
}

func (p *reporter) reportPlan(ctx context.Context, message string) error {
	var r planReport
	if err := readReport(message, &r); err != nil {
		return err
	}
	moves := r.planMoves(ctx, p)
	if len(moves) == 0 {
		return &wrongReport{"it asks for nothing"}
	}
	for _, move := range moves {
		if err := move(); err != nil {
			return err
		}
	}
	return nil
}

// planMoves returns the moves that the report asks for, in order.
func (r *planReport) planMoves(ctx context.Context, p *reporter) (list []func() error) {
	if len(r.Tasks) > 0 {
		list = append(list, func() error { return p.addTasks(ctx, r.Tasks) })
	}
	if len(r.Finalize) > 0 {
		list = append(list, func() error { return p.makeMove(ctx, board.ActFinalize, &flow.FinalizeMove{Tasks: r.Finalize}) })
	}
	for _, x := range r.Answer {
		list = append(list, func() error {
			return p.makeMove(ctx, board.ActAnswer, &flow.AnswerMove{Question: x.Question, Text: x.Text})
		})
	}
	for _, id := range r.Unblock {
		list = append(list, func() error {
			return p.endTask(ctx, board.ActUnblock, id, func(_ *board.Board, save *board.Save) flow.Detail { return &flow.UnblockMove{Saved: save} })
		})
	}
	for _, x := range r.Supersede {
		list = append(list, func() error { return p.supersedeTask(ctx, x.Task, x.Reason, x.By, x.Tasks) })
	}
	for _, x := range r.Abandon {
		list = append(list, func() error {
			return p.endTask(ctx, board.ActAbandon, x.Task, func(_ *board.Board, save *board.Save) flow.Detail {
				return &flow.AbandonMove{Reason: x.Reason, Saved: save}
			})
		})
	}
	return append(list, r.recordMoves(ctx, p)...)
}

// recordMoves returns the moves that record what was found or decided.
func (r *planReport) recordMoves(ctx context.Context, p *reporter) (list []func() error) {
	for _, x := range r.Convert {
		list = append(list, func() error { return p.convertDiscovery(ctx, x.Discovery, x.Task) })
	}
	if r.Note != "" {
		list = append(list, func() error { return p.makeMove(ctx, board.ActNote, &flow.NoteMove{For: "all", Text: r.Note}) })
	}
	if r.Align != "" {
		list = append(list, func() error {
			return p.makeMove(ctx, board.ActAlign, &flow.AlignMove{Text: r.Align, Answers: r.Answers})
		})
	}
	return list
}

func (p *reporter) makeMove(ctx context.Context, act board.Act, d flow.Detail) error {
	mover := p.clone.For("")
	if act == board.ActAlign {
		mover = p.clone.For(p.assignment.goal()) // that it was woken for, which need not be the current one
	}
	_, err := mover.Make(ctx, act, "", d)
	return err
}

func (p *reporter) endTask(ctx context.Context, act board.Act, id board.TaskID, detail func(*board.Board, *board.Save) flow.Detail) error {
	_, err := p.clone.End(ctx, act, id, func(b *board.Board, save *board.Save) (flow.Detail, error) { return detail(b, save), nil })
	return err
}

// addTasks, supersedeTask and convertDiscovery make the moves of the commands add,
// supersede and convert.
func (p *reporter) addTasks(ctx context.Context, list []board.TaskInput) error {
	_, err := work.Tasks{Clone: p.clone}.Add(ctx, list)
	return err
}

func (p *reporter) supersedeTask(ctx context.Context, id board.TaskID, reason string, by []board.TaskID, list []board.TaskInput) error {
	_, err := work.Tasks{Clone: p.clone}.Supersede(ctx, id, flow.SupersedeMove{Reason: reason, By: by, Add: list})
	return err
}

func (p *reporter) convertDiscovery(ctx context.Context, id board.RecordID, in board.TaskInput) error {
	if err := p.clone.Trust.AllowTasks(ctx, []board.TaskInput{in}); err != nil {
		return err
	}
	_, err := work.Tasks{Clone: p.clone}.Convert(ctx, id, func(*board.Board) board.TaskInput { return in })
	return err
}
