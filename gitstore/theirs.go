package gitstore

import (
	"context"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A GivenUp is what a clone gave up to follow its remote.
type GivenUp struct {
	Synced
	Dropped []Dropped      // the moves that are no longer on the board, newest first, at most 50
	Count   int            // of all dropped moves
	Tasks   []board.TaskID // the tasks of the dropped moves
	Kept    string         // the prefix of the refs that keep them, "" if nothing was given up
}

// TakeTheirs follows a remote's board even if this clone's has other moves, and
// makes the remote the authority. The moves that the remote lacks, with their
// saved commits, marks and merges, are kept under refs/liza/rescue/. Task
// branches and worktrees stay as they are; an integration branch that only such
// moves have moved stays too. After a kill at any step it can be repeated.
// Errors are those of [Mirror.Join]; a remote without a board, or with one that
// has no move in common with this clone's, is a *Diverged.
func (m *Mirror) TakeTheirs(ctx context.Context, remote string) (GivenUp, error) {
	done := GivenUp{Synced: Synced{Remote: remote}}
	err := m.chooseAuthority(ctx, remote, func(found heads) (err error) {
		done, err = m.takeTheirs(ctx, remote, found)
		return err
	})
	return done, err
}

func (m *Mirror) takeTheirs(ctx context.Context, remote string, found heads) (GivenUp, error) {
	done := GivenUp{Synced: Synced{Remote: remote}}
	mirror, err := m.repo.Refs.Resolve(ctx, layout.State)
	if err != nil {
		return done, err
	}
	fork := mirror
	if mirror != "" && found.state != "" {
		if fork, err = m.forkPoint(ctx, mirror, found.state); err == nil && fork == "" {
			err = m.divergedError(ctx, remote, mirror, found.state)
		}
	}
	if err != nil {
		return done, err
	}
	if fork == mirror || found.state == "" {
		step, news, err := m.pull(ctx, remote, found)
		if err == nil && step.to == "" {
			err = ErrNoBoard
		}
		done.Synced = Synced{Remote: remote, Before: step.from, After: step.to, Moves: len(news), Behind: step.behind}
		return done, err
	}
	news, marks, err := m.listNews(ctx, remote, fork, found.state)
	if err != nil {
		return done, err
	}
	step := shift{remote: remote, from: mirror, to: found.state, seen: found, refs: marks}
	done.Synced = Synced{Remote: remote, Before: mirror, After: found.state, Moves: len(news)}
	return done, m.giveUpMoves(ctx, &done, step, fork, news)
}

// giveUpMoves moves the mirror from its own moves to the remote's. First it
// keeps what the clone had, then it frees the names of those refs, which the
// remote's moves may reuse.
func (m *Mirror) giveUpMoves(ctx context.Context, done *GivenUp, step shift, fork git.ID, news []git.ID) error {
	release, err := m.repo.Turns.Alone(ctx)
	if err != nil {
		return err
	}
	defer release()
	own, breach := m.history.listChain(step.from, fork)
	if breach != nil {
		return breach
	}
	rescue := layout.LostRefs + step.from.Short()
	keep, free, err := m.lostRefs(ctx, own, news, rescue)
	if err != nil {
		return err
	}
	keep = append(keep, git.RefUpdate{Name: rescue + "/state", New: step.from, Any: true})
	if merged, err := m.lastMerged(step.from, fork); err != nil {
		return err
	} else if merged != "" {
		keep = append(keep, git.RefUpdate{Name: rescue + "/integration", New: merged, Any: true})
	}
	if err := m.repo.Refs.MoveRefs(ctx, keep, "liza: "+step.remote+" lost it"); err != nil {
		return err
	}
	if err := m.repo.Refs.MoveRefs(ctx, free, "liza: "+step.remote+" lost it"); err != nil {
		return err
	}
	if done.Behind, err = m.advance(ctx, step); err != nil {
		return err
	}
	done.Kept = rescue
	done.Dropped, done.Count = m.history.listDropped(step.from, fork)
	return m.describeMoves(done, own)
}

// lastMerged is the tip of integration at a state, "" if it is the same as at
// an earlier state or its commit is missing.
func (m *Mirror) lastMerged(tip, earlier git.ID) (git.ID, error) {
	var at [2]git.ID
	for i, id := range []git.ID{tip, earlier} {
		b, err := m.history.BoardAt(id)
		if err != nil {
			return "", err
		}
		at[i] = b.Settings().Integration.Tip
	}
	if _, here, err := m.history.findCommit(at[0]); err != nil || !here || at[0] == at[1] {
		return "", err
	}
	return at[0], nil
}

// lostRefs keep the saved commits and marks of the clone's own moves, and free
// the names of those that the remote's moves do not have too.
func (m *Mirror) lostRefs(ctx context.Context, own, news []git.ID, rescue string) (keep, free []git.RefUpdate, err error) {
	theirs := map[string]git.ID{}
	for _, id := range news {
		err := m.eachKeptRef(id, func(u git.RefUpdate) error { theirs[u.Name] = u.New; return nil })
		if err != nil {
			return nil, nil, err
		}
	}
	for _, id := range own {
		err := m.eachKeptRef(id, func(u git.RefUpdate) error {
			if theirs[u.Name] == u.New {
				return nil
			}
			now, err := m.repo.Refs.Resolve(ctx, u.Name)
			if err != nil || now == "" {
				return err
			}
			keep = append(keep, git.RefUpdate{Name: rescue + strings.TrimPrefix(u.Name, layout.Root), New: now, Any: true})
			free = append(free, git.RefUpdate{Name: u.Name, Old: now})
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return keep, free, nil
}

// eachKeptRef visits the saved commits and marks of a state commit.
func (m *Mirror) eachKeptRef(id git.ID, visit func(git.RefUpdate) error) error {
	e, err := m.history.ReadEvent(id)
	if err != nil {
		return err
	}
	all, err := m.history.refsOfMove(e)
	if err != nil {
		return err
	}
	for _, u := range all {
		if !isKeptRef(u.Name) {
			continue
		}
		if err := visit(u); err != nil {
			return err
		}
	}
	return nil
}

// describeMoves adds the tasks of the moves, in order of the moves.
func (m *Mirror) describeMoves(done *GivenUp, moves []git.ID) error {
	for _, id := range moves {
		e, err := m.history.ReadEvent(id)
		if err != nil {
			return err
		}
		done.Tasks = lists.Add(done.Tasks, tasksOf(e.Move)...)
	}
	return nil
}

// tasksOf are the tasks that a move changes or adds.
func tasksOf(m flow.Move) []board.TaskID {
	if add, ok := m.Detail.(*flow.AddMove); ok {
		return lists.Of(add.Tasks, func(t board.TaskInput) board.TaskID { return t.ID })
	}
	if m.Task == "" {
		return nil
	}
	return []board.TaskID{m.Task}
}
