package supervise

import (
	"context"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

// allow lets the commands run here that its planner has put on the board, where
// this machine trusts its planner: the planner itself may be kept from writing
// git's configuration. What cannot be written yet, because somebody else writes
// there, is tried again until the session is over.
func (s *supervisor) allow(ctx context.Context, w *watcher, over bool) {
	if len(w.wants) == 0 || w.e.role != flow.Planner || !s.rush.settings.on(work.TrustPlanner) {
		return
	}
	err := s.clone.TrustOwn(ctx, w.wants...)
	switch {
	case err == nil:
		w.wants = nil
	case over:
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
