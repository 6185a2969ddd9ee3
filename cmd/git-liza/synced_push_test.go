package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/killpoint"
)

// A server with liza.fsync=all answers a push when the objects that came, which git keeps
// apart until then, and the folders of the refs and of the objects are durable.
func TestPushIsSynced(t *testing.T) {
	t.Parallel()
	s := newSite(t, true)
	s.sh(t, "s.git", "git config liza.fsync all && git-liza hooks install --server >/dev/null")
	ended := killpoint.Trace(t, killpoint.Run{Args: []string{filepath.Join(s.bin, "git-liza"), "pause", "--reason", "later"},
		Dir: filepath.Join(s.root, "a"), Env: s.env, Within: "receive-pack", Syncs: true})
	require.Zero(t, ended.Code, ended.Output)
	server := filepath.Join(s.root, "s.git")
	require.True(t, slices.ContainsFunc(ended.Operations, func(o string) bool {
		return strings.Contains(o, "/git-liza hook pre-receive fsync ") && strings.Contains(o, server+"/objects/tmp_objdir-incoming-") && !strings.Contains(o, "/tmp_obj_")
	}), "no object that came is synced:\n%s", strings.Join(ended.Operations, "\n"))
	moved, err := filepath.Glob(filepath.Join(server, "objects", "[0-9a-f][0-9a-f]"))
	require.NoError(t, err)
	require.NotEmpty(t, moved)
	for _, folder := range []string{"refs/liza", "refs", "", "objects", "objects/pack", "objects/" + filepath.Base(moved[0])} {
		require.True(t, slices.ContainsFunc(ended.Operations, func(o string) bool {
			return strings.Contains(o, "/git-liza hook reference-transaction committed ") && strings.HasSuffix(o, " fsync "+filepath.Join(server, folder))
		}), "%q is not synced:\n%s", folder, strings.Join(ended.Operations, "\n"))
	}
}
