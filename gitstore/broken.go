package gitstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// restoreRefs is the command that mends refs, see [Repairer.RestoreRefs].
const restoreRefs = "git liza doctor --restore"

// repairBoard is the command that puts the board back to a state that replays.
const repairBoard = "git liza fsck --repair"

// CheckRefs returns each ref and each loose object of the repository that git cannot
// read, with the command that mends it. While there is one, git fetches nothing, or
// packs nothing.
func (a *Audit) CheckRefs(ctx context.Context, b *board.Board) ([]*Damaged, error) {
	broken, err := a.repo.Refs.BrokenRefs(ctx)
	if err != nil {
		return nil, err
	}
	torn, err := a.repo.TornObjects(ctx)
	if err != nil {
		return nil, err
	}
	remote, err := a.repo.Config.AnyRemote(ctx)
	var list []*Damaged
	for _, ref := range broken {
		hint := restoreRefs
		// A repair puts back the refs that say where the board is, and a remote can bring what they name.
		if (ref.Name == b.Settings().Integration.Ref() || ref.Name == layout.State) && (remote == "" || ref.File != "") {
			if ref.Name != layout.State {
				continue // Fsck reads it, and CheckTips what the board names
			}
			hint = repairBoard
		}
		list = append(list, &Damaged{List: []Damage{damageOf(ref)}, Hint: hint})
	}
	for _, id := range slices.Sorted(maps.Keys(torn)) {
		if len(list) < maxDamages && !slices.ContainsFunc(broken, func(ref git.BrokenRef) bool { return ref.Object == id }) {
			list = append(list, &Damaged{List: []Damage{{"an object", id, torn[id] + " is torn"}}, Hint: restoreRefs})
		}
	}
	return list, err
}

func damageOf(ref git.BrokenRef) Damage {
	what := ref.Name
	if ref.GitDir != "" {
		what += " in " + ref.GitDir
	}
	return Damage{what, ref.Object, ref.Reason}
}

// A RestoredRef is a broken ref, or an object, that RestoreRefs has mended.
type RestoredRef struct {
	Ref string // for people; "object" and its id for an object
	Was git.ID // "" if its file held no object id
	Is  git.ID // "" if the ref is removed
}

// RestoreRefs mends the objects and refs that git cannot read. Files of objects that
// are torn are moved to liza/damaged/ in the common git directory, since git takes no
// other object for one whose file is there; rewrite then writes what it can of what is
// lost. Of the refs that are broken still,
//
//   - A ref that repeats what a remote or a session said, or keeps what a checkout borrows,
//     is removed, and comes again.
//   - What a remote has is fetched from there.
//   - Any other ref goes back to the newest commit of its reflog that can be read
//     whole. Where there is none, the branch of a task and a detached head go to
//     where integration is, and a ref without an object id is removed. The refs of
//     the board itself stay. What a rescue kept of a history becomes what it kept of
//     the tree, or is removed: nothing else depends on it.
//
// The error is a *Damaged that names what stays broken, or wraps ErrOffline where
// a remote might have what is lost and cannot be reached.
func (r *Repairer) RestoreRefs(ctx context.Context, b *board.Board, rewrite func(context.Context) error) ([]RestoredRef, error) {
	base := b.Settings().Integration.Tip
	done, broken, err := r.rewriteTorn(ctx, base, rewrite)
	if err != nil || len(broken) == 0 {
		return done, err
	}
	if broken, err = r.dropRepeated(ctx, broken, &done); err != nil {
		return done, err
	}
	if err := r.refetch(ctx, broken); err != nil {
		return done, err
	}
	before := broken
	if broken, err = r.repo.Refs.DeepBrokenRefs(ctx, base); err != nil {
		return done, err
	}
	for _, ref := range before {
		if !slices.ContainsFunc(broken, func(still git.BrokenRef) bool { return still.Name == ref.Name && still.GitDir == ref.GitDir }) {
			done = append(done, RestoredRef{damageOf(ref).What, ref.Object, ref.Object})
		}
	}
	damaged := &Damaged{Hint: lookForDamage}
	for _, ref := range broken {
		if ref.Name == b.Settings().Integration.Ref() {
			if ref.Object == b.Settings().Integration.Tip {
				damaged.List = append(damaged.List, damageOf(ref))
			}
			continue // the board says where it belongs
		}
		if ref.Name == layout.State {
			damaged.List, damaged.Hint = append(damaged.List, damageOf(ref)), repairBoard
			continue
		}
		rescued := strings.HasPrefix(ref.Name, layout.RescueRefs)
		to, err := r.repo.Refs.LastWhole(ctx, ref, base)
		if err == nil && rescued {
			to, err = r.wholeTree(ctx, ref.Object)
		}
		if to == "" && (strings.HasPrefix(ref.Name, layout.TaskRefs) || ref.GitDir != "") {
			to = base
		}
		if err != nil {
			return done, err
		}
		if to == "" && ref.File == "" && !rescued {
			damaged.List = append(damaged.List, damageOf(ref))
			continue
		}
		if err := r.repo.Refs.SetBroken(ctx, ref, to); err != nil {
			return done, err
		}
		done = append(done, RestoredRef{damageOf(ref).What, ref.Object, to})
	}
	if len(damaged.List) > 0 {
		return done, damaged
	}
	return done, nil
}

// rewriteTorn sets torn objects aside, has rewrite write what it can of what is lost,
// and returns these objects and the refs that are broken still.
func (r *Repairer) rewriteTorn(ctx context.Context, base git.ID, rewrite func(context.Context) error) (done []RestoredRef, broken []git.BrokenRef, err error) {
	torn, err := r.setAsideTorn(ctx)
	if err != nil {
		return nil, nil, err
	}
	broken, err = r.repo.Refs.DeepBrokenRefs(ctx, base)
	if err != nil || len(torn)+len(broken) == 0 {
		return nil, nil, err
	}
	if err := rewrite(ctx); err != nil {
		return nil, nil, err
	}
	lost, err := r.repo.UnreadableObjects(ctx, torn, len(torn))
	if err != nil {
		return nil, nil, err
	}
	for _, id := range torn {
		one := RestoredRef{Ref: "object " + string(id), Was: id}
		if lost[id] == "" {
			one.Is = id
		}
		done = append(done, one)
	}
	broken, err = r.repo.Refs.DeepBrokenRefs(ctx, base)
	return done, broken, err
}

// setAsideTorn removes the files of loose objects that have no size, and sets aside
// those that git cannot read, which it returns.
func (r *Repairer) setAsideTorn(ctx context.Context) ([]git.ID, error) {
	if err := r.repo.RemoveEmptyObjects(); err != nil {
		return nil, err
	}
	torn, err := r.repo.TornObjects(ctx)
	if err != nil {
		return nil, err
	}
	list := slices.Sorted(maps.Keys(torn))
	for _, id := range list {
		if err := git.SetAside(r.repo, id); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// wholeTree is the tree of a commit, "" if it cannot be read whole.
func (r *Repairer) wholeTree(ctx context.Context, commit git.ID) (git.ID, error) {
	if commit == "" {
		return "", nil
	}
	c, err := r.history.readStateCommit(commit)
	if err != nil {
		return "", ctx.Err()
	}
	whole, err := r.repo.IsWhole(ctx, c.Tree)
	if err != nil || !whole {
		return "", err
	}
	return c.Tree, nil
}

// dropRepeated removes the refs that repeat what a remote or a session said, and
// returns the others.
func (r *Repairer) dropRepeated(ctx context.Context, broken []git.BrokenRef, done *[]RestoredRef) ([]git.BrokenRef, error) {
	var rest []git.BrokenRef
	for _, ref := range broken {
		if !strings.HasPrefix(ref.Name, "refs/remotes/") && !strings.HasPrefix(ref.Name, layout.RemoteRefs) && !strings.HasPrefix(ref.Name, layout.PresenceRefs) && !strings.HasPrefix(ref.Name, layout.PinRefs) {
			rest = append(rest, ref)
			continue
		}
		if err := r.repo.Refs.SetBroken(ctx, ref, ""); err != nil {
			return nil, err
		}
		*done = append(*done, RestoredRef{ref.Name, ref.Object, ""})
	}
	return rest, nil
}

// refetch brings the objects of broken refs from a remote that has such refs.
func (r *Repairer) refetch(ctx context.Context, broken []git.BrokenRef) error {
	remote, err := r.repo.Config.AnyRemote(ctx)
	shared := lists.Where(broken, func(ref git.BrokenRef) bool { return ref.GitDir == "" && ref.File == "" })
	names := lists.Of(shared, func(ref git.BrokenRef) string { return ref.Name })
	if err != nil || remote == "" || len(names) == 0 {
		return err
	}
	there, err := r.remotes.listRemote(ctx, remote, names...)
	if err != nil || len(there) == 0 {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return there[name] == "" })
	args := append([]string{"fetch", "--quiet", "--refetch", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-recurse-submodules", "--refmap=", "--", remote}, names...)
	// It fails while other refs are broken, and the objects are here then nevertheless.
	if _, err = r.remotes.runGit(ctx, git.Leftovers{Objects: true}, args...); git.ExitCode(err) > 0 {
		return nil
	}
	return err
}

// explainFetch is the error of a fetch: a *Damaged if a ref of this repository
// that git cannot read made it fail, else err. It removes broken refs that are
// copies of refs of a remote, and reports whether it removed any.
func (r *Remotes) explainFetch(ctx context.Context, err error) (dropped bool, _ error) {
	var failed *git.Error
	if !errors.As(err, &failed) || !strings.Contains(failed.Stderr, "object") {
		return false, err
	}
	broken, listErr := r.repo.Refs.BrokenRefs(ctx)
	if listErr != nil || len(broken) == 0 {
		return false, err
	}
	damaged := &Damaged{Hint: restoreRefs}
	for _, ref := range broken {
		if ref.Name == layout.State && ref.File != "" {
			damaged.Hint = repairBoard
		}
		if strings.HasPrefix(ref.Name, layout.RemoteRefs) && r.repo.Refs.SetBroken(ctx, ref, "") == nil {
			dropped = true
			continue
		}
		if len(damaged.List) < maxDamages {
			damaged.List = append(damaged.List, damageOf(ref))
		}
	}
	if len(damaged.List) == 0 {
		return dropped, err
	}
	return dropped, damaged
}
