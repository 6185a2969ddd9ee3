package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
	"github.com/git-liza/git-liza/hooks/stubs"
	"github.com/git-liza/git-liza/worktrees"
)

// The exit codes, which scripts rely on.
const (
	exitDone        = 0
	exitFailed      = 1
	exitRefused     = 3
	exitConflict    = 4
	exitNoBoard     = 5
	exitStale       = 6
	exitUsage       = 129
	exitInterrupted = 130 // as a shell says of a program that SIGINT ended
)

// exitCodes is the table that `git liza help exit-codes` prints.
var exitCodes = []struct {
	code    int
	outcome string
	meaning string
}{
	{exitDone, "changed, already", "done, or the board said so before"},
	{exitFailed, "failed", "failed; also when the remote that holds the board cannot be reached, and a move that was made but ended in a setback (outcome changed, or already if another process had made it): a merge that became INTEGRATION_FAILED, a claim, review or reject that blocked the task; or one whose worktree could not be made, which the reason says"},
	{exitRefused, "refused", "refused by the rules or by a command's own check; also nothing_claimable and held"},
	{exitConflict, "conflict", "conflict or time limit: try again"},
	{exitNoBoard, "no_blackboard", "no blackboard here"},
	{exitStale, "stale_caller", "stale caller: a newer registration of this agent exists"},
	{exitUsage, "usage", "wrong usage"},
	{exitInterrupted, "", "ended by Ctrl-C, which is all there is to say; JSON says failed. So is a rush, while tasks are open; if none is it ends with 0"},
}

// A failure is an error in the form in which commands report it.
type failure struct {
	code    int
	outcome string
	rule    flow.Rule
	reason  string
	hint    string
	data    any // for a setback: what the move changed
}

// isInterrupt reports whether an error says only that the person typed Ctrl-C.
func (inv *invocation) isInterrupt(err error) bool {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(one error) bool { return !inv.isInterrupt(one) })
	}
	return err == context.Canceled && errors.Is(context.Cause(inv.ctx), errInterrupt)
}

// classify returns code, outcome and hint of an error. Exit codes are chosen
// only here.
func classify(err error) failure {
	var refusal *flow.Refusal
	var setback *work.Setback
	var misplaced *stubs.Refusal
	var obstacle *worktrees.Obstacle
	var dirty *worktrees.Dirty
	var usage *usageError
	var malformed *document.Error
	var setting *hooks.SettingError
	var breach *gitstore.Breach
	var several *partial
	var unlanded *work.Unlanded
	var waiting *work.StillWaiting
	var apart *gitstore.Diverged
	var unfinished *work.Unfinished
	var locked *git.Locked
	var unowned *git.Unsafe
	var limit *git.Limit
	var name *git.BadName
	var ambiguous *git.Ambiguous
	var damaged *gitstore.Damaged
	switch {
	case errors.As(err, &unfinished):
		return incomplete(unfinished)
	case errors.As(err, &waiting):
		return failure{exitConflict, "conflict", flow.RuleTimeLimit, err.Error(), "git liza show " + string(waiting.Task), nil}
	case errors.As(err, &several):
		several.worst.data = several.data
		return several.worst
	case errors.As(err, &unlanded):
		return failure{exitFailed, "changed", flow.RuleNotLanded, unlanded.Error(), "git liza merge " + string(unlanded.Task), nil}
	case errors.As(err, &setback):
		return failure{exitFailed, madeOutcome(setback.Already), setback.Rule, setback.Reason, setback.Hint, setback.Data}
	case errors.As(err, &refusal) && refusal.Rule == flow.RuleStale:
		return failure{exitStale, "stale_caller", refusal.Rule, refusal.Reason, refusal.Hint, nil}
	case errors.As(err, &refusal):
		return failure{exitRefused, "refused", refusal.Rule, refusal.Reason, refusal.Hint, nil}
	case errors.As(err, &misplaced):
		return failure{exitRefused, "refused", flow.Rule(misplaced.Rule), misplaced.Reason, misplaced.Hint, nil}
	case errors.As(err, &obstacle):
		return failure{exitRefused, "refused", flow.RuleObstacle, err.Error(), obstacle.Hint, nil}
	case errors.As(err, &dirty):
		return failure{exitRefused, "refused", flow.RuleDirty, err.Error(), dirty.Hint, nil}
	case errors.As(err, &ambiguous):
		return failure{exitRefused, "refused", flow.RuleAmbiguous, err.Error(), "git show --no-patch " + shell.Quote(ambiguous.Full), nil}
	case errors.As(err, &limit):
		return failure{exitRefused, "refused", flow.RuleLimit, limit.Reason, limit.Hint, nil}
	case errors.As(err, &name):
		return failure{exitRefused, "refused", flow.RulePath, name.Error(), "git fsck", nil}
	case errors.As(err, &usage):
		return failure{exitUsage, "usage", flow.RuleUsage, usage.Error(), usage.hint, nil}
	case errors.As(err, &breach):
		return failure{exitFailed, "failed", flow.RuleCorrupt, err.Error(), "git liza fsck", nil}
	case errors.As(err, &apart):
		return failure{exitFailed, "failed", flow.RuleDiverged, err.Error(), apart.Hint, nil}
	case errors.As(err, &unowned):
		return failure{exitFailed, "failed", flow.RuleUnsafe, err.Error(), "git config --global --add safe.directory " + shell.Quote(unowned.Dir), nil}
	case errors.As(err, &damaged):
		return failure{exitFailed, "failed", flow.RuleDamaged, err.Error(), damaged.Hint, nil}
	case errors.As(err, &locked):
		return failure{exitFailed, "failed", flow.RuleLocked, err.Error(), locked.Hint, nil}
	case errors.As(err, &setting):
		return failure{exitFailed, "failed", flow.RuleFailed, err.Error(), setting.Command(), nil}
	case errors.As(err, &malformed):
		return failure{exitFailed, "failed", flow.RuleCorrupt, err.Error(), "git liza fsck --repair", nil}
	}
	return classifySentinel(err)
}

// incomplete reports a move that was made although a later step failed. It is
// no refusal. The hint first removes the obstacle and then completes the
// move.
func incomplete(u *work.Unfinished) failure {
	f := classify(u.Err)
	hint := u.Then
	if (f.code == exitRefused || f.rule == flow.RuleLocked) && f.hint != "" {
		hint = f.hint + " && " + hint
	}
	return failure{exitFailed, madeOutcome(u.Already), f.rule, u.Error(), hint, u.Data}
}

// madeOutcome is the outcome of what was made, now or already.
func madeOutcome(already bool) string {
	if already {
		return "already"
	}
	return "changed"
}

// typeAgain is the hint of failures that may be over when the same command is typed
// again; the caller is shown the command.
const typeAgain = "type the command again"

// cloneBare is the hint where a work tree is needed; the caller is shown the path.
const cloneBare = "git clone REPOSITORY NAME && cd NAME"

// sentinels are the errors that callers can test for, with code, outcome,
// rule and hint of each.
var sentinels = []struct {
	err     error
	code    int
	outcome string
	rule    flow.Rule
	hint    string
}{
	{gitstore.ErrNoBoard, exitNoBoard, "no_blackboard", flow.RuleNoBoard, "git liza init"},
	{gitstore.ErrStateLost, exitFailed, "failed", flow.RuleStateLost, "git liza fsck --repair"},
	{git.ErrNoClone, exitNoBoard, "no_blackboard", flow.RuleNoRepository, "git -C CLONE liza doctor"},
	{git.ErrNoRepository, exitNoBoard, "no_blackboard", flow.RuleNoRepository, "git init && git commit --allow-empty -m first"},
	{gitstore.ErrConflict, exitConflict, "conflict", flow.RuleConflict, typeAgain},
	{gitstore.ErrRemoteFull, exitFailed, "failed", flow.RuleFull, "git remote -v"},
	{gitstore.ErrLogin, exitFailed, "failed", flow.RuleDeclined, "git ls-remote $(git config liza.remote)"},
	{gitstore.ErrDeclined, exitFailed, "failed", flow.RuleDeclined, "git remote -v"},
	{gitstore.ErrOffline, exitFailed, "failed", flow.RuleOffline, "git liza sync"},
	{gitstore.ErrMayBeMade, exitFailed, "failed", flow.RuleInterrupted, "git liza log -n 5"},
	{context.Canceled, exitFailed, "failed", flow.RuleInterrupted, typeAgain},
	{context.DeadlineExceeded, exitConflict, "conflict", flow.RuleTimeLimit, typeAgain},
	{git.ErrSymbolicRef, exitRefused, "refused", flow.RuleSymbolic, "git liza doctor --restore"},
	{git.ErrDamaged, exitFailed, "failed", flow.RuleDamaged, "git liza fsck"},
	{git.ErrUnsynced, exitFailed, "changed", flow.RuleUnsynced, "git liza fsck"},
	{gitstore.ErrForeignRef, exitRefused, "refused", flow.RuleForeignRef, "git liza doctor"},
	{gitstore.ErrClock, exitFailed, "failed", flow.RuleClock, "date --utc"},
	{git.ErrNoIdentity, exitRefused, "refused", flow.RuleIdentity, "git config user.name NAME && git config user.email ADDRESS"},
	{git.ErrMissing, exitFailed, "failed", flow.RuleGit, "install git 2.39 or newer"},
	{git.ErrTooOldHere, exitFailed, "failed", flow.RuleGit, "install git 2.54 or newer"},
	{git.ErrTooOld, exitFailed, "failed", flow.RuleGit, "install git 2.39 or newer"},
	{git.ErrNoCommit, exitFailed, "failed", flow.RuleNoCommit, "git log --oneline --branches"},
	{gitstore.ErrNoState, exitFailed, "failed", flow.RuleNoState, "git liza log"},
	{worktrees.ErrNoWorkTree, exitFailed, "failed", flow.RuleBare, cloneBare},
	{syscall.ENOSPC, exitFailed, "failed", flow.RuleFull, "df -h ."},
	{syscall.EROFS, exitFailed, "failed", flow.RuleReadOnly, "git liza doctor"},
	{fs.ErrPermission, exitFailed, "failed", flow.RulePermission, "git liza doctor"},
}

// here are errors of this machine, not of the remote, that can make a request
// to a remote fail.
var localErrors = []error{syscall.ENOSPC, syscall.EROFS}

func classifySentinel(err error) failure {
	local := errors.Is(err, gitstore.ErrOffline) && slices.ContainsFunc(localErrors, func(e error) bool { return errors.Is(err, e) })
	for _, s := range sentinels {
		if errors.Is(err, s.err) && (!local || slices.Contains(localErrors, s.err)) {
			return failure{s.code, s.outcome, s.rule, err.Error(), s.hint, nil}
		}
	}
	reason := err.Error()
	if strings.Contains(strings.ToLower(reason), "no space left on device") {
		return failure{exitFailed, "failed", flow.RuleFull, reason, "df -h .", nil}
	}
	return failure{exitFailed, "failed", flow.RuleFailed, reason, "git liza doctor", nil}
}

// A usageError reports a command line that cannot be understood.
type usageError struct {
	reason string
	hint   string
}

func (u *usageError) Error() string { return u.reason }

func usagef(hint, format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), hint}
}

// partial is the worst of several failures, with the results of all.
type partial struct {
	worst failure
	data  any
}

func (p *partial) Error() string { return p.worst.reason }
