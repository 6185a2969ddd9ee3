package hooks

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks/stubs"
)

// A Push is a set of ref updates that would happen together, with the facts by which
// they are judged.
type Push struct {
	Updates []Update
	Server  bool      // a server judges: it gathers facts, and checks times and the pusher
	Fresh   bool      // facts are gathered from git, as on a server
	Now     time.Time // against which moves are checked; zero: they are not

	// Permit is asked about each new move that the rules allow; a refusal
	// refuses it. It may be nil.
	Permit func(flow.Move) *flow.Refusal

	User      string // the user who pushes, as the front end of the server says; "" is nobody
	UserKnown bool   // the server has a front end that names the user
	Signed    bool   // every move of a board with principals must be signed
	Publish   bool   // an admin publishes moves that were made without this server

	// Admin is the name, and AdminKey an SSH public key, of the admin that must
	// make the first push. Both are settings of the server, "" for anybody.
	Admin, AdminKey string
}

// Limit is how long a server judges one push. A push that takes longer is refused.
const Limit = time.Minute

// MaxRefs is how many refs one push may move: git asks its hooks about each of them once more,
// when the judgement is over.
const MaxRefs = 2000

// JudgePush judges a push on a server, after waiting for locks on its refs. It notes
// in the journal what receive-pack may leave behind, and whether [Settle] has to run
// after the push. What it accepts is durable before git takes locks. The error is a *Rejection.
func JudgePush(ctx context.Context, s *gitstore.Store, p Push) error {
	if len(p.Updates) > MaxRefs {
		return Unjudged(ctx, refusal(flow.RuleLimit, "git push REMOTE HEAD", "a push moves at most %d refs: push in parts", MaxRefs))
	}
	refs := lists.Of(p.Updates, func(u Update) git.RefUpdate { return git.RefUpdate{Name: u.Name, Old: u.Old, New: u.New} })
	if err := s.Repo.Journal.AwaitLocks(ctx, refs); err != nil {
		return Unjudged(ctx, err)
	}
	entry, err := s.Repo.Journal.RecordPush(refs)
	if err != nil {
		return Unjudged(ctx, err)
	}
	j := newJudge(s, p)
	if err := j.decidePush(ctx); err != nil {
		entry.Forget()
		return err
	}
	err = entry.Judged(j.tip)
	if err == nil && (len(j.passed) > 0 || j.created && j.after != nil) {
		err = noteDue(s, j.tip)
	}
	if err == nil {
		err = s.Repo.Flusher.SyncPush(ctx, entry)
	}
	if err != nil {
		entry.Forget()
		return Unjudged(ctx, err)
	}
	return nil
}

// noteDue tells post-receive to settle refs after the push of the state commit tip.
func noteDue(s *gitstore.Store, tip git.ID) error {
	path := filepath.Join(s.Repo.CommonDir(), stubs.Due)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(tip), 0o666)
}
