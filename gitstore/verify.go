package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// Verify replays one state commit: its move, applied to its parent's board,
// must give its tree, and the commit must be what that move renders to. It
// writes nothing. The error is *flow.Refusal, *DocumentError, or a plain
// description.
func (s *Store) Verify(commit ID) error {
	c, err := s.commitObject(commit)
	if err != nil {
		return err
	}
	m, err := decodeMove(commit, c.Message)
	if err != nil {
		return err
	}
	before, source := s.emptyBoard()
	parent := ID("")
	switch len(c.Parents) {
	case 0:
	case 1:
		parent = c.Parents[0]
		if before, source, err = s.boardAt(parent, s.past); err != nil {
			return err
		}
	default:
		return errors.New("it has more than one parent")
	}
	after, err := before.Apply(m, nil)
	if err != nil {
		return err
	}
	tree, err := (&draft{snapshot: source}).apply(after.Changes())
	if err != nil {
		return err
	}
	if tree != c.Tree {
		return errors.New("its tree is not what its move makes of its parent's")
	}
	raw, err := encodeCommit(tree, parent, m, header(c.Raw, "committer "))
	if err != nil {
		return err
	}
	if unsigned, _ := cutSignature(string(c.Raw)); string(raw) != unsigned {
		return errors.New("the commit is not what its move renders to")
	}
	return s.recorded(m)
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

// recorded holds what a move says about commits against those that are here;
// another clone may have more.
func (s *Store) recorded(m flow.Move) error {
	var id, tree ID
	var parents []ID
	switch d := m.Detail.(type) {
	case *flow.SubmitMove:
		id, tree = d.Commit, d.Tree
	case *flow.MergeMove:
		id, tree, parents = d.Commit, d.Tree, []ID{d.Onto, d.Submission}
	default:
		return nil
	}
	c, ok, err := s.commit(id)
	switch {
	case err != nil || !ok:
		return err
	case c.Tree != tree:
		return fmt.Errorf("it records tree %s for commit %s, which has %s", tree.Short(), id.Short(), c.Tree.Short())
	case parents != nil && !slices.Equal(c.Parents, parents):
		return fmt.Errorf("the merge commit %s has other parents than it records", id.Short())
	}
	return nil
}

// A Breach is a state commit that does not replay. As an error it is what a
// move is told that would have been built on it; it does not unwrap to Err,
// which can be the refusal of a move that others made, not of this one.
type Breach struct {
	Commit ID
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
	known := ID("")
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
		if err := s.Verify(id); err != nil {
			return i + 1, &Breach{id, err}, nil
		}
	}
	if breach := s.checkTip(ctx, tip); breach != nil {
		return len(chain), breach, nil
	}
	s.remember(tip)
	return len(chain), nil, nil
}

// newer refuses to judge a board whose rules this program does not know: what
// a newer one wrote is not a breach.
func (s *Store) newer(tip ID) error {
	_, err := s.BoardAt(tip)
	var refusal *flow.Refusal
	if errors.As(err, &refusal) && refusal.Rule == flow.RuleVersion {
		return err
	}
	return nil
}

// chain lists the commits after known, or from the root, up to tip, in the
// order in which they were made.
func (s *Store) chain(tip, known ID) ([]ID, *Breach) {
	var list []ID
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

func (s *Store) checkTip(ctx context.Context, tip ID) *Breach {
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
func (s *Store) checkRefs(ctx context.Context, tip ID, b *flow.Board) error {
	name, want := integrationRef(b), b.Settings().Integration.Tip
	now, err := s.Repo.Resolve(ctx, name)
	if err != nil || now == want {
		return err
	}
	late, err := s.late(ctx, tip, b)
	if err != nil || slices.ContainsFunc(late, func(u RefUpdate) bool { return u.Name == name }) {
		return err
	}
	return s.foreign(ctx, name, now, want)
}

// remember keeps the tip as verified, and as one to build on; that it cannot
// be kept costs time only.
func (s *Store) remember(tip ID) {
	_ = writeFile(s.knownFile("verified"), string(tip)+"\n")
	s.wrote(tip)
}
