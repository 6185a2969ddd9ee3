package work

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// principals reports whether the board has principals, and as which one this
// clone acts.
func (d *Doctor) principals(ctx context.Context, b *board.Board) Finding {
	const check = "principals"
	who := b.Principals()
	if len(who.List) == 0 {
		return fine(check, "none: identities are not enforced")
	}
	me, err := d.repo.Config.Config(ctx, principalKey)
	if err != nil {
		return bad(check, "git config --list", "%v", err)
	}
	p := who.Find(me)
	switch {
	case me == "":
		return bad(check, "git config "+principalKey+" NAME", "the board has %d, and this clone acts as none of them: no move is accepted from it", len(who.List))
	case p == nil:
		return bad(check, "git liza principal list", "this clone acts as %s, which the board does not know", me)
	}
	key, err := gitstore.PublicKey(ctx, d.repo, me)
	if err != nil {
		return bad(check, "git liza principal key "+me, "%v", err)
	}
	signs := "its moves are not signed"
	for _, known := range p.Keys {
		if key != "" && samePublicKey(known, key) {
			signs = "its moves are signed"
		}
	}
	if len(p.Keys) > 0 && len(p.Users) == 0 && signs != "its moves are signed" {
		return Finding{check, "warn", "this clone acts as " + me + ", whose keys are elsewhere: a server that wants signatures refuses its moves",
			"git liza principal key " + me}
	}
	return fine(check, "%d, this clone acts as %s; %s", len(who.List), me, signs)
}

// remoteLimit bounds doctor's wait for a remote.
const remoteLimit = 20 * time.Second

// remote reports whether the remote that holds the board answers.
func (d *Doctor) remote(ctx context.Context, b *board.Board) []Finding {
	const check = "remote"
	name, err := d.store.Authority(ctx)
	if err != nil {
		return []Finding{bad(check, "git config --list", "%v", err)}
	}
	if name == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, remoteLimit)
	defer cancel()
	there, err := d.store.Remotes.BoardOf(ctx, name)
	if errors.Is(err, gitstore.ErrLogin) {
		return []Finding{bad(check, "git ls-remote "+name, "%s holds the board: %v", name, err)}
	}
	if err != nil {
		return []Finding{bad(check, "git remote get-url "+name, "%s holds the board and cannot be reached: %v", name, err)}
	}
	if there == "" {
		return []Finding{bad(check, "git liza sync --set "+name, "%s answers, and has no board any more", name)}
	}
	if err := d.store.Mirror.CheckDivergedAt(ctx, there); err != nil {
		return []Finding{bad(check, partedHint(err), "%v", err)}
	}
	obstacle, err := d.store.Remotes.Obstacle(ctx, name, b.Settings().Integration.Ref())
	if err != nil {
		return []Finding{bad(check, "git liza sync", "%v", err)}
	}
	if obstacle != nil {
		return []Finding{bad(check, obstacle.Hint, "%s", obstacle.Reason)}
	}
	if astray, ok := errors.AsType[*flow.Refusal](d.store.Mirror.CheckAstray(ctx)); ok {
		return []Finding{bad(check, astray.Hint, "%s", astray.Reason)}
	}
	return []Finding{fine(check, "%s holds the board, and answers", name)}
}

// refNames reports the refs that git can confuse with a ref whose name they
// end in, and the tags that it takes for a branch.
func (d *Doctor) refNames(ctx context.Context, b *board.Board) []Finding {
	names, err := d.repo.Refs.ShadowRefs(ctx)
	var homonyms []string
	if err == nil {
		homonyms, err = git.TagsLikeBranches(ctx, d.repo, b.Settings().Integration.Name)
	}
	if err != nil {
		return []Finding{bad("refs", "git for-each-ref", "%v", err)}
	}
	return append(lists.Of(names, func(name string) Finding {
		return bad("refs", "git update-ref -d "+shell.Quote(name), "git can take %s for another ref whose name it ends in, and then pushes to neither", name)
	}), lists.Of(homonyms, func(name string) Finding {
		return Finding{"refs", "warn", name + " has the name of a branch, and git takes it for that", "git tag -d " + shell.Quote(strings.TrimPrefix(name, "refs/tags/"))}
	})...)
}

// kept names the refs that keep work of tasks which ended without it, and what was put aside.
func (d *Doctor) kept(ctx context.Context, b *board.Board) []Finding {
	refs, err := d.repo.Refs.List(ctx, layout.SavedRefs, layout.RescueRefs)
	if err != nil {
		return []Finding{bad("kept", "git for-each-ref", "%v", err)}
	}
	ended := map[string]bool{}
	for _, t := range b.Tasks() {
		ended[string(t.ID)] = t.Status.Final() && !t.Status.IsMerged()
	}
	names := lists.Where(slices.Sorted(maps.Keys(refs)), func(ref string) bool {
		id, _, _ := strings.Cut(strings.TrimPrefix(ref, layout.SavedRefs), "/")
		return strings.HasPrefix(ref, layout.RescueRefs) || ended[id]
	})
	if len(names) == 0 {
		return nil
	}
	return []Finding{fine("kept", "work that no branch has: %s; git show %s", git.VisibleList(names, 5), names[0])}
}

// partedHint is the hint for a remote that lost moves.
func partedHint(err error) string {
	if apart, ok := errors.AsType[*gitstore.Diverged](err); ok {
		return apart.Hint
	}
	return "git liza sync"
}
