package supervise

import (
	"context"

	"github.com/git-liza/git-liza/flow"
)

// allow lets the commands run here that its planner has put on the board, where
// this machine trusts its planner: the planner itself may be kept from writing
// git's configuration.
func (s *supervisor) allow(ctx context.Context, w *watcher) {
	wants := w.wants
	w.wants = nil
	if len(wants) == 0 || w.e.role != flow.Planner {
		return
	}
	if err := s.clone.TrustOwn(ctx, wants...); err != nil {
		s.sayOnce("%s: its checks could not be allowed here: %v", s.id, err)
	}
}

// verifies are the commands that a move puts on the board.
func verifies(d flow.Detail) (list []string) {
	var tasks []flow.TaskInput
	switch m := d.(type) {
	case *flow.AddMove:
		tasks = m.Tasks
	case *flow.EditMove:
		tasks = []flow.TaskInput{m.Input}
	case *flow.ConvertMove:
		tasks = []flow.TaskInput{m.Input}
	case *flow.SupersedeMove:
		tasks = m.Add
	}
	for _, t := range tasks {
		if t.Verify != "" {
			list = append(list, t.Verify)
		}
	}
	return list
}
