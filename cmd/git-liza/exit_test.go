package main

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

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
