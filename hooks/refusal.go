package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The rules of the judgement beside those of the board.
const (
	RuleHistory   = flow.RuleHistory    // each state commit adds one move to the board's history
	RuleReplay    = flow.RuleReplay     // a state commit is what its move makes of its parent
	RuleRef       = flow.RuleRef        // refs of the board move with the moves that name them
	RuleObject    = flow.RuleObject     // an object is as git writes it
	RuleBranch    = flow.RuleTaskBranch // a task's branch is its holder's, or at the commit under review
	RuleReplace   = flow.RuleReplace    // refs/replace/ stays empty
	RuleMoved     = flow.RuleMoved      // an update names the commit at which its ref is
	RuleLocked    = flow.RuleLocked     // no lock file of a dead process is in the way
	RuleFull      = flow.RuleFull       // there is room on the disk to judge in
	RuleTime      = flow.RuleTimeLimit  // a judgement ends within its time
	RuleUndecided = flow.RuleUndecided  // what cannot be judged is refused
)

func refusal(rule flow.Rule, hint, reason string, args ...any) *flow.Refusal {
	return &flow.Refusal{Rule: rule, Reason: fmt.Sprintf(reason, args...), Hint: hint}
}

// undecidedRefusal is the refusal for an error that says nothing about the push.
func undecidedRefusal(ctx context.Context, err error) *flow.Refusal {
	var known *flow.Refusal
	var locked *git.Locked
	switch {
	case errors.As(err, &locked):
		return refusal(RuleLocked, locked.Hint, "%v", locked)
	case isDiskFull(err):
		return refusal(RuleFull, "df -h "+currentFolder(), "there is no room to judge in: %v", err)
	case ctx.Err() != nil:
		return refusal(RuleTime, "git liza sync", "the judgement took longer than it may: push fewer moves at once")
	case errors.As(err, &known):
		return known
	case errors.Is(err, git.ErrSymbolicRef):
		return symbolicRefusal("%v", err)
	}
	return refusal(RuleUndecided, "git liza doctor", "the push cannot be judged: %v", err)
}

// symbolicRefusal refuses what a ref of the board's that stands for another one would do.
func symbolicRefusal(reason string, args ...any) *flow.Refusal {
	return refusal(flow.RuleSymbolic, "git liza doctor --restore", reason, args...)
}

// isDiskFull reports whether an error, of this process or of git, is a full disk.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || isGitError(err) && strings.Contains(err.Error(), "No space left on device")
}

// currentFolder is this process's folder, quoted for a shell: the hint may be read on
// another machine.
func currentFolder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return shell.Quote(dir)
}

// replayRefusal is the refusal of a state commit that does not replay.
func replayRefusal(ctx context.Context, err error) *flow.Refusal {
	var known *flow.Refusal
	var system syscall.Errno
	switch {
	case ctx.Err() != nil, errors.As(err, &known), isDiskFull(err):
		return undecidedRefusal(ctx, err)
	case errors.Is(err, git.ErrNoObject), isGitError(err), errors.As(err, &system): // the repository or the machine is at fault
		return refusal(RuleUndecided, "git liza fsck", "the move cannot be judged: %v", err)
	}
	return refusal(RuleReplay, "git liza fsck", "%v", err)
}

// shortID is an object id in words.
func shortID(id git.ID) string { return cmp.Or(id, "nothing").Short() }

// isGitError reports whether git failed, as it does for commits that are not there.
func isGitError(err error) bool {
	var failed *git.Error
	return errors.As(err, &failed)
}
