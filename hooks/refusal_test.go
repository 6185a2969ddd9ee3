package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An obstacle to the judge is no fault of the move, and the hint names the
// judge's own disk.
func TestFaultsOfTheMachine(t *testing.T) {
	t.Parallel()
	for rule, list := range map[flow.Rule][]error{
		RuleFull: {&fs.PathError{Op: "mkdir", Path: "/tmp/x", Err: syscall.ENOSPC},
			&git.Error{Code: 128, Stderr: "fatal: unable to write loose object file: No space left on device", Err: errors.New("exit status 128")}},
		RuleUndecided: {&fs.PathError{Op: "mkdir", Path: "/tmp/x", Err: syscall.EACCES}, &fs.PathError{Op: "read", Path: "x", Err: syscall.EIO}},
	} {
		for _, err := range list {
			require.Equal(t, rule, undecidedRefusal(context.Background(), err).Rule, "%v", err)
			got := replayRefusal(context.Background(), err)
			require.Equal(t, rule, got.Rule, "%v", err)
			if rule == RuleFull {
				require.Regexp(t, "^df -h /", got.Hint)
			}
		}
	}
	require.Equal(t, RuleReplay, replayRefusal(context.Background(), errors.New("the tree is another")).Rule)
	locked := undecidedRefusal(context.Background(), fmt.Errorf("the push: %w", &git.Locked{Reason: "x.lock is in the way", Hint: "git -C /srv/x.git liza doctor --unlock"}))
	require.Equal(t, &flow.Refusal{Rule: RuleLocked, Reason: "x.lock is in the way", Hint: "git -C /srv/x.git liza doctor --unlock"}, locked)
}
