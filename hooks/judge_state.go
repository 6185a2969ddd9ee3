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

	// Past is how long before the server's clock a move may be dated, so that no
	// lease is taken early.
	Past = 5 * time.Minute
	// Future is how long after the server's clock a move may be dated: the moves
	// of every clone are dated after the last one.
	Future = 30 * time.Second
)

// state judges the chain from the old state to the new, a move at a time, up
// to the first that is refused.
func (j *judge) state(ctx context.Context, u Update) error {
	chain, refused, err := j.chain(ctx, u)
	if err != nil {
		return err
	}
	if refused != nil {
		j.broken = true
		j.refuse(u.Name, refused)
		return nil
	}
	var last gitstore.Replay
	for _, id := range chain {
		if err := ctx.Err(); err != nil {
			return err
		}
		last, err = j.replay(ctx, id)
		refused := j.move(last)
		if err != nil {
			refused = replayed(ctx, err)
		} else if refused == nil && j.push.Permit != nil {
			refused = j.push.Permit(last.Move)
		}
		if refused != nil {
			j.broken = true
			j.refuse(string(id), refused)
			return nil
		}
		j.note(last)
		j.moves++
	}
	if len(chain) == 0 {
		return nil
	}
	j.after, j.tip = last.After, last.Commit
	if refused := j.authors.vouched(last); refused != nil {
		j.broken = true
		j.refuse(u.Name, refused)
	}
	return j.after.Err()
}

// chain lists the commits that the push adds to the board, oldest first.
func (j *judge) chain(ctx context.Context, u Update) ([]git.ID, *flow.Refusal, error) {
	if u.New == "" {
		return nil, refusal(RuleHistory, "git liza status", "the board's history is never deleted"), nil
	}
	if u.New == u.Old {
		return nil, nil, nil
	}
	objects, err := j.store.Repo.Objects(ctx)
	if err != nil {
		return nil, nil, err
	}
	if kind, _, err := objects.Size(u.New); err != nil || kind != "commit" {
		return nil, refusal(RuleHistory, "git liza fsck", "%s is no commit that is here", u.New.Short()), nil
	}
	if list := near(objects, u); list != nil {
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
	return linear(string(out), u)
}

// nearby is how many commits of a push are read here before git lists them:
// most pushes bring one move, and a process costs more than that.
const nearby = 16

// near lists a short chain from the old state to the new, nil if there is none.
func near(objects *git.Objects, u Update) []git.ID {
	var list []git.ID
	for id := u.New; len(list) < nearby; {
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

// linear checks that the lines of rev-list, newest first, lead from one end of
// the update to the other without a branch, and returns the commits the other
// way round.
func linear(lines string, u Update) ([]git.ID, *flow.Refusal, error) {
	rows := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	list := make([]git.ID, len(rows))
	want := u.New
	for i, row := range rows {
		f := strings.Fields(row)
		if len(f) == 0 || git.ID(f[0]) != want {
			return nil, rewound(u), nil
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
		return nil, rewound(u), nil
	case u.Old != "" && len(list) > MaxMoves:
		part := string(list[MaxMoves-1]) + ":" + layout.State
		return nil, refusal(flow.RuleLimit, "git push REMOTE "+part, "the push brings %d moves to a board that takes %d at once: push in parts", len(list), MaxMoves), nil
	}
	return list, nil, nil
}

func rewound(u Update) *flow.Refusal {
	return refusal(RuleHistory, "git liza sync", "the board's history only grows: %s does not follow from %s", u.New.Short(), named(u.Old))
}

// move judges one move beyond what replaying it has shown.
func (j *judge) move(r gitstore.Replay) *flow.Refusal {
	if r.After == nil {
		return nil // it did not replay, which is refused already
	}
	if refused := j.admit(r); refused != nil {
		return refused
	}
	return j.authors.author(r)
}

// admit holds a move against what a server takes no more, or only from moves
// that are made now. A whole board is what earlier programs let pass, but
// nothing takes it beyond the clock.
func (j *judge) admit(r gitstore.Replay) *flow.Refusal {
	if !j.push.Server {
		return nil
	}
	if refused := j.ahead(r.Move.At); refused != nil || j.created {
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
	return cmp.Or(j.late(r.Move.At), r.Before.Admissible(r.Move, r.Facts))
}

func (j *judge) late(at time.Time) *flow.Refusal {
	now := j.push.Now.UTC()
	if !at.Before(now.Add(-Past)) {
		return nil
	}
	return refusal(flow.RuleTime, "git liza sync", "the move is dated %s, the server's clock says %s: at most %s may lie between",
		at.Format(time.RFC3339), now.Format(time.RFC3339), Past)
}

// ahead refuses what would stop every clone, whose moves are dated after the
// last one, until that time has come.
func (j *judge) ahead(at time.Time) *flow.Refusal {
	now := j.push.Now.UTC()
	if !at.After(now.Add(Future)) {
		return nil
	}
	return refusal(flow.RuleTime, "date --utc", "the move is dated %s, which is in the future: the server's clock says %s",
		at.Format(time.RFC3339), now.Format(time.RFC3339))
}

// note keeps what the refs of the push are judged by.
func (j *judge) note(r gitstore.Replay) {
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
