package gitstore

import (
	"context"
	"crypto/ed25519"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// brought writes a move onto a parent, signed for what somebody saw.
func (d *desk) brought(parent git.ID, m flow.Move, key ed25519.PrivateKey) git.ID {
	d.t.Helper()
	before, source, err := d.store.boardAt(parent, d.store.past)
	require.NoError(d.t, err)
	m.Goal = flow.GoalOf(before, m)
	after, err := flow.Apply(before, m, nil)
	require.NoError(d.t, err)
	draft := &draft{snapshot: source}
	tree, err := draft.applyEdits(after.Changes())
	require.NoError(d.t, err)
	raw, err := stateCommit{tree, parent, m, m.Subject(), "Eve <eve@example.org> 1768658761 +0000"}.encode(board.NewestFormat)
	require.NoError(d.t, err)
	draft.addObject("commit", append(raw, d.block(Replay{Event: Event{Move: m}, Before: before}, key, signatureNamespace, signatureHash, nil)...))
	require.NoError(d.t, draft.flush())
	return draft.drafted[len(draft.drafted)-1].ID
}

// A signed move is for the chain that its actor saw, and for once.
func TestSignedMovesAreNotPlayedAgain(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	host := d.keep("host", testKey(1))
	root := d.at(layout.State)
	first := d.do(said("host", "one"))
	signed := d.replay(first.Commit).Move
	second := d.do(said("host", "two")).Commit
	fork := d.brought(root, shown("elsewhere", root), testKey(1))

	late := shown("late", root)
	for name, tt := range map[string]struct {
		m    flow.Move
		want string
	}{
		"seen long before":      {late, ""},
		"played again":          {signed, "was made already, by " + first.Commit.Short()},
		"played again, in part": {with(shown("x", first.Commit), func(m *flow.Move) { m.Request = d.replay(second).Move.Request }), "was made already"},
		"seen on a fork":        {shown("x", fork), "is not on this chain"},
		"seen nowhere":          {shown("x", git.ID(strings.Repeat("1", 40))), "is not on this chain"},
		"seen nothing":          {shown("x", ""), "does not name the state"},
	} {
		id := d.brought(second, tt.m, testKey(1))
		r, err := d.store.Audit.ReplayMove(ctx, id, false)
		if tt.want == "" {
			require.NoError(t, err, name)
			require.NoError(t, d.store.Audit.CheckSignature(r, host), name)
			_, err = d.store.Audit.ReplayMove(ctx, d.brought(id, tt.m, testKey(1)), false)
			require.ErrorContains(t, err, "was made already, by "+id.Short(), name)
			continue
		}
		require.ErrorContains(t, err, tt.want, name)
	}
	// A commit that was seen later is on no chain before it.
	id := d.brought(first.Commit, shown("x", second), testKey(1))
	_, err := d.store.Audit.ReplayMove(ctx, id, false)
	require.ErrorContains(t, err, "is not on this chain")
	// The first move has seen nothing.
	field, err := document.Encode(&struct {
		Seen git.ID `yaml:"seen"`
	}{root})
	require.NoError(t, err)
	raw := strings.Replace(d.raw(root), "\nboard: ", "\n"+string(field)+"board: ", 1)
	_, err = d.store.Audit.ReplayMove(ctx, d.forged(raw), false)
	require.ErrorContains(t, err, "the first move")
}

// shown is a note of the principal host that has seen a state.
func shown(text string, seen git.ID) flow.Move {
	m := said("host", text)
	m.At, m.Seen, m.Request = boardTime, seen, board.Request(strings.Repeat(strconv.Itoa(len(text)%10), 16))
	return m
}

func with(m flow.Move, change func(*flow.Move)) flow.Move {
	change(&m)
	return m
}

// A state that was seen too long ago is not searched for, since that costs time.
func TestTortureSeenIsNotLookedForWithoutEnd(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	gittest.Git(t, d.dir, "config", "liza.fsync", "none")
	d.store = d.open()
	root, tip := d.at(layout.State), git.ID("")
	for i := range maxSeen {
		m := said("host", "note "+strconv.Itoa(i))
		m.At, m.Seen = boardTime, d.at(layout.State)
		request, err := RandomID()
		require.NoError(t, err)
		m.Request = board.Request(request)
		if tip == "" {
			tip = root
		}
		tip = d.brought(tip, with(m, func(m *flow.Move) { m.Seen = tip }), testKey(1))
	}
	_, err := d.store.Audit.ReplayMove(context.Background(), d.brought(tip, shown("far", root), testKey(1)), false)
	require.ErrorContains(t, err, "not among the 1000 moves before it")
	near, err := d.store.ReadEvent(tip)
	require.NoError(t, err)
	_, err = d.store.Audit.ReplayMove(context.Background(), d.brought(near.Parent, shown("near", root), testKey(1)), false)
	require.NoError(t, err)
}
