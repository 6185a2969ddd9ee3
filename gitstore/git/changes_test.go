package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// We compare trees ourselves; git is the measure.
func TestChangesAreThoseOfGit(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	random := rand.New(rand.NewPCG(3, 4))
	commits := []string{gittest.Git(t, dir, "rev-parse", "HEAD")}
	names := []string{"a", "a-b", "a.b", "a/b", "a/b/c", "ab", "a b/ü", "b", "b/x", "b0"}
	for range 12 {
		for range 4 {
			path := filepath.Join(dir, names[random.IntN(len(names))])
			os.RemoveAll(path)
			if os.MkdirAll(filepath.Dir(path), 0o777) != nil {
				os.RemoveAll(filepath.Dir(path))
				continue
			}
			switch random.IntN(4) {
			case 0:
				require.NoError(t, os.Symlink("README", path))
			case 1:
				require.NoError(t, os.WriteFile(path, []byte("run"), 0o777))
			case 2:
				require.NoError(t, os.WriteFile(path, fmt.Append(nil, random.IntN(3)), 0o666))
			}
		}
		gittest.Git(t, dir, "add", "-A")
		gittest.Git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+commits[random.IntN(len(commits))]+",module")
		gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "next")
		commits = append(commits, gittest.Git(t, dir, "rev-parse", "HEAD"))
	}
	for _, old := range commits {
		for _, now := range commits {
			changes, err := r.Changes(context.Background(), ID(old), ID(now))
			require.NoError(t, err)
			var ours strings.Builder
			for _, c := range changes {
				fmt.Fprintf(&ours, ":%06o %06o %s %s %s\n", c.OldMode, c.Mode, orZero(r, c.Old), orZero(r, c.New), c.Path)
			}
			var theirs strings.Builder
			fields := strings.Split(gittest.Git(t, dir, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", old, now), "\x00")
			for i := 0; i+1 < len(fields); i += 2 {
				fmt.Fprintf(&theirs, "%s %s\n", fields[i][:strings.LastIndexByte(fields[i], ' ')], fields[i+1])
			}
			require.Equal(t, theirs.String(), ours.String())
		}
	}
}

func orZero(r *Repo, id ID) ID {
	if id == "" {
		return r.zero()
	}
	return id
}

// One folder can hold more than anybody waits for.
func TestChangesEndWithinAFolder(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	for i := range 50 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d", i)), nil, 0o666))
	}
	gittest.Git(t, dir, "add", "-A")
	gittest.Git(t, dir, "commit", "-q", "-m", "many")
	_, err := open(t, dir).Changes(gittest.EndsAfter(30), "", ID(gittest.Git(t, dir, "rev-parse", "HEAD")))
	require.ErrorIs(t, err, context.Canceled)
}
