package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Integration is the branch that approved work reaches, with checkouts of it.
type Integration struct {
	repo      *git.Repo
	store     *gitstore.Store
	mover     *mover
	checkouts *Checkouts
	commands  *commands
}

// checkFollow refuses to move integration while a checkout of it has changes.
// If the branch is at the commit already, a person moved it with its checkout,
// and no checkout needs to follow.
func (i *Integration) checkFollow(ctx context.Context, to board.ObjectID) error {
	b, _, err := i.store.Board(ctx)
	if err != nil || i.checkouts.Trees == nil {
		return err
	}
	integration := b.Settings().Integration
	now, err := i.repo.Refs.Direct(ctx, integration.Ref())
	if err != nil || now == to {
		return err
	}
	return i.checkouts.Trees.Followers.Check(ctx, integration.Name, integration.Tip, to)
}

// bringCheckouts moves a checkout of integration to the commit that the board has.
func (i *Integration) bringCheckouts(ctx context.Context, b *board.Board, from board.ObjectID) error {
	if i.checkouts.Trees == nil {
		return nil
	}
	integration := b.Settings().Integration
	return i.checkouts.Trees.Followers.Follow(ctx, integration.Name, from, integration.Tip)
}

// isOnLostMoves reports whether the integration branch is at a commit that only
// given-up moves brought it to.
func (i *Integration) isOnLostMoves(ctx context.Context) (bool, error) {
	b, _, err := i.store.Board(ctx)
	if err != nil {
		return false, err
	}
	want := b.Settings().Integration
	now, err := i.repo.Refs.Direct(ctx, want.Ref())
	if err != nil || now == "" || now == want.Tip {
		return false, err
	}
	refs, err := i.repo.Refs.List(ctx, layout.RescueRefs)
	if err != nil {
		return false, err
	}
	for name, tip := range refs {
		if !strings.HasPrefix(name, layout.LostRefs) || !strings.HasSuffix(name, "/integration") {
			continue
		}
		if behind, err := i.repo.IsAncestor(ctx, now, tip); err != nil || behind {
			return behind, err
		}
	}
	return false, nil
}

// A follower moves checkouts of the integration branch when the mirror of a
// remote moves the branch.
type follower struct {
	trees *worktrees.Trees
	store *gitstore.Store
}

// MayFollow refuses to move the branch while a checkout of it has changes.
func (f follower) MayFollow(ctx context.Context, from, to board.ObjectID) error {
	return f.each(ctx, from, to, f.trees.Followers.Check)
}

// Follow moves the checkouts to the tip of the branch.
func (f follower) Follow(ctx context.Context, from, to board.ObjectID) error {
	return f.each(ctx, from, to, f.trees.Followers.Follow)
}

func (f follower) each(ctx context.Context, from, to board.ObjectID, do func(context.Context, string, board.ObjectID, board.ObjectID) error) error {
	b, _, err := f.store.Board(ctx)
	if errors.Is(err, gitstore.ErrNoBoard) || from == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return do(ctx, b.Settings().Integration.Name, from, to)
}

// mostAhead bounds the count of a branch's commits.
const mostAhead = 1000

// Ahead describes the branch of the main checkout if it has commits that
// integration lacks. Tasks begin without them.
type Ahead struct {
	Text string
	Hint string // the command that brings them to integration
}

// Ahead returns nil if integration has all commits of the main checkout, or if
// that is on no branch. It is also nil if the extra commits are only merges, or
// work of tasks, which reaches integration by a review. Commits that cannot be
// read do not count.
func (i *Integration) Ahead(ctx context.Context, b *board.Board) *Ahead {
	want := b.Settings().Integration
	if i.repo.MainWorkTree() == "" {
		return nil
	}
	branch, at, err := i.mainBranch(ctx)
	if err != nil || at == "" || at == want.Tip || branch == want.Name || strings.HasPrefix(branch, layout.TaskBranches) {
		return nil
	}
	lead, err := i.store.Settler.Lead(ctx, want.Tip, at, mostAhead)
	if err != nil || lead.Commits == 0 || lead.Apart {
		return nil // without a common history it is not meant for integration
	}
	if taskWork, err := i.store.Settler.LeadUnreviewed(ctx, b, lead, want.Tip, at); err != nil || taskWork {
		return nil
	}
	if lead.Cut {
		bases, err := i.repo.MergeBases(ctx, want.Tip, at)
		if err != nil || len(bases) == 0 {
			return nil
		}
		lead.Onto = bases[0] == want.Tip
	}
	found := Ahead{fmt.Sprintf("%s is %d ahead of %s", branch, lead.Commits, want.Name), "git liza adopt " + shell.Quote(git.ShortBranch(ctx, i.repo, branch)) + " --reason R"}
	if lead.Cut {
		found.Text = fmt.Sprintf("%s is %d or more ahead of %s", branch, mostAhead, want.Name)
	}
	if !lead.Onto {
		found.Hint = "git -C " + shell.Quote(i.repo.MainWorkTree()) + " merge " + shell.Quote(git.ShortBranch(ctx, i.repo, want.Name)) + " && " + found.Hint
	}
	return &found
}

// mainBranch returns the branch of the main checkout and the commit that it is at; "" if
// it is on no branch, or on one without a commit.
func (i *Integration) mainBranch(ctx context.Context) (branch string, at board.ObjectID, err error) {
	ref := ""
	if i.repo.GitDir() == i.repo.CommonDir() {
		ref, err = i.repo.Refs.SymbolicRef(ctx, "HEAD")
	} else {
		var out []byte
		out, err = i.repo.Git(ctx, "symbolic-ref", "--quiet", "main-worktree/HEAD")
		ref = strings.TrimSpace(string(out))
	}
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if err != nil || !isBranch {
		return "", "", err
	}
	at, err = i.repo.Refs.Resolve(ctx, ref)
	return branch, at, err
}
