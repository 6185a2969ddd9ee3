package main

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// TestOfflineForAReasonHere: no look at the network mends a full disk.
func TestOfflineForAReasonHere(t *testing.T) {
	t.Parallel()
	for rule, err := range map[string]error{"offline": syscall.ECONNREFUSED, "disk_full": syscall.ENOSPC, "read_only": syscall.EROFS} {
		err = fmt.Errorf("%w: origin: %w", gitstore.ErrOffline, err)
		require.Equal(t, rule, string(classifySentinel(err).rule))
	}
	changed := fmt.Errorf("%w: %w", git.ErrUnsynced, syscall.ENOSPC)
	require.Equal(t, "changed", classifySentinel(changed).outcome, "the move is made")
}

// Who may have made a move is shown where to look, and not told to make it again.
func TestInterruptedMoves(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("%w: %w", gitstore.ErrMayBeMade, context.Canceled)
	require.Equal(t, failure{exitFailed, "failed", flow.RuleInterrupted, err.Error(), "git liza log -n 5", nil}, classify(err))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupt)
	require.False(t, (&invocation{ctx: ctx}).isInterrupt(err), "it is more than Ctrl-C")
	require.True(t, (&invocation{ctx: ctx}).isInterrupt(context.Canceled))
}
