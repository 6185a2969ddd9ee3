package web

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

func TestGraphPage(t *testing.T) {
	t.Parallel()
	s := serverOf(t, goldenClone(t, "decisions"))
	_, text := get(t, s, "graph")
	require.Contains(t, text, `<svg xmlns=`)
	require.Contains(t, text, `<h2>Open tasks</h2>`)
	require.Contains(t, text, `class="choices"`, "it has more than one goal")
	_, text = get(t, s, "graph?goal=goal-1")
	require.Contains(t, text, `goal=goal-1" aria-current="true">goal-1</a>`)
	code, text := get(t, s, "graph?goal="+url.QueryEscape(`<b>"`))
	require.Equal(t, 404, code)
	require.Contains(t, text, "git liza goal list")
	require.NotContains(t, text, `<b>"`)
}

func TestTimelinePage(t *testing.T) {
	t.Parallel()
	s := serverOf(t, goldenClone(t, "rush"))
	_, text := get(t, s, "timeline")
	require.Contains(t, text, `aria-label="What was done from`)
	require.Contains(t, text, "<td>session</td><td>submitted</td>", "a table says the same")
	require.Contains(t, text, "<td>claim</td>")
	_, agents := get(t, s, "timeline?by=agent&span=1h")
	require.Contains(t, agents, ">coder-1<")
	require.Contains(t, agents, `span=1h" aria-current="true"`)
	require.Contains(t, agents, `name="span" value="1h"`, "the field for a past state keeps the rest")
	_, task := get(t, s, "task/task-1")
	require.Contains(t, task, "<h2>Timeline</h2>")
	require.Contains(t, task, "<td>review</td>")
	_, one := get(t, s, "timeline?q=text:task-1&span=all")
	require.Contains(t, one, "/task/task-1\">")
	require.NotContains(t, one, "/task/task-2\">")
	_, none := get(t, s, "timeline?skip=100000")
	require.Contains(t, none, "nothing happened in this time")
	code, _ := get(t, s, "timeline?skip=-1&span=%1b&by=x&goal=%3Cb%3E")
	require.Equal(t, 200, code)
}

// A past state shows nothing that came later.
func TestChartsOfThePast(t *testing.T) {
	t.Parallel()
	c := goldenClone(t, "rush")
	s := serverOf(t, c)
	_, now := get(t, s, "timeline")
	require.Contains(t, now, "MERGED")
	_, text := get(t, s, "timeline?at=sprint-1")
	require.Contains(t, text, "as it was")
	require.NotContains(t, text, "MERGED")
	_, text = get(t, s, "log?at=sprint-1")
	require.Equal(t, 1, strings.Count(text, `class="then"`), "the first move made the mark")
	_, again := get(t, s, "timeline")
	require.Equal(t, strings.Count(now, "<rect"), strings.Count(again, "<rect"))
	code, text := get(t, s, "flow?at=100w")
	require.Equal(t, 404, code)
	require.Contains(t, text, "no board existed yet")
	_, text = get(t, s, "graph?at=1d")
	require.Contains(t, text, "as it was")
	_, text = get(t, s, "log?at=sprint-1&before=refs/liza/state")
	require.Contains(t, text, "No move.", "what came later is not shown")
	code, _ = get(t, s, "log?before=nonsense")
	require.Equal(t, 404, code)
}

// What fired before stands below what is an alarm now; it is no part of a past state.
func TestAlarmsPage(t *testing.T) {
	t.Parallel()
	c := goldenClone(t, "rush")
	s := serverOf(t, c)
	row := work.AlarmRow{Key: "blocked task-1 x", Kind: "blocked", Subject: "task-1", Text: "<b>blocked"}
	_, _, err := work.OpenAlarms(c.Repo).Note(t.Context(), []work.AlarmRow{row}, c.Store.Now(), nil)
	require.NoError(t, err)
	_, text := get(t, s, "alarms")
	require.Contains(t, text, "<td>fired</td><td>&lt;b&gt;blocked</td>")
	_, text = get(t, s, "alarms?at=sprint-1")
	require.NotContains(t, text, "fired")
}

func TestLogPage(t *testing.T) {
	t.Parallel()
	s := serverOf(t, goldenClone(t, "decisions"))
	_, text := get(t, s, "log")
	require.Equal(t, mostMoves, strings.Count(text, `class="then"`))
	require.Contains(t, text, "older moves")
	before := text[strings.Index(text, "log?before=")+len("log?before="):][:40]
	_, older := get(t, s, "log?before="+before)
	require.NotContains(t, text, before[:10]+"<span", "each move stands on one page")
	require.Contains(t, older, before[:10])
	s = serverOf(t, goldenClone(t, "rush"))
	_, claims := get(t, s, "log?q=text:claim+agent:coder-1")
	require.Contains(t, claims, " by coder-1")
	require.NotContains(t, claims, "submit task-1 by")
	require.NotContains(t, claims, "by code-reviewer-1")
	require.Contains(t, claims, `name="q" value="text:claim agent:coder-1"`)
	_, none := get(t, s, "log?q="+url.QueryEscape(`"><script>`))
	require.Contains(t, none, "Nothing here for which these words hold.")
	require.NotContains(t, none, `"><script>`)
	code, text := get(t, s, "log?q=colour:red")
	require.Equal(t, 400, code)
	require.Contains(t, text, "a filter has no key")
}

// A machine whose clock is days behind that of the board shows all that happened.
func TestChartsOfALateClock(t *testing.T) {
	t.Parallel()
	c := goldenClone(t, "rush")
	b, tip, err := c.Store.Board(t.Context())
	require.NoError(t, err)
	s := serverOf(t, c)
	s.Feed.Show(view.NewPicture(view.Reading{Board: b, Tip: tip, At: b.At().Add(-48 * time.Hour), Person: flow.Caller{By: "human:ann"}}), nil, nil)
	late := *c
	late.Store = gitstore.OpenStore(t.Context(), c.Repo, func() time.Time { return b.At().Add(-48 * time.Hour) })
	s.Clone = &late
	for _, at := range charts {
		code, text := get(t, s, at)
		require.Equal(t, 200, code, "%s: %s", at, text)
		if strings.HasPrefix(at, "timeline") {
			require.Contains(t, text, "<td>session</td>", at)
		}
	}
	_, text := get(t, s, "flow")
	require.Contains(t, text, "MERGED")
}

// Where this clone knows how long tasks take, the longest chain is told in time too.
func TestGraphPageTellsTime(t *testing.T) {
	t.Parallel()
	_, text := get(t, serverOf(t, goldenClone(t, "decisions")), "graph")
	require.Contains(t, text, "<b>1</b> open task, about 15m of work")
}

// A stream sends the parts of the page that was asked for, with what its address says.
func TestStreamOfAChart(t *testing.T) {
	t.Parallel()
	s := serverOf(t, goldenClone(t, "rush"))
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(h.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+s.path+"events?page=timeline&query="+url.QueryEscape("by=agent"), nil)
	require.NoError(t, err)
	r.Host = s.bound.String()
	answer, err := h.Client().Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	for {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var news event
			require.NoError(t, json.Unmarshal([]byte(data), &news))
			if news.Part != "lanes" {
				continue
			}
			require.Contains(t, news.HTML, "Tasks that it held or reviewed")
			require.Contains(t, news.HTML, "/agent/coder-1")
			return
		}
	}
}

// The words of list, inbox and watch choose on pages too, and on the stream of their changes.
func TestFilteredPages(t *testing.T) {
	t.Parallel()
	s := serverOf(t, goldenClone(t, "decisions"))
	_, all := get(t, s, "")
	require.Contains(t, all, "/task/held")
	_, blocked := get(t, s, "?q=status:blocked")
	require.Contains(t, blocked, "/task/waits")
	require.NotContains(t, blocked, "/task/held")
	require.Contains(t, blocked, `name="q" value="status:blocked"`)
	for _, at := range []string{"inbox", "agents", "alarms", "timeline", "log"} {
		code, text := get(t, s, at+"?q="+url.QueryEscape("text:nothing-has-this"))
		require.Equal(t, 200, code, at)
		require.NotContains(t, text, "/task/", at)
		require.NotContains(t, text, "Nothing needs you", "it may")
	}
	code, text := get(t, s, "inbox?q="+url.QueryEscape("age:>soon"))
	require.Equal(t, 400, code)
	require.Contains(t, text, "git liza help list")
	_, text = get(t, s, "graph")
	require.NotContains(t, text, `name="q"`, "it draws a whole goal")
}

// Pages say how full the context of an agent's session is, and nothing where that is not
// known.
func TestContextOfAgents(t *testing.T) {
	t.Parallel()
	c := goldenClone(t, "levels")
	s := serverOf(t, c)
	b, tip, err := c.Store.Board(t.Context())
	require.NoError(t, err)
	now := c.Store.Now()
	works := gitstore.Presence{Agent: "coder-1", Doing: "coding", At: now, Since: now, Every: board.Duration(time.Minute), Context: 63}
	waits := works
	waits.Agent, waits.Context = "coder-2", 0
	known := view.NewPicture(view.Reading{Board: b, Tip: tip, At: now, Person: flow.Caller{By: "human:ann"},
		Local: view.Local{Presences: map[board.AgentID]gitstore.Presence{"coder-1": works, "coder-2": waits}}})
	s.Feed.Show(known, known.Everything(), nil)
	for at, want := range map[string]int{"agents": 1, "agent/coder-1": 1, "agent/coder-2": 0} {
		_, text := get(t, s, at)
		require.Contains(t, text, `<span class="doing">coding`, at)
		require.Equal(t, want, strings.Count(text, "ctx "), at)
		require.Equal(t, want, strings.Count(text, "coding, ctx 63%, heard"), at)
	}
}

// What sessions did not report is unknown on each page, never nothing, and a budget that is
// spent twice is no full bar of a good colour.
func TestUnknownSpending(t *testing.T) {
	t.Parallel()
	s := newSite(t, asks+`
git liza config budgets.goal.cost 5
git liza --as coder-1 session add task-1 --provider p --outcome failed --output ../t.yaml`)
	s.serve()
	s.open()
	costs := s.page("costs")
	require.Contains(t, costs, "1 session, unknown tokens, unknown dollars")
	require.Contains(t, costs, "<td>unknown</td><td>5 dollars</td><td>unknown</td>")
	require.Contains(t, s.page("agent/coder-1"), "<td>failed </td><td>unknown</td>")
	s.run("git liza --as coder-1 session add task-1 --provider p --outcome failed --cost 9")
	s.events("", func(said string) bool { return strings.Contains(said, "2 sessions") })
	require.Contains(t, s.page("costs"), `high="99" max="100" optimum="0" value="180"`)
}
