package supervise

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// However many sessions run, what agents say is read once a second for all of
// them: with one look each forty read 3,300 files a second.
func TestHeardIsSharedForASecond(t *testing.T) {
	t.Parallel()
	known := map[board.AgentID]gitstore.Presence{"coder-1": {Agent: "coder-1"}}
	h := presenceCache{at: time.Now(), known: known}
	got, err := h.presences(context.Background(), nil, nil, nil, time.Hour) // no store that could be asked
	require.NoError(t, err)
	require.Equal(t, known, got)
	h.at = time.Now().Add(-time.Hour)
	require.Panics(t, func() { _, _ = h.presences(context.Background(), nil, nil, nil, time.Second) }, "it asks anew")
}
