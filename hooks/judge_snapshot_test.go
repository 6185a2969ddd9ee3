package hooks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// snapshotKey makes a key in the clone, and returns its file and the ref of its snapshots.
func (y *serverFixture) snapshotKey(name string) (file, ref string) {
	y.t.Helper()
	line, err := gitstore.NewKey(context.Background(), y.store.Repo, name)
	require.NoError(y.t, err)
	names := gitstore.KeyNames(&flow.Principals{List: []flow.Principal{{Keys: []string{line}}}})
	require.Len(y.t, names, 1)
	for n := range names {
		ref = layout.SnapshotRefs + n
	}
	return filepath.Join(y.clone, ".git", "liza", "keys", name), ref
}

// signs makes a snapshot of the clone's board with the key in a file.
func (y *serverFixture) signs(file string) git.ID {
	y.t.Helper()
	done, err := y.store.PublishSnapshot(context.Background(), "", file)
	require.NoError(y.t, err)
	return done.Commit
}

// TestSnapshotsAreOfThisBoard: a server takes what a key truly signed only of states that
// it has, not of a copy of the board that went another way.
func TestSnapshotsAreOfThisBoard(t *testing.T) {
	t.Parallel()
	y := plain(t)
	file, ref := y.snapshotKey("k")
	y.land(y.to(ref, y.signs(file)))

	restored := *y
	restored.clone = filepath.Join(t.TempDir(), "restored")
	require.NoError(t, os.CopyFS(restored.clone, os.DirFS(y.clone)))
	restored.store = restored.open(restored.clone)
	restored.now = y.now.Add(time.Minute)
	restored.store = restored.open(restored.clone)
	restored.add("elsewhere")
	foreign := restored.signs(file)
	gittest.Git(t, y.clone, "fetch", "-q", restored.clone, "refs/liza/state", ref)
	y.add("a")
	y.refuses(ref, RuleHistory, "is not in the history of the board", y.to(ref, foreign))
	y.refuses(ref, RuleHistory, "is not in the history of the board", append(y.moves(layout.State), y.to(ref, foreign))...)

	// Without the moves before it, it could land where they do not.
	own := y.signs(file)
	y.refuses(ref, RuleHistory, "is not in the history of the board", append(y.moves(layout.State), y.to(ref, own))...)
	y.land(y.moves(layout.State)...)
	y.land(y.to(ref, own))
	y.refuses(ref, RuleHistory, "is not in the history of the board", y.to(ref, foreign))
}

// TestSnapshotsOfTheFuture: a date ahead of the server's clock would keep the key's next
// snapshots out until then. One that came by a push which nothing judged does not.
func TestSnapshotsOfTheFuture(t *testing.T) {
	t.Parallel()
	y := plain(t)
	file, ref := y.snapshotKey("k")
	server := y.now
	first := y.signs(file)
	y.land(y.to(ref, first))
	signAt := func(offset time.Duration) git.ID {
		y.now = server.Add(offset)
		defer func() { y.now = server }()
		return y.signs(file)
	}
	ahead := signAt(Future + time.Second)
	y.refuses(ref, flow.RuleTime, "the snapshot is dated 2026-01-17T14:06:31Z, which is in the future: the server's clock says 2026-01-17T14:06:00Z", y.to(ref, ahead))
	y.push.Publish = true
	y.refuses(ref, flow.RuleTime, "is in the future", y.to(ref, ahead))
	y.push.Publish = false
	gittest.Git(t, y.server, "update-ref", ref, string(ahead))
	y.land(y.to(ref, first))

	y.land(y.to(ref, signAt(Future)))
	y.refuses(ref, flow.RuleSignature, "older than the one that is there: it is dated 2026-01-17T14:06:00Z, and that one 2026-01-17T14:06:30Z", y.to(ref, first))
}

// TestSnapshotsAreBounded: of keys that no principal has, a server keeps so many.
func TestSnapshotsAreBounded(t *testing.T) {
	t.Parallel()
	y := plain(t)
	file, ref := y.snapshotKey("k")
	first := y.signs(file)
	for i := range maxSnapshots - 1 {
		gittest.Git(t, y.server, "update-ref", fmt.Sprintf("%s%040d", layout.SnapshotRefs, i), string(first))
	}
	more, another := y.snapshotKey("more")
	second := y.signs(more)
	y.refuses(another, flow.RuleLimit, "snapshots of 100 keys", y.to(ref, first), y.to(another, second))
	y.land(y.to(ref, first))
	y.refuses(another, flow.RuleLimit, "an admin deletes one", y.to(another, second))
	y.accepts(y.to(ref, y.signs(file)))
	oldest := layout.SnapshotRefs + strings.Repeat("0", 40)
	y.accepts(y.to(oldest, ""), y.to(another, second))
}

// TestWhoBringsSnapshots: a principal's key speaks for itself, whoever pushes; an admin
// brings the first snapshot of another key, and any principal the next ones.
func TestWhoBringsSnapshots(t *testing.T) {
	t.Parallel()
	y := governed(t, true)
	names := gitstore.KeyNames(y.board().Principals())
	require.Len(t, names, 4)
	own := y.signs(filepath.Join(y.clone, ".git", "liza", "keys", "carl"))
	var carls string
	for name := range names {
		if y.at(layout.SnapshotRefs+name) == own {
			carls = layout.SnapshotRefs + name
		}
	}
	y.push.User = ""
	y.land(y.to(carls, own))

	file, ref := y.snapshotKey("other")
	first := y.signs(file)
	for _, user := range []string{"", "eve", "carl", "mel"} {
		y.push.User = user
		y.refuses(ref, flow.RuleAdmin, "an admin pushes its first snapshot", y.to(ref, first))
	}
	y.push.User = "ann"
	y.land(y.to(ref, first))
	y.now = y.now.Add(time.Minute)
	next := y.signs(file)
	for _, user := range []string{"", "eve"} {
		y.push.User = user
		y.refuses(ref, flow.RulePrincipal, "a principal pushes it", y.to(ref, next))
	}
	y.push.User = "carl"
	y.land(y.to(ref, next))
	y.refuses(ref, flow.RuleSignature, "older than the one that is there", y.to(ref, first))
	for _, name := range []string{ref, carls} {
		y.refuses(name, flow.RulePrincipal, "is deleted by an admin", y.to(name, ""))
	}
	y.push.User = "ann"
	y.land(y.to(ref, ""), y.to(carls, ""))
}
