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

// Verify is [Store.Replay] of a commit that was admitted once.
func (s *Store) Verify(commit git.ID) error {
	_, err := s.Replay(context.Background(), commit, false)
	return err
}

// header is the value of the first header line with that key.
func header(raw []byte, key string) string {
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

// Fsck replays the chain from the last commit that was verified before, or
// from the root if full, to the tip, checks the tip's invariants and refs, and
// remembers the tip where everything holds. It returns how many commits it
// replayed and the first breach, nil if there is none.
func (s *Store) Fsck(ctx context.Context, full bool) (int, *Breach, error) {
	tip, err := s.Tip(ctx)
	if err != nil {
		return 0, nil, err
	}
	if err := s.newer(tip); err != nil {
		return 0, nil, err
	}
	known := git.ID("")
	if !full {
		known = s.known("verified")
	}
	chain, breach := s.chain(tip, known)
	if breach != nil {
		return 0, breach, nil
	}
	for i, id := range chain {
		if err := ctx.Err(); err != nil {
			return i, nil, err
		}
		if _, err := s.Replay(ctx, id, false); err != nil {
			return i + 1, &Breach{id, err}, nil
		}
	}
	if breach := s.checkTip(ctx, tip); breach != nil {
		return len(chain), breach, nil
	}
	b, err := s.BoardAt(tip)
	if err == nil {
		err = s.checkWork(ctx, b, chain, known, full)
	}
	if errors.Is(err, git.ErrDamaged) {
		return len(chain), &Breach{tip, err}, nil
	}
	if err != nil {
		return len(chain), nil, err
	}
	s.remember(tip)
	return len(chain), nil, nil
}

// newer refuses to judge a board whose rules this program does not know: what
// a newer one wrote is not a breach.
func (s *Store) newer(tip git.ID) error {
	_, err := s.BoardAt(tip)
	var refusal *flow.Refusal
	if errors.As(err, &refusal) && refusal.Rule == flow.RuleVersion {
		return err
	}
	return nil
}

// chain lists the commits after known, or from the root, up to tip, in the
// order in which they were made.
func (s *Store) chain(tip, known git.ID) ([]git.ID, *Breach) {
	var list []git.ID
	for id := tip; id != "" && id != known; {
		c, err := s.commitObject(id)
		if err != nil {
			return nil, &Breach{id, err}
		}
		list = append(list, id)
		id = ""
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	slices.Reverse(list)
	return list, nil
}

func (s *Store) checkTip(ctx context.Context, tip git.ID) *Breach {
	b, err := s.BoardAt(tip)
	if err == nil {
		err = b.Check()
	}
	if err == nil {
		err = s.checkRefs(ctx, tip, b)
	}
	if err != nil {
		return &Breach{tip, err}
	}
	return nil
}

// checkRefs holds the integration ref against the board; one that the next
// move will roll forward is in order.
func (s *Store) checkRefs(ctx context.Context, tip git.ID, b *flow.Board) error {
	name, want := integrationRef(b), b.Settings().Integration.Tip
	now, err := s.Repo.Resolve(ctx, name)
	if err != nil || now == want {
		return err
	}
	late, err := s.late(ctx, tip, b)
	if err != nil || slices.ContainsFunc(late, func(u git.RefUpdate) bool { return u.Name == name }) {
		return err
	}
	return s.foreign(ctx, b, now)
}

// remember keeps the tip as verified, and as one to build on; that it cannot
// be kept costs time only.
func (s *Store) remember(tip git.ID) {
	_ = git.ReplaceFile(s.knownFile("verified"), string(tip)+"\n")
	s.wrote(tip)
}
