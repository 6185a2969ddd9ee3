package gitstore

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A passedState is one that a repair goes back from.
type passedState struct {
	id     git.ID
	commit git.Commit
	lost   bool // the commit cannot be read
	cut    bool // it cannot, or one of its ancestors
}

// listPassed lists the states that lead to a tip and not to the good one, newest
// first. Where one of them cannot be read, nothing says what was before it but
// the reflog: then those that it names come after.
func (r *Repairer) listPassed(tip, good git.ID, log []git.ReflogLine) []passedState {
	known := map[git.ID]bool{} // and whether it is cut
	chain, breach := r.history.listChain(good, "")
	if breach != nil {
		return nil
	}
	for _, id := range chain {
		known[id] = false
	}
	own := maps.Clone(known)
	list := r.walkPassed(tip, known)
	if tip != "" && (len(list) == 0 || !list[0].cut) {
		return list
	}
	for _, id := range statesIn(log) {
		if _, reached := own[id]; reached {
			break
		}
		list = append(list, r.walkPassed(id, known)...)
	}
	return list
}

// walkPassed lists what leads to a state and is not known, and makes it known.
func (r *Repairer) walkPassed(id git.ID, known map[git.ID]bool) []passedState {
	var list []passedState
	cut := false
	for id != "" {
		was, there := known[id]
		if there {
			cut = was
			break
		}
		c, err := r.history.readStateCommit(id)
		list = append(list, passedState{id: id, commit: c, lost: err != nil})
		known[id] = false // against a circle
		if cut = err != nil; cut || len(c.Parents) == 0 {
			break
		}
		id = c.Parents[0]
	}
	for i := range list {
		list[i].cut = cut
		known[list[i].id] = cut
	}
	return list
}

// A rescue is a repair with the refs that it is about to move.
type rescue struct {
	Repaired
	repairer *Repairer
	folder   string // of the refs that keep things
	updates  []git.RefUpdate
	lost     []git.ID // commits that cannot be read
}

// keepPassed keeps of passed states, newest first, what can be read, and names them.
func (k *rescue) keepPassed(ctx context.Context, list []passedState, log []git.ReflogLine) error {
	k.Count += len(list)
	for _, p := range list {
		if p.lost {
			k.Incomplete = true
			k.lost = append(k.lost, p.id)
		}
		if len(k.Dropped) == maxDropped {
			continue
		}
		if p.lost {
			k.Dropped = append(k.Dropped, lostMove(p.id, log))
		} else {
			k.Dropped = append(k.Dropped, droppedMove(p.id, p.commit))
		}
	}
	repo := k.repairer.repo
	for i, p := range list {
		if whole, err := k.isWhole(ctx, p, i); err != nil {
			return err
		} else if whole {
			k.Kept = append(k.Kept, p.id)
			k.keep("/state", p.id)
			return nil
		}
		k.Unreadable = append(k.Unreadable, p.id)
		if p.lost || k.Board != "" || i >= maxDropped {
			continue
		}
		whole, err := repo.IsWhole(ctx, p.commit.Tree)
		if err != nil {
			return err
		}
		if whole {
			k.Board = p.commit.Tree
			k.keep("/board", p.commit.Tree)
		}
	}
	return nil
}

// isWhole asks git for the first few of the passed states: it walks for each.
func (k *rescue) isWhole(ctx context.Context, p passedState, i int) (bool, error) {
	if p.cut || i >= maxDropped {
		return false, nil
	}
	return k.repairer.repo.IsWhole(ctx, p.id, k.Is)
}

// keepState keeps a state on top of the good one in a folder of its own.
func (k *rescue) keepState(ctx context.Context, id git.ID) error {
	whole, err := k.repairer.repo.IsWhole(ctx, id, k.Is)
	if err != nil {
		return err
	}
	if !whole {
		k.Unreadable = append(k.Unreadable, id)
		return nil
	}
	k.Kept = append(k.Kept, id)
	k.folder = k.repairer.rescueName(id)
	k.keep("/state", id)
	return nil
}

func (k *rescue) keep(name string, id git.ID) {
	k.updates = append(k.updates, git.RefUpdate{Name: k.folder + name, New: id, Any: true})
}

// freeRefs moves the saved commits and marks that only moves after the good
// state name out of the way of those that will take their names. Where these
// moves cannot all be read, it takes all that the good state does not name. What
// was seen of the remote goes where it is not whole: git fetches nothing then.
func (k *rescue) freeRefs(ctx context.Context, tip git.ID) error {
	r := k.repairer
	names, named := r.allRefs(tip), r.allRefs(k.Is)
	if k.Incomplete {
		left, err := r.history.leftRefs(ctx)
		if err != nil {
			return err
		}
		for name := range left {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if named[name] || !strings.HasPrefix(name, layout.Refs) {
			continue
		}
		if err := k.freeRef(ctx, name); err != nil {
			return err
		}
	}
	remote, err := r.history.Authority(ctx)
	if err != nil || remote == "" || len(k.Unreadable) == 0 {
		return err
	}
	name := layout.RemoteRef(remote, "state")
	seen, err := r.repo.Refs.Resolve(ctx, name)
	if err != nil || seen == "" {
		return ctx.Err() // a fetch removes what is no ref
	}
	whole, err := r.repo.IsWhole(ctx, seen, k.Is)
	if err == nil && !whole {
		k.updates = append(k.updates, git.RefUpdate{Name: name, Old: seen})
	}
	return err
}

// freeRef moves one ref under the rescue's folder, as far as it can be read.
func (k *rescue) freeRef(ctx context.Context, name string) error {
	repo := k.repairer.repo
	now, err := repo.Refs.Resolve(ctx, name)
	if err != nil || now == "" {
		return err
	}
	whole := false
	if strings.HasPrefix(name, layout.MarkRefs) {
		whole, err = repo.IsWhole(ctx, now, k.Is)
	} else {
		var bad map[git.ID]string
		bad, err = repo.UnreadableObjects(ctx, []git.ID{now}, 1)
		whole = len(bad) == 0
	}
	if err != nil {
		return err
	}
	k.updates = append(k.updates, git.RefUpdate{Name: name, Old: now})
	if whole {
		k.keep(strings.TrimPrefix(name, layout.Root), now)
	} else if !slices.Contains(k.Unreadable, now) {
		k.Unreadable = append(k.Unreadable, now)
	}
	return nil
}

// move moves the refs, and lets the reflog name nothing that git cannot walk.
func (k *rescue) move(ctx context.Context) error {
	repo := k.repairer.repo
	if err := repo.Refs.MoveRefs(ctx, k.updates, "liza: fsck --repair"); err != nil {
		return err
	}
	k.repairer.audit.rememberWritten(k.Is)
	for _, id := range k.lost {
		if err := git.SetAside(repo, id); err != nil {
			return err
		}
	}
	return repo.Refs.CutReflog(ctx, layout.State, k.Unreadable)
}

// lostMove names a move that cannot be read by what the reflog says of it.
func lostMove(id git.ID, log []git.ReflogLine) Dropped {
	subject := "a move that cannot be read"
	for _, line := range log {
		if line.New == id && line.Message != "" {
			subject += ", by the reflog: " + board.Excerpt(strings.TrimPrefix(board.Clean(line.Message), "liza: "), 100)
			break
		}
	}
	return Dropped{Commit: id, Subject: subject}
}
