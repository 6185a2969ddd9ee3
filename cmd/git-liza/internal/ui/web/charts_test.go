package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/drawing"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// goldenClone opens a copy of a golden board, a day after its last move.
func goldenClone(t *testing.T, name string) *work.Clone {
	t.Helper()
	bundle, err := filepath.Abs("../../../../../testdata/boards/" + name + ".bundle")
	require.NoError(t, err)
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q")
	gittest.Git(t, dir, "fetch", "-q", "--no-tags", "--update-head-ok", bundle, "+refs/*:refs/*")
	repo, err := git.Open(t.Context(), dir)
	require.NoError(t, err)
	var now time.Time
	c, err := work.Open(t.Context(), repo, func() time.Time { return now }, os.Environ())
	require.NoError(t, err)
	b, _, err := c.Store.Board(t.Context())
	require.NoError(t, err)
	now = b.At().Add(24 * time.Hour)
	return c
}

// serverOf serves a board without listening for more than a moment.
func serverOf(t *testing.T, c *work.Clone) *Server {
	t.Helper()
	s, err := Listen(Options{Addr: "127.0.0.1:0", Clone: c, Explain: explainPlainly, Said: func(_ string, output []byte) string { return string(output) }})
	require.NoError(t, err)
	s.listener.Close()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	s.ended = ctx
	b, tip, err := c.Store.Board(t.Context())
	require.NoError(t, err)
	s.Feed.Show(view.NewPicture(view.Reading{Board: b, Tip: tip, At: c.Store.Now(), Person: flow.Caller{By: "human:ann"}}), nil, nil)
	return s
}

// explainPlainly stands for what a command says of an error.
func explainPlainly(err error) *flow.Refusal {
	var refusal *flow.Refusal
	if errors.As(err, &refusal) {
		return refusal
	}
	return &flow.Refusal{Rule: flow.RuleDamaged, Reason: err.Error(), Hint: "git liza fsck --here"}
}

// get returns a page of a server.
func get(t *testing.T, s *Server, at string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://"+s.bound.String()+s.path+at, nil)
	w := httptest.NewRecorder()
	s.serve(w, r.WithContext(t.Context()))
	text, err := io.ReadAll(w.Result().Body)
	require.NoError(t, err)
	return w.Code, string(text)
}

// charts are the pages that draw or count.
var charts = []string{"graph", "timeline", "timeline?by=agent", "flow", "costs", "costs?by=agent", "alarms", "log"}

// Each page shows every golden board, now and as it was, and says the same to programs.
func TestChartsOfGoldenBoards(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"decisions", "rush", "founded", "roles", "plain"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := goldenClone(t, name)
			s := serverOf(t, c)
			states := []string{""}
			tip, err := c.Store.Tip(t.Context())
			require.NoError(t, err)
			n := 0
			require.NoError(t, c.Store.Log(tip, func(e gitstore.Event) (bool, error) {
				if n++; n%25 == 0 || e.Parent == "" {
					states = append(states, string(e.Commit))
				}
				return true, nil
			}))
			for _, state := range states {
				for _, at := range charts {
					if state != "" {
						at += map[bool]string{true: "&", false: "?"}[strings.Contains(at, "?")] + "at=" + state
					}
					code, text := get(t, s, at)
					require.Equal(t, 200, code, "%s: %s", at, text)
					require.Contains(t, text, "</html>", at)
					require.NotContains(t, text, "ZgotmplZ", at)
					require.NotContains(t, text, " style=", at)
					code, text = get(t, s, at+map[bool]string{true: "&json", false: "?json"}[strings.Contains(at, "?")])
					require.Equal(t, 200, code)
					require.True(t, json.Valid([]byte(text)), at)
				}
			}
		})
	}
}

// The numbers over time are those of metrics, day by day.
func TestChartsAgreeWithMetrics(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"decisions", "rush", "roles", "plain"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := goldenClone(t, name)
			checkAgainstMetrics(t, c)
		})
	}
}

// Requests at once, of now and of two states of the past, do not disturb each other.
func TestChartsAtOnce(t *testing.T) {
	t.Parallel()
	s := serverOf(t, goldenClone(t, "rush"))
	count := func(at string) int {
		_, text := get(t, s, at)
		return strings.Count(text, "<rect")
	}
	pages := []string{"timeline", "timeline?at=sprint-1", "timeline?at=refs/liza/state~20", "graph", "task/task-1"}
	want := map[string]int{}
	for _, at := range pages {
		want[at] = count(at)
	}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			at := pages[i%len(pages)]
			assert.Equal(t, want[at], count(at), at)
		})
	}
	all.Wait()
}

func TestDrawingStyles(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	serveFile(w, nil, "static/"+drawingSheet)
	require.Equal(t, drawing.Styles, w.Body.String())
	require.Equal(t, "text/css; charset=utf-8", w.Header().Get("Content-Type"))
}

// checkAgainstMetrics compares the timeline with the report of the same moves.
func checkAgainstMetrics(t *testing.T, c *work.Clone) {
	tip, err := c.Store.Tip(t.Context())
	require.NoError(t, err)
	line, counts := view.NewTimeline(), &metrics.Counts{}
	require.NoError(t, c.Store.Steps(t.Context(), "", tip, func(s gitstore.Step) error {
		line.Add(s)
		counts.Add(s)
		return nil
	}))
	_, last, _ := line.Span()
	report := counts.Report(metrics.Ask{})
	require.NotEmpty(t, report.Days)
	endOf := func(day time.Time) time.Time {
		if end := day.Add(24*time.Hour - time.Second); end.Before(last) {
			return end
		}
		return last
	}
	for _, day := range report.Days {
		counts := map[string]int{}
		for status, n := range day.Counts {
			counts[status.String()] = n
		}
		end := endOf(day.Day)
		require.Equal(t, counts, line.Tallies("", end, end, 2)[1].States, "%s", day.Day)
	}
	sprints := map[board.SprintID]view.Burndown{}
	for _, b := range line.Burndowns("", last) {
		sprints[b.Sprint] = b
	}
	require.NotEmpty(t, report.Burndown)
	for _, day := range report.Burndown {
		b, end := sprints[day.Sprint], endOf(day.Day)
		then := view.BurnPoint{}
		for _, p := range b.Points {
			if !p.At.After(end) {
				then = p
			}
		}
		require.Equal(t, [2]int{day.Planned, day.Open}, [2]int{then.Planned, then.Open}, "%s on %s", day.Sprint, day.Day)
	}
}

// hostile are titles that mean something to a browser, a template or a terminal.
func hostile() []string {
	return []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</text></svg><svg onload=alert(1)>`, `' onmouseover='alert(1)`, `javascript:alert(1)`,
		`{{.Server}}`, `]]><!--`, `&lt;script&gt;`, "\u202eabc", "\u2066x\u2069", strings.Repeat("w", 4000), "表格", "👩‍💻", `\`, `</title><script>1</script>`, `</td></table>`, `%00`, "a\u2028b"}
}

// Whatever tasks are called, pages have the elements and attributes that templates and
// drawings write, and no others.
func TestChartsOfHostileTitles(t *testing.T) {
	t.Parallel()
	c := goldenClone(t, "decisions")
	added := 0
	for i, title := range hostile() {
		task := board.TaskInput{ID: board.TaskID(fmt.Sprintf("hostile-%d", i)), Title: title, Draft: true}
		if added > 0 {
			task.DependsOn = []board.TaskID{"hostile-0"}
		}
		_, err := c.Store.Do(t.Context(), func(*board.Board, time.Time) (flow.Move, []git.RefUpdate, error) {
			return flow.Move{Act: board.ActImport, By: "human:ann", Principal: c.Principal, Detail: &flow.ImportMove{Source: title, Tasks: []board.TaskInput{task}}}, nil, nil
		})
		if refusal := (*flow.Refusal)(nil); errors.As(err, &refusal) {
			continue // the rules take no control character
		}
		require.NoError(t, err)
		added++
	}
	require.Greater(t, added, 10)
	s := serverOf(t, c)
	for _, at := range charts {
		code, text := get(t, s, at)
		require.Equal(t, 200, code)
		for _, evil := range []string{"<script>", "<img", "onload=alert(1)>", "onmouseover='", "\u202e", "\u2066", "\u2028", "</td></table>1", "<!--"} {
			require.NotContains(t, text, evil, at)
		}
		require.Equal(t, 1, strings.Count(text, "<script"), at)
	}
	_, text := get(t, s, "graph")
	require.Contains(t, text, "hostile-0")
	require.Contains(t, text, "&lt;script&gt;alert(1)")
}
