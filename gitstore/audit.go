package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An Audit replays state commits, and looks for what is damaged.
type Audit struct {
	repo    *git.Repo
	history *history
	commits *Commits
	settler *Settler
	trail   map[git.ID]link // moves that were looked back at
}

// Fsck replays the chain from the last commit that was verified before, or
// from the root if full, to the tip, checks the tip's invariants and refs, and
// remembers the tip where everything holds. It returns how many commits it
// replayed and the first breach, nil if there is none.
func (a *Audit) Fsck(ctx context.Context, full bool) (int, *Breach, error) {
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
	chain, breach := a.history.listChain(tip, known)
	if breach != nil {
		return 0, breach, nil
	}
	for i, id := range chain {
		if err := ctx.Err(); err != nil {
			return i, nil, err
		}
		if _, err := a.ReplayMove(ctx, id, false); err != nil {
			return i + 1, &Breach{id, err}, nil
		}
	}
	if breach := a.checkTip(ctx, tip); breach != nil {
		return len(chain), breach, nil
	}
	b, err := a.history.BoardAt(tip)
	if err == nil {
		err = a.checkWork(ctx, b, chain, known, full)
	}
	if errors.Is(err, git.ErrDamaged) {
		return len(chain), &Breach{tip, err}, nil
	}
	if err != nil {
		return len(chain), nil, err
	}
	a.rememberVerified(tip)
	return len(chain), nil, nil
}

// Verify is [Audit.ReplayMove] of a commit that was admitted once.
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

// A Breach is a state commit that does not replay. As an error it is what a
// move is told that would have been built on it; it does not unwrap to Err,
// which can be the refusal of a move that others made, not of this one.
type Breach struct {
	Commit git.ID
	Err    error
}

// Error names the commit and what is wrong with it.
func (b *Breach) Error() string { return fmt.Sprintf("state commit %s: %v", b.Commit, b.Err) }

// refuseNewer refuses to judge a board whose rules this program does not know: what
// a newer one wrote is not a breach.
func (a *Audit) refuseNewer(tip git.ID) error {
	_, err := a.history.BoardAt(tip)
	var refusal *flow.Refusal
	if errors.As(err, &refusal) && refusal.Rule == flow.RuleVersion {
		return err
	}
	return nil
}

func (a *Audit) checkTip(ctx context.Context, tip git.ID) *Breach {
	b, err := a.history.BoardAt(tip)
	if err == nil {
		err = b.Check()
	}
	if err == nil {
		err = a.checkRefs(ctx, tip, b)
	}
	if err != nil {
		return &Breach{tip, err}
	}
	return nil
}

// checkRefs holds the integration ref against the board; one that the next
// move will roll forward is in order.
func (a *Audit) checkRefs(ctx context.Context, tip git.ID, b *flow.Board) error {
	name, want := b.Settings().Integration.Ref(), b.Settings().Integration.Tip
	now, err := a.repo.Resolve(ctx, name)
	if err != nil || now == want {
		return err
	}
	late, err := a.settler.listLate(ctx, tip, b)
	if err != nil || slices.ContainsFunc(late, func(u git.RefUpdate) bool { return u.Name == name }) {
		return err
	}
	return a.settler.foreignError(ctx, b, now)
}

// rememberVerified keeps the tip as verified, and as one to build on; that it cannot
// be kept costs time only.
func (a *Audit) rememberVerified(tip git.ID) {
	_ = git.ReplaceFile(a.history.statePath("verified"), []byte(tip+"\n"))
	a.rememberWritten(tip)
}
