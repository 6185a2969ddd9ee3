package hooks

import (
	"context"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxSnapshots is how many snapshots a server keeps of keys that no principal of the board
// has. Those of principals are bounded by the board.
const maxSnapshots = 100

// snapshotRefs is what the snapshots of a push are judged by.
type snapshotRefs struct {
	chain  []git.ID        // the state commits that a snapshot may be about
	owned  map[string]bool // the names of principals' keys
	others int             // the snapshots that are here after the push, of other keys
}

// judgeSnapshot judges the snapshot of a key: the key that the ref is named after signed
// it, and it is so of the board here, as far as can be seen without replaying it. Whether
// the board replays, and whether the key is trusted, is for the clone to say that joins with
// it. A principal's key speaks for itself. That of another key is pushed first by an admin,
// and then by any principal. An admin may delete it.
func (j *judge) judgeSnapshot(ctx context.Context, u Update) error {
	if u.New == "" {
		if !j.authors.includeAdmin() {
			j.refuse(u.Name, refusal(flow.RulePrincipal, "git liza principal list", "%s is deleted by an admin", u.Name))
		}
		return nil
	}
	if j.broken {
		return nil
	}
	here, err := j.findSnapshots(ctx)
	if err != nil {
		return err
	}
	objects, err := j.store.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	s, err := gitstore.ReadStatement(objects, u.New)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		j.refuse(u.Name, refusal(flow.RuleSignature, "git liza snapshot", "%s is no snapshot: %v", u.New.Short(), err))
		return nil
	case u.Name != layout.SnapshotRefs+gitstore.KeyName(s.Key):
		j.refuse(u.Name, refusal(flow.RuleSignature, "git liza snapshot", "another key signed the snapshot than the one of %s", u.Name))
		return nil
	}
	refused := j.checkSnapshotKey(u, here)
	if refused == nil {
		refused, err = j.checkStatement(objects, u, s, here)
	}
	if refused != nil {
		j.refuse(u.Name, refused)
	}
	return err
}

// checkSnapshotKey refuses a snapshot that its pusher may not bring, and one more than are
// kept.
func (j *judge) checkSnapshotKey(u Update, here *snapshotRefs) *flow.Refusal {
	anybody := func(*flow.Principal) bool { return true }
	switch {
	case here.owned[strings.TrimPrefix(u.Name, layout.SnapshotRefs)]:
		return nil
	case u.Old != "" && !j.authors.anySatisfies(anybody):
		return refusal(flow.RulePrincipal, "git liza principal list", "no principal of the board has the key of %s: a principal pushes it", u.Name)
	case u.Old == "" && !j.authors.includeAdmin():
		return refusal(flow.RuleAdmin, "git liza principal list", "no principal of the board has the key of %s: an admin pushes its first snapshot", u.Name)
	case u.Old == "" && here.others > maxSnapshots:
		return refusal(flow.RuleLimit, "git push REMOTE --delete "+layout.SnapshotRefs+"KEY",
			"there are snapshots of %d keys that no principal of the board has, which is the most that are kept: an admin deletes one", maxSnapshots)
	}
	return nil
}

// checkStatement refuses a statement that is not so of the board here or is dated in the
// future, and one that is older than the one in its place: statements are public, and whoever
// kept an old one could put it back. One in its place that is dated in the future, which
// nothing judged, does not count.
func (j *judge) checkStatement(objects *git.Objects, u Update, s gitstore.SignedStatement, here *snapshotRefs) (*flow.Refusal, error) {
	if s.Board != j.after.Settings().Board {
		return refusal(flow.RuleSignature, "git liza snapshot", "the snapshot is about another board, %s", flow.Excerpt(s.Board, 40)), nil
	}
	flaw, err := j.store.Snapshots.FindFlaw(s, here.chain)
	switch {
	case err != nil:
		return nil, err
	case flaw != nil && flaw.Absent:
		return refusal(RuleHistory, "git liza sync && git liza snapshot", "the snapshot is about a state that the board here does not have: %s", flaw.Reason), nil
	case flaw != nil:
		return refusal(flow.RuleSignature, "git liza snapshot", "the snapshot is not so: %s", flaw.Reason), nil
	}
	if refused := j.checkFuture("snapshot", s.At); refused != nil || u.Old == "" {
		return refused, nil
	}
	if old, err := gitstore.ReadStatement(objects, u.Old); err == nil && s.At.Before(old.At) && !j.isFuture(old.At) {
		return refusal(flow.RuleSignature, "date --utc && git liza snapshot", "the snapshot is older than the one that is there: it is dated %s, and that one %s",
			s.At.Format(time.RFC3339), old.At.Format(time.RFC3339)), nil
	}
	return nil, nil
}

// findSnapshots reads what the snapshots of the push are judged by, once.
func (j *judge) findSnapshots(ctx context.Context) (*snapshotRefs, error) {
	if j.snapshots != nil {
		return j.snapshots, nil
	}
	here := &snapshotRefs{owned: gitstore.KeyNames(j.after.Principals())}
	refs, err := j.store.Repo.Refs.List(ctx, layout.SnapshotRefs)
	if err != nil {
		return nil, err
	}
	after := map[string]bool{}
	for name := range refs {
		after[name] = true
	}
	for _, u := range j.push.Updates {
		if strings.HasPrefix(u.Name, layout.SnapshotRefs) {
			after[u.Name] = u.New != ""
		}
	}
	for name, stays := range after {
		if stays && !here.owned[strings.TrimPrefix(name, layout.SnapshotRefs)] {
			here.others++
		}
	}
	// In a push that is not atomic the moves may fail, and the snapshot land all the same.
	tip := j.tip
	if u, ok := j.findUpdate(layout.State); ok && u.Old != "" {
		tip = u.Old
	}
	if here.chain, err = j.store.Snapshots.Chain(ctx, tip); err != nil {
		return nil, err
	}
	j.snapshots = here
	return here, nil
}
