package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An Audit replays state commits and looks for damage.
type Audit struct {
	// Admits makes fresh facts those of a move that is new: whether its artifacts are
	// valid is asked too. Two programs may disagree about that, and history does not.
	Admits bool

	repo    *git.Repo
	history *history
	commits *Commits
	settler *Settler
	trail   map[git.ID]link // moves read by findSeen
	last    git.Commit      // the state commit that was judged last, as a rule the parent of the next one
}

// Fsck replays the chain from the last verified commit, or from the root if
// full, to the tip. It checks the invariants and refs of the tip, and remembers
// the tip as verified if all is sound. It returns the number of replayed
// commits and the first breach, nil if there is none.
func (a *Audit) Fsck(ctx context.Context, full bool) (int, *Breach, error) {
	return a.FsckEach(ctx, full, nil)
}

// FsckEach is [Audit.Fsck] that calls each, if it is not nil, for the moves that it replays.
// It does so from several goroutines and in no order; place is how many moves come after.
func (a *Audit) FsckEach(ctx context.Context, full bool, each func(place int, e Event)) (int, *Breach, error) {
	tip, err := a.history.Tip(ctx)
	if err != nil {
		return 0, nil, err
	}
	if err := a.refuseNewer(tip); err != nil {
		return 0, nil, err
	}
	known := git.ID("")
	if !full {
		known = a.readKnown("verified")
	}
	chain, breach, err := a.replayTo(ctx, tip, known, each)
	switch {
	case err != nil:
		return len(chain), nil, err
	case breach != nil:
		return len(chain) + 1, breach, nil
	}
	if breach = a.checkTip(ctx, tip); breach == nil {
		breach, err = a.checkObjects(ctx, tip, chain, known, full)
	}
	if err == nil && breach == nil {
		_ = git.ReplaceFile(a.history.statePath("verified"), []byte(tip+"\n")) // a failure costs only time
		a.rememberWritten(tip)
	}
	return len(chain), breach, err
}

// replayTo replays the chain after a known commit up to a tip, and returns what of it
// replays, oldest first.
func (a *Audit) replayTo(ctx context.Context, tip, known git.ID, each func(int, Event)) ([]git.ID, *Breach, error) {
	r := &chainReplay{size: partMoves, tip: tip, known: known}
	if each != nil {
		r.each = func(place int, one Replay) error {
			each(place, one.Event)
			return nil
		}
	}
	n, breach, err := a.replayEach(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	chain := slices.Clone(r.chain[len(r.chain)-n:])
	slices.Reverse(chain)
	return chain, breach, nil
}

// checkObjects checks the objects that the moves of a chain up to a tip brought, or if full
// all that the board names.
func (a *Audit) checkObjects(ctx context.Context, tip git.ID, chain []git.ID, known git.ID, full bool) (*Breach, error) {
	b, err := a.history.BoardAt(tip)
	if err == nil {
		err = a.checkWork(ctx, b, chain, known, full)
	}
	if errors.Is(err, git.ErrDamaged) {
		return &Breach{tip, err}, nil
	}
	return nil, err
}

// Verify is [Audit.ReplayMove] for a commit that was admitted before.
func (a *Audit) Verify(commit git.ID) error {
	_, err := a.ReplayMove(context.Background(), commit, false)
	return err
}

// headerValue is the value of the first header line with that key.
func headerValue(raw []byte, key string) string {
	head, _, _ := strings.Cut(string(raw), "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return rest
		}
	}
	return ""
}

// A Breach is a state commit that does not replay. A move that would have been
// built on it gets the Breach as its error. A Breach does not unwrap to Err,
// because Err can be the refusal of somebody else's move.
type Breach struct {
	Commit git.ID
	Err    error
}

// Error names the commit and what is wrong with it.
func (b *Breach) Error() string { return fmt.Sprintf("state commit %s: %v", b.Commit, b.Err) }

// refuseNewer refuses a board of a format that this program does not know: a
// commit by a newer program is not a breach.
func (a *Audit) refuseNewer(tip git.ID) error {
	_, err := a.history.BoardAt(tip)
	if flow.IsRefused(err, flow.RuleFormat) {
		return err
	}
	return nil
}

func (a *Audit) checkTip(ctx context.Context, tip git.ID) *Breach {
	b, err := a.history.BoardAt(tip)
	if err == nil {
		err = flow.Check(b)
	}
	if err == nil {
		err = a.checkRefs(ctx, tip, b)
	}
	if err != nil {
		return &Breach{tip, err}
	}
	return nil
}

// checkRefs compares the integration ref with the board. A ref that the next
// move will roll forward is sound.
func (a *Audit) checkRefs(ctx context.Context, tip git.ID, b *board.Board) error {
	name, want := b.Settings().Integration.Ref(), b.Settings().Integration.Tip
	now, err := a.repo.Refs.Direct(ctx, name)
	if err == nil {
		_, err = a.repo.Refs.List(ctx, layout.Root, layout.TaskRoot)
	}
	if err != nil {
		return &Damaged{List: []Damage{{"refs", "", err.Error()}}, Hint: restoreRefs}
	}
	if now == want {
		return nil
	}
	if now != "" {
		bad, err := a.repo.UnreadableObjects(ctx, []git.ID{now}, 1)
		if err != nil {
			return err
		}
		if why, lost := bad[now]; lost {
			return &Damaged{List: []Damage{{name, now, why}}, Hint: restoreRefs}
		}
	}
	late, err := a.settler.listLate(ctx, tip, b)
	if err != nil || slices.ContainsFunc(late, func(u git.RefUpdate) bool { return u.Name == name }) {
		return err
	}
	return a.settler.foreignError(ctx, b, now)
}
