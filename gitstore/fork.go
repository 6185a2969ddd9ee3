package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A MarkedState is a state of a board by the name of its mark, from which another
// board can begin.
type MarkedState struct {
	Mark   string
	Commit git.ID
	Board  *flow.Board

	kept []git.RefUpdate // the saved commits and marks of its moves that are here
}

// Origins are the states from which a board can begin: those of boards of remotes, and
// of one that was in this repository.
type Origins struct {
	repo    *git.Repo
	history *history
	remotes *Remotes
	mirror  *Mirror
}

// ReadMark is the state of a mark that this clone has. The error is a *flow.Refusal
// if it has none of that name, or is one of [history.BoardAt].
func (o *Origins) ReadMark(ctx context.Context, mark string) (MarkedState, error) {
	id, err := o.repo.Refs.Resolve(ctx, flow.MarkRef(mark))
	if err != nil {
		return MarkedState{}, err
	}
	if id == "" {
		return MarkedState{}, o.explainNoMark(ctx, mark)
	}
	state, wanted, err := o.readMarked(mark, id)
	if err != nil {
		return state, err
	}
	for _, u := range wanted {
		if _, here, err := o.history.findCommit(u.New); err != nil {
			return state, err
		} else if here {
			state.kept = append(state.kept, u)
		}
	}
	return state, nil
}

// explainNoMark refuses a mark that is not here, and names a remote that may have it.
func (o *Origins) explainNoMark(ctx context.Context, mark string) error {
	remote, err := o.repo.Config.AnyRemote(ctx)
	if err != nil {
		return err
	}
	hint := "git for-each-ref " + layout.MarkRefs
	if remote != "" {
		hint = "git liza init --from-mark " + mark + " --of " + remote
	}
	return &flow.Refusal{Rule: flow.RuleNotFound, Hint: hint, Reason: "no mark " + mark + " is here"}
}

// FetchMark is the state of a mark that a remote has, with all that its moves name,
// which is fetched. It moves only refs that record what a remote has. Errors are
// those of [Origins.ReadMark], or wrap ErrOffline.
func (o *Origins) FetchMark(ctx context.Context, remote, mark string) (MarkedState, error) {
	if err := o.mirror.checkRemote(ctx, remote); err != nil {
		return MarkedState{}, err
	}
	release, err := o.repo.Turns.PushTurn(ctx)
	if err != nil {
		return MarkedState{}, err
	}
	defer release()
	there, err := o.remotes.listRemote(ctx, remote, layout.MarkRefs+"*", layout.SavedRefs+"*")
	if err != nil {
		return MarkedState{}, err
	}
	id := there[flow.MarkRef(mark)]
	if id == "" {
		return MarkedState{}, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git ls-remote " + remote + " '" + layout.MarkRefs + "*'",
			Reason: fmt.Sprintf("%s has no mark %s", remote, mark)}
	}
	if err := o.remotes.fetchForFork(ctx, remote, []string{flow.MarkRef(mark)}); err != nil {
		return MarkedState{}, err
	}
	state, wanted, err := o.readMarked(mark, id)
	if err != nil {
		return state, err
	}
	var names []string
	for _, u := range wanted {
		if there[u.Name] == u.New {
			state.kept, names = append(state.kept, u), append(names, u.Name)
		}
	}
	for list := range slices.Chunk(names, maxFetchRefs) {
		if err := o.remotes.fetchForFork(ctx, remote, list); err != nil {
			return state, err
		}
	}
	return state, o.fetchIntegration(ctx, remote, state.Board.Settings().Integration)
}

// readMarked reads the board of a mark, and which saved commits and marks its moves
// name.
func (o *Origins) readMarked(mark string, id git.ID) (MarkedState, []git.RefUpdate, error) {
	state := MarkedState{Mark: mark, Commit: id}
	var err error
	if state.Board, err = o.history.BoardAt(id); err != nil {
		return state, nil, err
	}
	chain, breach := o.history.listChain(id, "")
	if breach != nil {
		return state, nil, breach
	}
	var wanted []git.RefUpdate
	for _, commit := range chain {
		e, err := o.history.ReadEvent(commit)
		if err != nil {
			return state, nil, &Breach{commit, err}
		}
		refs, err := o.history.refsOfMove(e)
		if err != nil {
			return state, nil, err
		}
		for _, u := range refs {
			if isKeptRef(u.Name) {
				wanted = append(wanted, git.RefUpdate{Name: u.Name, New: u.New})
			}
		}
	}
	return state, wanted, nil
}

// fetchIntegration fetches the integration branch unless the commit of a board is
// here. Nothing is refused here if it lacks that commit: the move is.
func (o *Origins) fetchIntegration(ctx context.Context, remote string, want flow.Branch) error {
	if _, here, err := o.history.findCommit(want.Tip); err != nil || here {
		return err
	}
	there, err := o.remotes.listRemote(ctx, remote, want.Ref())
	if err != nil || there[want.Ref()] == "" {
		return err
	}
	return o.remotes.fetchForFork(ctx, remote, []string{want.Ref()})
}

// maxFetchRefs bounds the refs of one fetch, as the length of a command line does.
const maxFetchRefs = 500

// fetchForFork fetches refs that a remote has into refs of this clone that keep them
// until the new board does.
func (r *Remotes) fetchForFork(ctx context.Context, remote string, names []string) error {
	var list [][2]string
	for _, name := range names {
		list = append(list, [2]string{name, forkRef(remote, name)})
	}
	if err := r.refetchInto(ctx, remote, list); err != nil {
		return offlineError(remote, err)
	}
	return nil
}

// forkRef is where a ref of a remote is kept while a board begins.
func forkRef(remote, name string) string {
	return layout.RemoteRef(remote, "fork/"+strings.TrimPrefix(name, "refs/"))
}

// Fork begins a board from a marked state of another one, in a clone without a board:
// it replays all moves up to the mark, makes the move that build returns on it, and
// moves the saved commits and marks of these moves with it. Those of other moves,
// which an earlier board left here, go to refs/liza/rescue/. If this clone's board
// began from that mark, nothing but missing refs is written.
//
// Errors are those of [Store.Do]. A kill can leave the new board without some of the
// refs of earlier moves: repeating Fork brings them.
func (s *Store) Fork(ctx context.Context, from MarkedState, build Build) (Result, error) {
	remote, err := s.Authority(ctx)
	if err != nil {
		return Result{}, err
	}
	if remote != "" {
		return Result{}, &flow.Refusal{Rule: flow.RuleExists, Hint: "git liza sync", Reason: remote + " holds the board of this clone"}
	}
	release, err := s.Repo.Turns.Alone(ctx)
	if err != nil {
		return Result{}, err
	}
	result, err := s.forkBoard(ctx, from, build)
	release()
	s.Packer.startJob(ctx, result.job)
	return result, err
}

// forkBoard begins the board while the queue is held.
func (s *Store) forkBoard(ctx context.Context, from MarkedState, build Build) (Result, error) {
	tip, err := s.Repo.Refs.Resolve(ctx, layout.State)
	if err != nil {
		return Result{}, err
	}
	if tip != "" {
		return s.completeFork(ctx, from, tip)
	}
	request, err := RandomID()
	if err != nil {
		return Result{}, err
	}
	t, err := s.prepareMove(ctx, base{tip: from.Commit, fork: true}, flow.Request(request), build)
	if err != nil {
		return Result{}, err
	}
	kept, err := s.refsOfFork(ctx, from)
	if err != nil {
		return Result{}, err
	}
	t.updates = append(t.updates, kept...)
	if err := s.Repo.Refs.MoveRefs(ctx, t.updates, "liza: "+t.Move.Subject()); err != nil {
		if errors.Is(err, git.ErrUnsynced) || s.completeLanded(context.WithoutCancel(ctx), from.Commit, flow.Request(request)) == "" {
			return Result{}, err
		}
	}
	s.Audit.rememberWritten(t.Commit)
	t.job = s.Packer.countMoves(t.Commit, 1)
	return t.Result, nil
}

// completeFork completes the refs of a board that began from the marked state, as
// after a kill. It refuses any other board.
func (s *Store) completeFork(ctx context.Context, from MarkedState, tip git.ID) (Result, error) {
	begun := false
	err := s.Events(tip, func(e Event) (bool, error) {
		begun = begun || e.Move.Act == flow.ActFork && e.Parent == from.Commit
		return e.Move.Act != flow.ActFork, ctx.Err()
	})
	if err != nil {
		return Result{}, err
	}
	if !begun {
		return Result{}, existsRefusal()
	}
	b, err := s.BoardAt(tip)
	if err != nil {
		return Result{}, err
	}
	var missing []git.RefUpdate
	for _, u := range from.kept {
		now, err := s.Repo.Refs.Resolve(ctx, u.Name)
		if err != nil {
			return Result{}, err
		}
		if now == "" {
			missing = append(missing, u)
		}
	}
	if err := s.Repo.Refs.MoveRefs(ctx, missing, "liza: complete "+tip.Short()); err != nil {
		return Result{}, err
	}
	return Result{Already: true, Commit: tip, Before: b, After: b}, s.Settler.Settle(ctx)
}

// existsRefusal refuses a second board.
func existsRefusal() *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleExists, Hint: "git liza status", Reason: "there is a blackboard already; a board begins from a mark only where there is none"}
}

// refsOfFork are the updates that bring the saved commits and marks of the moves up
// to a state, and put aside those of other moves.
func (s *Store) refsOfFork(ctx context.Context, from MarkedState) ([]git.RefUpdate, error) {
	left, err := s.leftRefs(ctx)
	if err != nil {
		return nil, err
	}
	var list []git.RefUpdate
	for _, u := range from.kept {
		now := left[u.Name]
		delete(left, u.Name)
		if now == u.New {
			continue
		}
		if now != "" {
			list = append(list, git.RefUpdate{Name: layout.LostRefs + from.Commit.Short() + strings.TrimPrefix(u.Name, layout.Root), New: now, Any: true})
		}
		list = append(list, git.RefUpdate{Name: u.Name, Old: now, New: u.New})
	}
	for name, id := range left {
		list = append(list, git.RefUpdate{Name: layout.LostRefs + from.Commit.Short() + strings.TrimPrefix(name, layout.Root), New: id, Any: true},
			git.RefUpdate{Name: name, Old: id})
	}
	return list, nil
}

// Forget removes the refs that [Origins.FetchMark] made of a remote.
func (o *Origins) Forget(ctx context.Context, remote string) error {
	left, err := o.repo.Refs.List(ctx, layout.RemoteRef(remote, "fork"))
	if err != nil {
		return err
	}
	var gone []git.RefUpdate
	for name, id := range left {
		gone = append(gone, git.RefUpdate{Name: name, Old: id})
	}
	return o.repo.Refs.MoveRefs(ctx, gone, "liza: "+remote+" is here")
}

// replayWhole refuses a state whose history does not replay from the first move on.
func (a *Audit) replayWhole(ctx context.Context, tip git.ID) error {
	_, breach, err := a.replayEach(ctx, &chainReplay{size: partMoves, tip: tip})
	if err != nil || breach == nil {
		return err
	}
	return breach
}

// sameBoard reports whether two states are of one board: boards that begin from a
// mark of another one have its first moves. A state that cannot be read is not told
// apart; that is refused where its moves are judged.
func (h *history) sameBoard(x, y git.ID) bool {
	a, errA := h.BoardAt(x)
	b, errB := h.BoardAt(y)
	return errA != nil || errB != nil || a.Settings().Board == b.Settings().Board
}

// otherBoardError describes a remote's board that is another one than this clone's.
// shared is the last state that both have, "" if there is none.
func (m *Mirror) otherBoardError(name string, mirror, state, shared git.ID) error {
	began := ""
	if shared != "" {
		if mark := m.history.forkMark(state, shared); mark != "" {
			began = ", which began from " + mark + " of this one"
		} else if mark := m.history.forkMark(mirror, shared); mark != "" {
			began = ", from whose " + mark + " this one began"
		}
	}
	return &Diverged{fmt.Sprintf("%v: %s has another board, %s at %s%s; this clone has %s at %s", ErrDiverged, name,
		m.history.boardID(state), state.Short(), began, m.history.boardID(mirror), mirror.Short()), "git remote get-url " + name}
}

// boardID is the id of the board of a state, for a message.
func (h *history) boardID(state git.ID) string {
	b, err := h.BoardAt(state)
	if err != nil {
		return "one that cannot be read"
	}
	return b.Settings().Board
}

// forkMark is the mark from which the first board began that began after a state on
// the way to a later one, "" if none did.
func (h *history) forkMark(tip, after git.ID) string {
	chain, breach := h.listChain(tip, after)
	if breach != nil {
		return ""
	}
	for _, id := range chain {
		if e, err := h.ReadEvent(id); err != nil {
			return ""
		} else if f, ok := e.Move.Detail.(*flow.ForkMove); ok {
			return f.Mark
		}
	}
	return ""
}
