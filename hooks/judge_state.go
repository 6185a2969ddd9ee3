package hooks

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

const (
	// MaxMoves is how many moves one push may bring to a board that is there.
	MaxMoves = 5000
	// maxChain bounds how many commits of a push are listed at all.
	maxChain = 200_000

	// Past is how long before the server's clock a move may be dated, so that
	// nobody renews a lease that has ended.
	Past = 5 * time.Minute
	// Future is how long after the judge's clock a move may be dated, so that
	// nobody takes a task before its lease ends.
	Future = 30 * time.Second
)

// judgeState judges the moves from the old state to the new, one after another, up to
// the first that is refused.
func (j *judge) judgeState(ctx context.Context, u Update) error {
	chain, refused, err := j.listChain(ctx, u)
	if err != nil {
		return err
	}
	if refused != nil {
		j.broken = true
		j.refuse(u.Name, refused)
		return nil
	}
	j.store.Audit.Admits = j.push.Server && !j.created && !j.push.Publish
	var last gitstore.Replay
	for _, id := range chain {
		if err := ctx.Err(); err != nil {
			return err
		}
		last, err = j.replayMove(ctx, id)
		refused := j.judgeMove(last)
		if err != nil {
			refused = replayRefusal(ctx, err)
		} else if refused == nil && j.push.Permit != nil {
			refused = j.push.Permit(last.Move)
		}
		if refused != nil {
			j.broken = true
			j.refuse(string(id), refused)
			return nil
		}
		j.noteRefs(last)
		j.moves++
	}
	if len(chain) == 0 {
		return nil
	}
	j.after, j.tip = last.After, last.Commit
	if refused := j.authors.checkPublisher(last); refused != nil {
		j.broken = true
		j.refuse(u.Name, refused)
	}
	return j.after.Err()
}

// listChain lists the commits that the push adds to the board, oldest first.
func (j *judge) listChain(ctx context.Context, u Update) ([]git.ID, *flow.Refusal, error) {
	if u.New == "" {
		return nil, refusal(RuleHistory, "git liza status", "the board's history is never deleted"), nil
	}
	if u.New == u.Old {
		return nil, nil, nil
	}
	objects := j.store.Repo.Objects(ctx)
	if kind, _, err := objects.Size(u.New); err != nil || kind != "commit" {
		return nil, refusal(RuleHistory, "git liza fsck", "%s is no commit that is here", u.New.Short()), nil
	}
	if list := readShortChain(objects, u); list != nil {
		return list, nil, nil
	}
	args := []string{"rev-list", "--parents", "--topo-order", "--max-count=200000", string(u.New)}
	if u.Old != "" {
		args = append(args, "^"+string(u.Old))
	}
	out, err := j.store.Repo.Git(ctx, append(args, "--")...)
	if err != nil {
		return nil, nil, err
	}
	return parseChain(string(out), u)
}

// shortChain is how many commits of a push are read in this process before git is
// asked for a list: most pushes bring one move, and a process costs more than that.
const shortChain = 16

// readShortChain lists the commits from the old state to the new, oldest first; nil
// if they are not a short chain.
func readShortChain(objects *git.Objects, u Update) []git.ID {
	var list []git.ID
	for id := u.New; len(list) < shortChain; {
		if _, size, err := objects.Size(id); err != nil || size > gitstore.MaxMove {
			return nil
		}
		c, err := objects.Commit(id)
		if err != nil || len(c.Parents) != 1 {
			return nil
		}
		list = append(list, id)
		if id = c.Parents[0]; id == u.Old {
			slices.Reverse(list)
			return list
		}
	}
	return nil
}

// parseChain checks that the lines of rev-list, newest first, lead from the new value
// of the update to the old one without a branch. It returns the commits, oldest
// first.
func parseChain(lines string, u Update) ([]git.ID, *flow.Refusal, error) {
	rows := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	list := make([]git.ID, len(rows))
	want := u.New
	for i, row := range rows {
		f := strings.Fields(row)
		if len(f) == 0 || git.ID(f[0]) != want {
			return nil, rewoundRefusal(u), nil
		}
		list[len(rows)-1-i] = want
		switch len(f) {
		case 1:
			want = ""
		case 2:
			want = git.ID(f[1])
		default:
			return nil, refusal(RuleHistory, "git liza fsck", "the state commit %s has %d parents: one move follows one state", want.Short(), len(f)-1), nil
		}
	}
	switch {
	case len(rows) >= maxChain:
		return nil, refusal(flow.RuleLimit, "git push REMOTE COMMIT:"+layout.State, "a push brings at most %d moves: push in parts", maxChain-1), nil
	case want != u.Old:
		return nil, rewoundRefusal(u), nil
	case u.Old != "" && len(list) > MaxMoves:
		part := string(list[MaxMoves-1]) + ":" + layout.State
		return nil, refusal(flow.RuleLimit, "git push REMOTE "+part, "the push brings %d moves to a board that takes %d at once: push in parts", len(list), MaxMoves), nil
	}
	return list, nil, nil
}

// rewoundRefusal refuses a new state that does not contain the old one.
func rewoundRefusal(u Update) *flow.Refusal {
	return refusal(RuleHistory, "git liza sync", "the board's history only grows: %s does not follow from %s", u.New.Short(), shortID(u.Old))
}

// judgeMove judges what the replay of a move does not: its time, its admission and
// its principal.
func (j *judge) judgeMove(r gitstore.Replay) *flow.Refusal {
	if r.After == nil {
		return nil // it did not replay, and the caller refuses that
	}
	if refused := j.admitMove(r); refused != nil {
		return refused
	}
	return j.authors.checkPrincipal(r)
}

// admitMove refuses moves that a server does not accept any more although they
// replay, and those whose time is not the server's. Of a new board, and on a clone, it checks
// only that no move is dated in the future: earlier programs accepted the rest.
func (j *judge) admitMove(r gitstore.Replay) *flow.Refusal {
	if refused := j.checkFuture(r.Move.At); refused != nil || j.created || !j.push.Server {
		return refused
	}
	if err := gitstore.CheckIdent(r.Committer); err != nil {
		return refusal(RuleObject, "git config user.name NAME", "the committer of the state commit is not as git writes it: %v", err)
	}
	if r.Facts != nil && r.Facts.Flaw != nil {
		return r.Facts.Flaw
	}
	if j.push.Publish {
		return nil
	}
	return cmp.Or(j.checkPast(r.Move.At), flow.Admissible(r.Before, r.Move, r.Facts))
}

// checkPast refuses a time that is too long before the server's clock.
func (j *judge) checkPast(at time.Time) *flow.Refusal {
	now := j.push.Now.UTC()
	if !at.Before(now.Add(-Past)) {
		return nil
	}
	return refusal(flow.RuleTime, "git liza sync", "the move is dated %s, the server's clock says %s: at most %s may lie between",
		at.Format(time.RFC3339), now.Format(time.RFC3339), Past)
}

// checkFuture refuses the time of a move that is too long after the judge's
// clock, if it has one. Every clone dates its moves after the last one, so that nobody could make the next one until then.
func (j *judge) checkFuture(at time.Time) *flow.Refusal {
	if !j.isFuture(at) {
		return nil
	}
	whose := "this machine's"
	if j.push.Server {
		whose = "the server's"
	}
	return refusal(flow.RuleTime, "date --utc", "the move is dated %s, which is in the future: %s clock says %s",
		at.Format(time.RFC3339), whose, j.push.Now.UTC().Format(time.RFC3339))
}

func (j *judge) isFuture(at time.Time) bool {
	return !j.push.Now.IsZero() && at.After(j.push.Now.Add(Future))
}

// noteRefs notes which refs a move names and at which commits: the refs of the push
// are judged by that.
func (j *judge) noteRefs(r gitstore.Replay) {
	for _, ref := range r.Move.Refs(r.Before) {
		switch {
		case strings.HasPrefix(ref.Name, branches):
			j.passed[ref.Old] = true
		case ref.State:
			j.kept[ref.Name] = r.Commit
		default:
			j.kept[ref.Name] = ref.New
		}
	}
}
