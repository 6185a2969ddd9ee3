package gitstore

import (
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// movesAtOnce is how many moves are held in memory at a time.
const movesAtOnce = 1000

// farSteps is Steps for many moves. One process of git reads the commits, and one the
// documents of the tasks that the moves name; only moves that can change more are
// compared tree by tree.
func (h *history) farSteps(ctx context.Context, after, to git.ID, visit func(Step) error) error {
	args := []string{"rev-list", "--first-parent", "--reverse", string(to)}
	if after != "" {
		if _, ok, err := h.findCommit(after); err != nil || !ok {
			return errors.Join(err, notReached(after, to))
		}
		args = append(args, "^"+string(after))
	}
	out, err := h.Repo.Git(ctx, append(args, "--")...)
	if err != nil {
		return err
	}
	s := stepper{h, map[board.TaskID]taskHead{}}
	commits := strings.Fields(string(out))
	for first := 0; first < len(commits); first += movesAtOnce {
		moves, err := h.readMoves(ctx, commits[first:min(first+movesAtOnce, len(commits))])
		if err != nil {
			return err
		}
		if first == 0 && moves[0].Parent != after {
			return notReached(after, to)
		}
		if err := s.readNamed(ctx, moves); err != nil {
			return err
		}
		for i := range moves {
			step, err := s.settle(&moves[i], after != "")
			if err == nil {
				err = visit(step)
			}
			if err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// A readMove is a move with the documents of the tasks that it names, as they are after
// it.
type readMove struct {
	Event
	named []board.TaskID
	heads []taskHead
	whole bool // it can change more: its tree is compared
}

func (h *history) readMoves(ctx context.Context, commits []string) ([]readMove, error) {
	moves := make([]readMove, len(commits))
	err := git.ReadContents(ctx, h.Repo, commits, git.MaxCommit, func(i int, kind string, data []byte) error {
		if kind != "commit" { // it is missing or too large: the other reader says so
			e, err := h.readLogged(git.ID(commits[i]))
			moves[i].Event = e
			return err
		}
		c, err := git.ParseCommit(data)
		if err != nil {
			return err
		}
		c.ID = git.ID(commits[i])
		moves[i].Event, err = logged(c)
		return err
	})
	return moves, err
}

// readNamed reads the documents of the tasks that moves name.
func (s *stepper) readNamed(ctx context.Context, moves []readMove) error {
	type place struct{ move, task int }
	var names []string
	var places []place
	for i := range moves {
		m := &moves[i]
		named, all := namedTasks(m.Move)
		m.named, m.heads, m.whole = named, make([]taskHead, len(named)), !all
		if m.whole {
			continue
		}
		for j, id := range named {
			names = append(names, string(m.Commit)+":"+DocumentPath(board.Key{Folder: board.Tasks, ID: string(id)}))
			places = append(places, place{i, j})
		}
	}
	return git.ReadContents(ctx, s.Repo, names, document.MaxSize, func(i int, kind string, data []byte) (err error) {
		m := &moves[places[i].move]
		if kind != "blob" { // it is archived, or spelled another way
			m.whole = true
			return nil
		}
		m.heads[places[i].task], err = decodeHead(names[i], data)
		return err
	})
}

// settle is the step of a move. What was before it is read if the first moves were not
// visited.
func (s *stepper) settle(m *readMove, partial bool) (Step, error) {
	if m.whole {
		return s.compare(m.Event)
	}
	step := Step{Event: m.Event}
	for i, id := range m.named {
		was, ok := s.known[id]
		if !ok && partial {
			var err error
			if was, err = s.headAt(m.Parent, id); err != nil {
				return step, err
			}
		}
		s.enter(&step, id, was, m.heads[i])
	}
	step.sort()
	return step, nil
}

// headAt is what a task was at a state, zero if it was not there.
func (s *stepper) headAt(commit git.ID, id board.TaskID) (taskHead, error) {
	key := board.Key{Folder: board.Tasks, ID: string(id)}
	c, err := s.readStateCommit(commit)
	if err != nil {
		return taskHead{}, err
	}
	e, ok, err := s.objects.Find(c.Tree, DocumentPath(key))
	if err != nil || !ok {
		return taskHead{}, err
	}
	return s.readHead(key, e.ID)
}

// namedTasks are the tasks of which a move can change the state, the goal or the sprint;
// !all means that it can change others, or sprints.
func namedTasks(m flow.Move) (list []board.TaskID, all bool) {
	switch d := m.Detail.(type) {
	case *flow.RenewMove, *flow.IntentMove, *flow.HandoffMove, *flow.RegisterMove, *flow.UnregisterMove,
		*flow.DegradeMove, *flow.AnomalyMove, *flow.DiscoverMove, *flow.NoteMove, *flow.TakeMove, *flow.AlignMove, *flow.SpecChangeMove,
		*flow.MarkMove, *flow.DeferMove, *flow.DismissRecordMove, *flow.PrincipalMove:
		return nil, true
	case *flow.ClaimMove, *flow.SubmitMove, *flow.ReviewMove, *flow.ApproveMove, *flow.RejectMove, *flow.MergeMove, *flow.IntegrationFailMove,
		*flow.BlockMove, *flow.UnblockMove, *flow.ReleaseMove, *flow.RecheckMove, *flow.DismissMove, *flow.EditMove:
		return []board.TaskID{m.Task}, true
	case *flow.SessionMove:
		if d.Of.IsZero() {
			return nil, true
		}
		return []board.TaskID{m.Task}, true
	case *flow.AbandonMove:
		return []board.TaskID{m.Task}, !d.Cascade
	case *flow.FinalizeMove:
		return d.Tasks, true
	case *flow.AdoptMove:
		return d.Tasks, true
	case *flow.AddMove:
		return append(idsOf(d.Tasks), idsOf(d.Update)...), true
	case *flow.ImportMove:
		return idsOf(d.Tasks), true
	case *flow.ConvertMove:
		return []board.TaskID{d.Input.ID}, true
	case *flow.SupersedeMove:
		return append(idsOf(d.Add), m.Task), true
	}
	return nil, false
}

func idsOf(list []board.TaskInput) []board.TaskID {
	return lists.Of(list, func(t board.TaskInput) board.TaskID { return t.ID })
}
