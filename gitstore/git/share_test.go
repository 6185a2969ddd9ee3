package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// What a value opens, git opens for a folder that it makes; with those that are refused it
// makes none.
func TestSharedMode(t *testing.T) {
	t.Parallel()
	const refused = fs.FileMode(0o1000)
	dir := gittest.Seeded(t)
	for value, want := range map[string]fs.FileMode{
		"": 0, "umask": 0, "false": 0, "No": 0, "0": 0, "00": 0, "-0": 0, "0x0": 0, "Umask": refused,
		"group": 0o770, "true": 0o770, "YES": 0o770, "1": 0o770, " 1": 0o770, "2k": 0o770, "0x1": 0o770, "9": 0o770, "Group": refused,
		"all": 0o775, "world": 0o775, "everybody": 0o775, "2": 0o775, "+2": 0o775, "02": 0o775, "World": refused,
		"0660": 0o770, "0640": 0o750, "0664": 0o775, "0600": 0o700, "0777": 0o777, "07777": 0o777, "-1": 0o777, "-3": 0o775, "777777777777777777777777": 0o777,
		"3": refused, "010": refused, "0400": refused, "0060": refused, "0177": refused, "1 ": refused, "08": refused, "0b": refused, "+": refused, " ": refused,
		"t": refused, "nonsense": refused, "99999": 0o770, "99999999999": refused, "1000000000000000000000": 0o777,
	} {
		mode, known := sharedMode(value)
		require.Equal(t, want != refused, known, "%q", value)
		if known {
			require.Equal(t, want, mode, "%q", value)
		}
		objects := t.TempDir()
		p := newProcess(context.Background(), gitLimit, []string{"hash-object", "-w", filepath.Join(dir, ".git", "HEAD")})
		p.Dir = dir
		p.Env = append(p.Env, "GIT_OBJECT_DIRECTORY="+objects, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.sharedRepository", "GIT_CONFIG_VALUE_0="+value)
		_, err := p.run()
		p.cancel()
		require.Equal(t, known, err == nil, "%q: %v", value, err)
		if known {
			folders, err := os.ReadDir(objects)
			require.NoError(t, err)
			require.Len(t, folders, 1)
			info, err := folders[0].Info()
			require.NoError(t, err)
			require.Equal(t, mode, info.Mode().Perm()&mode, "%q", value)
		}
	}
}

// A value with which git writes nothing opens nothing to others.
func TestShareRefuses(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "core.sharedRepository", "3")
	r := open(t, dir)
	for i, share := range []func(context.Context) error{r.Config.ShareFiles, r.Config.ShareOld} {
		require.ErrorContains(t, share(context.Background()), `core.sharedRepository is "3"`, fmt.Sprint(i))
	}
}
