package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

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
func (i *Integration) Ahead(ctx context.Context, b *flow.Board) *Ahead {
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
func (i *Integration) mainBranch(ctx context.Context) (branch string, at flow.ObjectID, err error) {
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
