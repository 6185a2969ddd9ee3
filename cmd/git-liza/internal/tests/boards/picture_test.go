package boards

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/torture"
)

// A picture that follows a golden board from its first move to its last answers as one that
// is made anew.
func TestPictureFollowsGoldenBoards(t *testing.T) { followGolden(t, 13) }

// So it does after each move.
func TestTorturePictureFollowsGoldenBoards(t *testing.T) {
	torture.OnlyThorough(t)
	followGolden(t, 1)
}

// followGolden compares after every so many moves, counted from the last.
func followGolden(t *testing.T, every int) {
	t.Parallel()
	eachGolden(t, func(t *testing.T, g golden, dir string) {
		if g.signed {
			t.Skip("its twin has the same moves")
		}
		store, tip, _ := openBoard(t, dir)
		var chain []gitstore.Event
		require.NoError(t, store.Events(tip, func(e gitstore.Event) (bool, error) {
			chain = append(chain, e)
			return true, nil
		}))
		var followed *view.Picture
		last := git.ID("")
		for i := len(chain) - 1; i >= 0; i-- {
			id, at := chain[i].Commit, chain[i].Move.At.Add(time.Second)
			delta, err := store.Delta(last, id)
			require.NoError(t, err)
			if followed == nil {
				followed = view.NewPicture(view.Reading{Board: boardAt(t, store, id), Tip: id, At: at, Person: flow.Caller{By: "human:ann"}})
				answers(t, followed)
			} else {
				followed.Advance(boardAt(t, store, id), id, delta, at)
			}
			if i%every == 0 {
				made := view.NewPicture(view.Reading{Board: boardAt(t, store, id), Tip: id, At: at, Person: flow.Caller{By: "human:ann"}})
				require.Equal(t, answers(t, made), answers(t, followed), "after %s", id)
			}
			last = id
		}
	})
}

func boardAt(t *testing.T, store *gitstore.Store, id git.ID) *board.Board {
	t.Helper()
	b, err := store.BoardAt(id)
	require.NoError(t, err)
	return b
}

// answers are what a picture says of a board.
func answers(t *testing.T, p *view.Picture) string {
	t.Helper()
	text, err := json.MarshalIndent([]any{p.Status(), p.Inbox().All(), p.Flow(), p.Agents(), p.Alarms(), view.GraphOf(p.Reading().Board, ""), p.Waiting(), p.Next()}, "", " ")
	require.NoError(t, err)
	require.NoError(t, p.Reading().Board.Err())
	return string(text)
}
