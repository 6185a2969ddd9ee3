package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
)

// Pages say of an error what the commands say: in place of a page, above the pages of a
// board that cannot be read any more, and on all pages while it never could be.
func TestErrorsAreExplained(t *testing.T) {
	t.Parallel()
	c := goldenClone(t, "plain")
	s := serverOf(t, c)
	code, page := get(t, s, "?at=nonsense")
	require.Equal(t, http.StatusNotFound, code)
	require.Contains(t, page, "no mark (sprint-1)")
	require.NotContains(t, page, "at=nonsense", "no link leads there again")
	require.Contains(t, page, "git liza fsck --here")

	s.Feed.Show(nil, nil, errors.New("a tree is lost"))
	code, page = get(t, s, "log?json")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.JSONEq(t, `{"ok":false,"error":{"rule":"damaged","reason":"the board cannot be read: a tree is lost","hint":"git liza fsck --here"}}`, page)

	b, tip, err := c.Store.Board(t.Context())
	require.NoError(t, err)
	s.Feed.Show(view.NewPicture(view.Reading{Board: b, Tip: tip, At: c.Store.Now(), Person: flow.Caller{By: "human:ann"}}), nil, errors.New("a tree is lost"))
	code, page = get(t, s, "")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, page, `because it cannot be read: a tree is lost <code class="command">git liza fsck --here</code>`)
}

// A page that takes too long says so in time, and what shows it in the terminal.
func TestLatePages(t *testing.T) {
	t.Parallel()
	s := serverOf(t, goldenClone(t, "plain"))
	for range mostReaders { // others read
		<-s.readers
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	w := httptest.NewRecorder()
	s.serve(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.bound.String()+s.path+"task/task-1/diff", nil))
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), "the page was not ready after 25s")
	require.Contains(t, w.Body.String(), `<code class="command">git liza show task-1 --patch</code>`)
}
