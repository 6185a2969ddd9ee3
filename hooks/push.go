package hooks

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks/stubs"
)

// A Push is a set of ref updates that would happen together, and what the one
// who judges knows about it.
type Push struct {
	Updates []Update
	Server  bool      // the judge is the authority: fresh facts, a clock window, who pushes
	Fresh   bool      // facts are gathered from git, as a server does
	Now     time.Time // of the judge; only a server holds moves against it

	// Permit is asked about each move that comes, after the rules; an error
	// refuses it. May be nil.
	Permit func(flow.Move) *flow.Refusal

	User      string // who pushes, as the front end of the server says; "" is nobody
	UserKnown bool   // the server has a front end that says it
	Signed    bool   // every move of a board with principals must be signed
	Publish   bool   // the moves were made elsewhere, and an admin brings them here

	// Admin and AdminKey are who must make the first push, as was said when
	// the server was set up; AdminKey is an SSH public key.
	Admin, AdminKey string
}

// Limit is how long a server judges one push; what is not judged by then is
// refused.
const Limit = time.Minute

// JudgePush judges a push that a server got, once no lock is in its way, and notes
// what its receive-pack may leave behind, and whether its refs may need to be
// brought to what the board says once it has landed: [Settle].
func JudgePush(ctx context.Context, s *gitstore.Store, p Push) error {
	refs := make([]git.RefUpdate, len(p.Updates))
	for i, u := range p.Updates {
		refs[i] = git.RefUpdate{Name: u.Name, Old: u.Old, New: u.New}
	}
	if err := s.Repo.Journal.AwaitLocks(ctx, refs); err != nil {
		return Unjudged(ctx, err)
	}
	entry, err := s.Repo.Journal.RecordPush(ctx, refs)
	if err != nil {
		return Unjudged(ctx, err)
	}
	j := newJudge(s, p)
	if err := j.decide(ctx); err != nil {
		entry.Forget()
		return err
	}
	err = entry.Judged(j.tip)
	if err == nil && (len(j.passed) > 0 || j.created && j.after != nil) {
		err = noteDue(s, j.tip)
	}
	if err != nil {
		entry.Forget()
		return Unjudged(ctx, err)
	}
	return nil
}

// noteDue tells post-receive that there may be something for it to do once the
// state commit tip has landed.
func noteDue(s *gitstore.Store, tip git.ID) error {
	path := filepath.Join(s.Repo.CommonDir(), stubs.Due)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(tip), 0o666)
}
