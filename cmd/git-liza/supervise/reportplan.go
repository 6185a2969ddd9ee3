package supervise

import (
	"context"
	"slices"

	"github.com/git-liza/git-liza/flow"
)

// A planReport is how a planner's session ends. Its parts are made in this
// order, each a move; the first that is refused ends it.
type planReport struct {
	Tasks     []flow.TaskInput `yaml:"tasks"`
	Finalize  []flow.TaskID    `yaml:"finalize"`
	Unblock   []flow.TaskID    `yaml:"unblock"`
	Supersede []struct {
		Task   flow.TaskID      `yaml:"task"`
		Reason string           `yaml:"reason"`
		By     []flow.TaskID    `yaml:"by"`
		Tasks  []flow.TaskInput `yaml:"tasks"`
	} `yaml:"supersede"`
	Abandon []struct {
		Task   flow.TaskID `yaml:"task"`
		Reason string      `yaml:"reason"`
	} `yaml:"abandon"`
	Convert []struct {
		Discovery flow.RecordID  `yaml:"discovery"`
		Task      flow.TaskInput `yaml:"task"`
	} `yaml:"convert"`
	Note  string `yaml:"note"` // for all: why nothing can be done without a human
	Align string `yaml:"align"`
}

func (s *supervisor) reportPlan(ctx context.Context, message string) error {
	var r planReport
	if err := readReport(message, &r); err != nil {
		return err
	}
	moves := r.moves(ctx, s)
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

// moves are what the report asks for, in order.
func (r *planReport) moves(ctx context.Context, s *supervisor) (list []func() error) {
	if len(r.Tasks) > 0 {
		list = append(list, func() error { return s.add(ctx, r.Tasks) })
	}
	if len(r.Finalize) > 0 {
		list = append(list, func() error { return s.make(ctx, flow.ActFinalize, &flow.FinalizeMove{Tasks: r.Finalize}) })
	}
	for _, id := range r.Unblock {
		list = append(list, func() error {
			return s.end(ctx, flow.ActUnblock, id, func(_ *flow.Board, save *flow.Save) flow.Detail { return &flow.UnblockMove{Saved: save} })
		})
	}
	for _, x := range r.Supersede {
		list = append(list, func() error { return s.supersede(ctx, x.Task, x.Reason, x.By, x.Tasks) })
	}
	for _, x := range r.Abandon {
		list = append(list, func() error {
			return s.end(ctx, flow.ActAbandon, x.Task, func(_ *flow.Board, save *flow.Save) flow.Detail {
				return &flow.AbandonMove{Reason: x.Reason, Saved: save}
			})
		})
	}
	return append(list, r.records(ctx, s)...)
}

// records are the moves that write down what was found or decided.
func (r *planReport) records(ctx context.Context, s *supervisor) (list []func() error) {
	for _, x := range r.Convert {
		list = append(list, func() error { return s.convert(ctx, x.Discovery, x.Task) })
	}
	if r.Note != "" {
		list = append(list, func() error { return s.make(ctx, flow.ActNote, &flow.NoteMove{For: "all", Text: r.Note}) })
	}
	if r.Align != "" {
		list = append(list, func() error { return s.make(ctx, flow.ActAlign, &flow.AlignMove{Text: r.Align}) })
	}
	return list
}

func (s *supervisor) make(ctx context.Context, act flow.Act, d flow.Detail) error {
	_, err := s.clone.Make(ctx, act, "", d)
	return err
}

func (s *supervisor) end(ctx context.Context, act flow.Act, id flow.TaskID, detail func(*flow.Board, *flow.Save) flow.Detail) error {
	_, err := s.clone.End(ctx, act, id, func(b *flow.Board, save *flow.Save) (flow.Detail, error) { return detail(b, save), nil })
	return err
}

// add, supersede and convert allow verify commands as the commands do.
func (s *supervisor) add(ctx context.Context, list []flow.TaskInput) error {
	if err := s.trust(ctx, list); err != nil {
		return err
	}
	_, err := s.clone.Move(ctx, flow.ActAdd, "", func(b *flow.Board) (flow.Detail, error) {
		return &flow.AddMove{Tasks: numbered(b, list)}, nil
	})
	return err
}

func (s *supervisor) supersede(ctx context.Context, id flow.TaskID, reason string, by []flow.TaskID, list []flow.TaskInput) error {
	if err := s.trust(ctx, list); err != nil {
		return err
	}
	return s.end(ctx, flow.ActSupersede, id, func(b *flow.Board, save *flow.Save) flow.Detail {
		return &flow.SupersedeMove{Reason: reason, By: by, Add: numbered(b, list), Saved: save}
	})
}

func (s *supervisor) convert(ctx context.Context, id flow.RecordID, in flow.TaskInput) error {
	list := []flow.TaskInput{in}
	if err := s.trust(ctx, list); err != nil {
		return err
	}
	_, err := s.clone.Move(ctx, flow.ActConvert, "", func(b *flow.Board) (flow.Detail, error) {
		return &flow.ConvertMove{Discovery: id, Input: numbered(b, list)[0]}, nil
	})
	return err
}

func (s *supervisor) trust(ctx context.Context, list []flow.TaskInput) error {
	for _, in := range list {
		if err := s.clone.TrustOwn(ctx, in.Verify); err != nil {
			return err
		}
	}
	return nil
}

// numbered gives ids to those of a list that have none, on a copy: a move that
// lost a race is made again on another board.
func numbered(b *flow.Board, list []flow.TaskInput) []flow.TaskInput {
	list = slices.Clone(list)
	b.Number(list)
	return list
}
