package work

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
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
	const head = "main-worktree/HEAD" // also from a linked checkout
	want := b.Settings().Integration
	if i.repo.MainWorkTree() == "" {
		return nil
	}
	if i.repo.GitDir() == i.repo.CommonDir() { // then no process is needed where both are at one commit
		if at, err := i.repo.Refs.Resolve(ctx, "HEAD"); err == nil && at == want.Tip {
			return nil
		}
	}
	out, err := i.repo.Git(ctx, "rev-list", "--count", "--no-merges", "--max-count="+strconv.Itoa(mostAhead), head, "^"+string(want.Tip), "--")
	n, numErr := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || numErr != nil || n == 0 {
		return nil
	}
	out, err = i.repo.Git(ctx, "symbolic-ref", "--quiet", head)
	branch, isBranch := strings.CutPrefix(strings.TrimSpace(string(out)), "refs/heads/")
	if err != nil || !isBranch || branch == want.Name || strings.HasPrefix(branch, layout.TaskBranches) {
		return nil
	}
	at, err := i.repo.Refs.Resolve(ctx, "refs/heads/"+branch)
	if err != nil || at == "" {
		return nil
	}
	if taskWork, err := i.store.Settler.Unreviewed(ctx, b, want.Tip, at); err != nil || taskWork {
		return nil
	}
	bases, err := i.repo.MergeBases(ctx, want.Tip, at)
	if err != nil || len(bases) == 0 {
		return nil // no common history: not meant for integration
	}
	found := Ahead{fmt.Sprintf("%s is %d ahead of %s", branch, n, want.Name), "git liza adopt " + shell.Quote(branch) + " --reason R"}
	if n == mostAhead {
		found.Text = fmt.Sprintf("%s is %d or more ahead of %s", branch, n, want.Name)
	}
	if bases[0] != want.Tip {
		found.Hint = "git -C " + shell.Quote(i.repo.MainWorkTree()) + " merge " + shell.Quote(want.Name) + " && " + found.Hint
	}
	return &found
}
