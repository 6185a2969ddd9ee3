package hooks

import (
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
	RuleHistory   = flow.RuleHistory    // the board's history grows, a move at a time, and nothing else happens to it
	RuleReplay    = flow.RuleReplay     // a state commit is what its move makes of its parent
	RuleRef       = flow.RuleRef        // refs of ours move with the moves that name them
	RuleObject    = flow.RuleObject     // an object is as git writes it
	RuleBranch    = flow.RuleTaskBranch // a task's branch is its holder's, or at the commit under review
	RuleReplace   = flow.RuleReplace    // nothing forges what a judge reads
	RuleMoved     = flow.RuleMoved      // a push is judged against refs as they are
	RuleLocked    = flow.RuleLocked     // a lock file that another process left is in the way
	RuleFull      = flow.RuleFull       // a judge needs room on its disk
	RuleTime      = flow.RuleTimeLimit  // a judgement ends
	RuleUndecided = flow.RuleUndecided  // a judge that cannot find out refuses
)

func refusal(rule flow.Rule, hint, reason string, args ...any) *flow.Refusal {
	return &flow.Refusal{Rule: rule, Reason: fmt.Sprintf(reason, args...), Hint: hint}
}

// undecided is the refusal for an error that says nothing about the push.
func undecided(ctx context.Context, err error) *flow.Refusal {
	var known *flow.Refusal
	var locked *git.Locked
	switch {
	case errors.As(err, &locked):
		return refusal(RuleLocked, locked.Hint, "%v", locked)
	case full(err):
		return refusal(RuleFull, "df -h "+here(), "there is no room to judge in: %v", err)
	case ctx.Err() != nil:
		return refusal(RuleTime, "git liza sync", "the judgement took longer than it may: push fewer moves at once")
	case errors.As(err, &known):
		return known
	}
	return refusal(RuleUndecided, "git liza doctor", "the push cannot be judged: %v", err)
}

// full tells a full disk, ours or git's, from other errors.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || asGit(err) && strings.Contains(err.Error(), "No space left on device")
}

// here names the folder of the judge, which can be on another machine than the
// one where a hint is read.
func here() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	return shell.Quote(dir)
}

// replayed is the refusal of a state commit that does not replay.
func replayed(ctx context.Context, err error) *flow.Refusal {
	var known *flow.Refusal
	var system syscall.Errno
	switch {
	case ctx.Err() != nil, errors.As(err, &known), full(err):
		return undecided(ctx, err)
	case errors.Is(err, git.ErrNoObject), asGit(err), errors.As(err, &system): // the machine's fault, not the move's
		return refusal(RuleUndecided, "git liza fsck", "the move cannot be judged: %v", err)
	}
	return refusal(RuleReplay, "git liza fsck", "%v", err)
}

// named is an object id for people.
func named(id git.ID) string {
	if id == "" {
		return "nothing"
	}
	return id.Short()
}

// asGit tells an answer of git that could not be had, such as about commits
// that are not there, from other errors.
func asGit(err error) bool {
	var failed *git.Error
	return errors.As(err, &failed)
}
