package gitstore

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// restoreRefs is the command that mends refs, see [Repairer.RestoreRefs].
const restoreRefs = "git liza doctor --restore"

// repairBoard is the command that puts the board back to a state that replays.
const repairBoard = "git liza fsck --repair"

// CheckRefs returns each ref of the repository that git cannot read, with the
// command that mends it. While there is one, git fetches nothing.
func (a *Audit) CheckRefs(ctx context.Context, b *flow.Board) ([]*Damaged, error) {
	broken, err := a.repo.Refs.BrokenRefs(ctx)
	if err != nil {
		return nil, err
	}
	remote, err := a.repo.Config.AnyRemote(ctx)
	var list []*Damaged
	for _, ref := range broken {
		hint := restoreRefs
		if isOfBoard(b, ref) && (remote == "" || ref.File != "") {
			if ref.Name != layout.State {
				continue // Fsck reads it, and CheckTips what the board names
			}
			hint = repairBoard
		}
		list = append(list, &Damaged{List: []Damage{damageOf(ref)}, Hint: hint})
	}
	return list, err
}

// isOfBoard reports whether a ref says where the board is: a repair puts it back,
// and a remote can bring what it names.
func isOfBoard(b *flow.Board, ref git.BrokenRef) bool {
	return ref.Name == b.Settings().Integration.Ref() || ref.Name == layout.State
}

func damageOf(ref git.BrokenRef) Damage {
	what := ref.Name
	if ref.GitDir != "" {
		what += " in " + ref.GitDir
	}
	return Damage{what, ref.Object, ref.Reason}
}

// A RestoredRef is a broken ref that RestoreRefs has mended.
type RestoredRef struct {
	Ref string
	Was git.ID // "" if its file held no object id
	Is  git.ID // "" if the ref is removed
}

// RestoreRefs mends the refs that git cannot read:
//
//   - Loose objects of no size are removed, because git takes no others for them.
//   - A ref that repeats what a remote or a session said is removed, and comes again.
//   - What a remote has is fetched from there.
//   - Any other ref goes back to the newest commit of its reflog that can be read
//     whole. Where there is none, the branch of a task and a detached head go to
//     where integration is, and a ref without an object id is removed. The refs of
//     the board itself stay.
//
// The error is a *Damaged that names what stays broken, or wraps ErrOffline where
// a remote might have what is lost and cannot be reached.
func (r *Repairer) RestoreRefs(ctx context.Context, b *flow.Board) ([]RestoredRef, error) {
	broken, err := r.repo.Refs.BrokenRefs(ctx)
	if err != nil || len(broken) == 0 {
		return nil, err
	}
	if err := r.repo.RemoveEmptyObjects(); err != nil {
		return nil, err
	}
	var done []RestoredRef
	if broken, err = r.dropRepeated(ctx, broken, &done); err != nil {
		return done, err
	}
	if err := r.refetch(ctx, broken); err != nil {
		return done, err
	}
	before := broken
	if broken, err = r.repo.Refs.BrokenRefs(ctx); err != nil {
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
		to, err := r.repo.Refs.LastWhole(ctx, ref, b.Settings().Integration.Tip)
		if to == "" && (strings.HasPrefix(ref.Name, layout.TaskRefs) || ref.GitDir != "") {
			to = b.Settings().Integration.Tip
		}
		if err != nil {
			return done, err
		}
		if to == "" && ref.File == "" {
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

// dropRepeated removes the refs that repeat what a remote or a session said, and
// returns the others.
func (r *Repairer) dropRepeated(ctx context.Context, broken []git.BrokenRef, done *[]RestoredRef) ([]git.BrokenRef, error) {
	var rest []git.BrokenRef
	for _, ref := range broken {
		if !strings.HasPrefix(ref.Name, "refs/remotes/") && !strings.HasPrefix(ref.Name, layout.RemoteRefs) && !strings.HasPrefix(ref.Name, layout.PresenceRefs) {
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
	var names []string
	for _, ref := range broken {
		if ref.GitDir == "" && ref.File == "" {
			names = append(names, ref.Name)
		}
	}
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
	// It fails while other refs are broken, and the objects are here then all the same.
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
