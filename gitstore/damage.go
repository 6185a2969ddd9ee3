package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Damage is what the board or a ref of it names and cannot be read whole.
type Damage struct {
	What   string // for example "integration", or the name of a ref
	Commit git.ID // "" if the ref itself cannot be read
	Reason string // names the first object that is lost
}

// A Damaged is the error of a board whose work cannot be read. It wraps
// git.ErrDamaged.
type Damaged struct {
	List []Damage
	Hint string // the command that brings the objects back, or shows what is lost
}

// Error names all that is lost.
func (d *Damaged) Error() string {
	list := make([]string, 0, len(d.List))
	for _, one := range d.List {
		what := one.What
		if one.Commit != "" {
			what += " at " + one.Commit.Short()
		}
		list = append(list, fmt.Sprintf("%s cannot be read: %s", what, one.Reason))
	}
	return strings.Join(list, "; ")
}

// Unwrap returns git.ErrDamaged.
func (d *Damaged) Unwrap() error { return git.ErrDamaged }

// maxDamages bounds how much damage is told apart.
const maxDamages = 50

// CheckTips reads what work continues from: the trees of integration, of the
// submissions of open tasks and of what was saved of them last. Of objects in
// packs it asks only whether they are there. It returns how many commits these
// are; the error is a *Damaged where one cannot be read.
func (a *Audit) CheckTips(ctx context.Context, b *board.Board) (int, error) {
	heads, err := a.listTips(ctx, b)
	if err != nil {
		return 0, err
	}
	return len(heads), a.checkHeads(ctx, heads, (*git.Repo).TipObjects)
}

// checkWork reads what CheckTips does and the objects that the moves of a chain
// brought, or if full those of everything that the board and its refs name.
func (a *Audit) checkWork(ctx context.Context, b *board.Board, chain []git.ID, known git.ID, full bool) error {
	heads, err := a.listTips(ctx, b)
	if err == nil {
		err = a.checkHeads(ctx, heads, (*git.Repo).TipObjects)
	}
	if err != nil {
		return err
	}
	before := git.ID("")
	if full {
		heads, err = a.listKept(ctx, heads, func(string) bool { return true })
	} else if before, err = a.integrationBefore(chain, known); err == nil {
		saved := map[string]bool{}
		for _, id := range chain {
			e, err := a.history.ReadEvent(id)
			if err != nil {
				return err
			}
			refs, err := a.history.refsOfMove(e)
			if err != nil {
				return err
			}
			for _, u := range refs {
				saved[u.Name] = true
			}
		}
		heads, err = a.listKept(ctx, heads, func(name string) bool { return saved[name] })
	}
	if err != nil {
		return err
	}
	return a.checkHeads(ctx, heads, func(r *git.Repo, ctx context.Context, commits []git.ID) ([]git.ID, error) {
		if before == "" {
			return r.Reachable(ctx, commits, nil)
		}
		return r.Reachable(ctx, commits, []git.ID{before})
	})
}

// integrationBefore is where integration was at a state that was checked
// before; what a board found when it was made is looked at in full checks only.
func (a *Audit) integrationBefore(chain []git.ID, known git.ID) (git.ID, error) {
	if known == "" && len(chain) > 0 {
		known = chain[0]
	}
	if known == "" {
		return "", nil
	}
	b, err := a.history.BoardAt(known)
	if err != nil {
		return "", err
	}
	return b.Settings().Integration.Tip, nil
}

// A head is a commit that must be readable, what it is for people, and the
// branch or ref of a remote that brings it.
type head struct {
	what, ref string
	commit    git.ID
}

// listTips are the heads of the board as it is. In a mirror, what others saved is
// here only once it was needed.
func (a *Audit) listTips(ctx context.Context, b *board.Board) ([]head, error) {
	remote, err := a.history.Authority(ctx)
	if err != nil {
		return nil, err
	}
	integration := b.Settings().Integration
	list := []head{{integration.Name, integration.Name, integration.Tip}}
	for _, t := range b.Tasks() {
		if t.Status.Final() || t.Coder == "" {
			continue // there are many, and no work continues from them
		}
		task := b.Task(t.ID)
		if task == nil {
			return nil, b.Err()
		}
		if task.Submission != nil {
			list = append(list, head{"the submission of " + string(t.ID), t.ID.SavedRef(task.Submission.Save), task.Submission.Commit})
		}
		name := t.ID.SavedRef(task.Saves)
		at, err := a.repo.Refs.Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		if at != "" {
			list = append(list, head{name, name, at})
		}
	}
	if remote == "" {
		return list, nil
	}
	return slices.DeleteFunc(list, func(h head) bool {
		_, _, err := a.history.objects.Size(h.commit)
		ref := h.ref
		if ref == integration.Name {
			ref = "refs/heads/" + ref
		}
		at, refErr := a.repo.Refs.Resolve(ctx, ref)
		return errors.Is(err, git.ErrNoObject) && (refErr != nil || at == "")
	}), nil
}

// listKept adds the saved refs that are wanted to the heads.
func (a *Audit) listKept(ctx context.Context, heads []head, wanted func(name string) bool) ([]head, error) {
	refs, err := a.repo.Refs.List(ctx, layout.SavedRefs)
	if err != nil {
		return nil, err
	}
	for name, id := range refs {
		if wanted(name) {
			heads = append(heads, head{name, name, id})
		}
	}
	slices.SortStableFunc(heads[min(1, len(heads)):], func(x, y head) int { return strings.Compare(x.what, y.what) })
	return heads, nil
}

// checkHeads reads the objects that list finds for the heads. Only where some
// cannot be read is each head looked at by itself.
func (a *Audit) checkHeads(ctx context.Context, heads []head, list func(*git.Repo, context.Context, []git.ID) ([]git.ID, error)) error {
	commits := lists.Of(heads, func(h head) git.ID { return h.commit })
	objects, err := list(a.repo, ctx, lists.Add(nil, commits...))
	bad := map[git.ID]string{}
	if err == nil {
		bad, err = a.repo.UnreadableObjects(ctx, objects, maxDamages)
	}
	if err == nil && len(bad) == 0 || err != nil && !errors.Is(err, git.ErrDamaged) {
		return err
	}
	damaged := &Damaged{}
	var refs []string
	found := func(h head, why string) {
		damaged.List = append(damaged.List, Damage{h.what, h.commit, why})
		if !slices.Contains(refs, h.ref) {
			refs = append(refs, h.ref)
		}
	}
	for _, h := range heads {
		if len(damaged.List) == maxDamages {
			break
		}
		objects, err := list(a.repo, ctx, []git.ID{h.commit})
		if err == nil && len(bad) == 0 {
			bad, err = a.repo.UnreadableObjects(ctx, objects, maxDamages)
		}
		if err != nil && !errors.Is(err, git.ErrDamaged) {
			return err
		}
		if err != nil {
			found(h, git.ReadFailure(err))
			continue
		}
		for _, id := range objects {
			if why, lost := bad[id]; lost {
				found(h, why)
				break
			}
		}
	}
	if len(damaged.List) == 0 {
		return nil
	}
	damaged.Hint, err = a.refetchHint(ctx, refs)
	return errors.Join(damaged, err)
}

// ExplainUnreadable is the error of reading a commit that no ref of the board names yet,
// called what: a *Damaged where an object that it brings beside integration cannot
// be read, else err.
func (a *Audit) ExplainUnreadable(ctx context.Context, what string, commit, integration git.ID, err error) error {
	var refused *flow.Refusal
	if commit == "" || ctx.Err() != nil || errors.As(err, &refused) {
		return err
	}
	found := a.checkHeads(ctx, []head{{what: what, commit: commit}}, func(r *git.Repo, ctx context.Context, commits []git.ID) ([]git.ID, error) {
		return r.Reachable(ctx, commits, []git.ID{integration})
	})
	var damaged *Damaged
	if !errors.As(found, &damaged) {
		return err
	}
	damaged.Hint = lookForDamage // nobody else has them
	return damaged
}

// lookForDamage shows what cannot be read, and changes nothing.
const lookForDamage = "git fsck --full --no-dangling"

// refetchHint is the command that brings lost objects back: files of objects that are
// torn stand in the way of those that come, from a work tree or a remote. It shows what
// is lost where there is none of these.
func (a *Audit) refetchHint(ctx context.Context, refs []string) (string, error) {
	torn, err := a.repo.TornObjects(ctx)
	if err != nil {
		return lookForDamage, err
	}
	if len(torn) > 0 {
		return restoreRefs, nil
	}
	remote, err := a.repo.Config.AnyRemote(ctx)
	if err != nil || remote == "" {
		return lookForDamage, err
	}
	// One that the remote lacks must not keep the others from coming.
	list := lists.Of(refs, func(ref string) string { return fmt.Sprintf("git fetch --refetch %s %s", remote, ref) })
	return strings.Join(list, "; "), nil
}
