package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/stretchr/testify/require"
)

// A remote with a locked ref counts neither as out of reach nor as refusing. The
// error names the lock and where to clear it, whichever judge runs there.
func TestRemoteIsLocked(t *testing.T) {
	t.Parallel()
	for name, judge := range map[string]string{
		"no judge":  "exit 0",
		"our judge": `echo "liza-refused: push ref_locked: a ref is locked: /srv/x.git/refs/liza/state.lock, 3s old; type: git -C /srv/x.git liza doctor --unlock" >&2; exit 1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLane(t)
			l.later()
			lock := filepath.Join(l.bare, layout.State+".lock")
			require.NoError(t, os.WriteFile(lock, nil, 0o666))
			l.hook(t, "pre-receive", judge)
			_, err := l.a.store.Do(context.Background(), note("locked out"))
			var locked *git.Locked
			require.ErrorAs(t, err, &locked)
			require.NotErrorIs(t, err, ErrOffline)
			where := l.bare
			if name == "our judge" {
				where = "/srv/x.git"
			}
			require.Equal(t, "git -C "+where+" liza doctor --unlock", locked.Hint)
			require.True(t, strings.HasPrefix(err.Error(), "remote origin: "), err)
			require.ErrorContains(t, err, "refs/liza/state.lock")
			emptyOutbox(t, l.a)
			require.NoError(t, os.Remove(lock))
			require.NoError(t, os.Remove(filepath.Join(l.bare, "hooks/pre-receive")))
			l.agree(t)
		})
	}
}
