package web

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/faults"
	"github.com/git-liza/git-liza/internal/gittest"
)

// submits makes a task whose submission waits for a verdict.
const submits = `cat > ../t.yaml <<'X'
- {title: Parse, done_when: it is parsed, spec: specs/vision.md, scope: parser}
X
git liza task add --from ../t.yaml; git liza claim task-1 --as coder-1; git liza intent task-1 --as coder-1 --summary S --validation V; cd .worktrees/task-1
mkdir src tests; seq 1 9 > src/a.txt; echo t > tests/a_test.txt; git add -A; git commit -qm work
git liza submit task-1 --as coder-1`

// A verdict is one on the submission that was shown: of a newer one it says what changed,
// and the findings of a rejection stand at their lines.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the sender is looked up on Linux alone")
	}
	s := newSite(t, submits)
	s.serve("--act")
	s.open()
	page := s.page("task/task-1")
	commit := formOf(page, "approve").Get("commit")
	require.Regexp(t, `^[0-9a-f]{40}$`, commit)
	require.Contains(t, page, "Your verdict on <code>"+commit+"</code>")

	form := formOf(page, "reject")
	form.Set("text", "src/a.txt:99: there is no such line")
	a := s.send(form, nil)
	require.Equal(t, http.StatusConflict, a.StatusCode)
	require.Contains(t, a.body, "there is no src/a.txt:99 in")
	form = formOf(s.page("task/task-1"), "reject")
	form.Set("text", "src/a.txt:7: seven is wrong\r\nsrc/a.txt:2: concern: and two?\r\n\r\nOverall: nearly")
	a = s.send(form, nil)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	require.Contains(t, a.body, "task-1 rejected with 1 blocker → REJECTED")
	diff := s.page("task/task-1/diff?n=1")
	require.Regexp(t, `<td class="line">7</td></tr>\s*<tr class="remark"><td colspan="4"><p class="finding"><b class="bad">blocker</b> <code>src/a.txt:7</code> by human:ann-example</p><div class="text">seven is wrong</div>`, diff)
	require.Regexp(t, `<td class="line">2</td></tr>\s*<tr class="remark">.*concern`, diff)

	again := func(n int) {
		s.run(fmt.Sprintf(`git liza claim task-1 --as coder-1; git liza intent task-1 --as coder-1 --summary S --validation V; cd .worktrees/task-1; seq 1 %d > src/a.txt; git commit -qam again
git liza submit task-1 --as coder-1`, 9+n))
	}
	again(1)
	page = s.page("task/task-1")
	old := formOf(page, "approve")
	require.NotEqual(t, commit, old.Get("commit"))
	require.Contains(t, page, `name="prior-1"`)
	form = formOf(page, "reject")
	form.Set("text", "Overall: still")
	form.Set("prior-1", "STILL_PRESENT")
	a = s.send(form, nil)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	again(2)
	a = s.send(old, nil)
	require.Equal(t, http.StatusConflict, a.StatusCode)
	require.Contains(t, a.body, "the verdict names")
	require.Regexp(t, `src/a\.txt \| +[0-9]+`, a.body)
	require.Contains(t, s.run("git liza show task-1"), "READY_FOR_REVIEW")

	form = formOf(s.page("task/task-1"), "approve")
	form.Set("text", "well done")
	a = s.send(form, nil)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	require.Contains(t, a.body, "task-1 approved → APPROVED")
	require.Contains(t, s.run("git liza show task-1"), "well done")

	form = formOf(s.page("steer"), "note")
	form.Set("subject", "coder-1")
	form.Set("text", "Mind the <dates>.")
	require.Equal(t, http.StatusOK, s.send(form, nil).StatusCode)
	require.Contains(t, s.run("git liza record list notes"), "Mind the <dates>.")
	form = formOf(s.page("steer"), "pause")
	form.Set("text", "lunch")
	require.Equal(t, http.StatusOK, s.send(form, nil).StatusCode)
	require.Contains(t, s.run("git liza status"), "PAUSED")
	require.NotContains(t, s.page("steer"), `value="pause"`, "it is paused already")
}

// A page that is open says that the board cannot be read any more, keeps what it showed,
// and takes it back once the board can be read.
func TestUnreadableWhileOpen(t *testing.T) {
	t.Parallel()
	s := newSite(t, asks)
	s.serve()
	s.open()
	require.Contains(t, s.page(""), "Table or list?")
	good := s.run("git rev-parse refs/liza/state")
	// The hooks of the clone would refuse what a careless program does without them.
	set := func(commit string) { s.run("git -c core.hooksPath=/dev/null update-ref refs/liza/state " + commit) }
	set(s.run("git commit-tree HEAD^{tree} -p " + good + " -m nothing"))
	said := s.events("", func(said string) bool { return strings.Contains(said, "cannot be read") })
	require.Contains(t, said, "git liza fsck --repair")
	page := s.page("")
	require.Contains(t, page, "The board is shown as it was")
	require.Contains(t, page, "Table or list?")
	for _, at := range []string{"task/task-1", "log", "graph", "timeline", "flow", "costs", "alarms", "inbox", "agents"} {
		require.Contains(t, s.page(at), "The board is shown as it was", at)
	}
	require.Contains(t, s.page("costs?at="+good), "as it was</b>", "the past has costs, too")
	require.Contains(t, s.page("task/task-1"), "Table or list?")
	set(good)
	s.events("", func(said string) bool {
		_, last, _ := cutLast(said, `"part":"notice"`)
		last, _, whole := strings.Cut(last, "\n")
		return whole && strings.HasSuffix(last, `"html":""}`)
	})
	require.NotContains(t, s.page(""), "cannot be read")
	require.Contains(t, s.page("task/task-1"), "Table or list?")
}

// The page of an agent that is open shows what its session prints while it prints it.
func TestOutputIsLive(t *testing.T) {
	t.Parallel()
	s := newSite(t, asks)
	s.run("git liza agents add coder-1")
	s.run("mkdir -p .git/liza/log && printf -- '--- output\nfirst words\n' >.git/liza/log/coder-1.log")
	s.serve()
	s.open()
	require.Contains(t, s.page("agent/coder-1"), "first words")
	s.events("agent/coder-1", func(said string) bool {
		if strings.Contains(said, "first words") && !strings.Contains(said, "more") {
			s.run("echo more words >>.git/liza/log/coder-1.log")
		}
		return strings.Contains(said, "first words\\nmore words")
	})
}

// cutLast cuts a text around the last occurrence of another.
func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// What a person sees first is what needs them, with the command: on each board with one
// fault that can be read. The command says of the other one what is wrong with it.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range faults.Faults() {
		if fault.Unreadable {
			continue
		}
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			s := &site{t: t, dir: t.TempDir(), clock: noon}
			if fault.Live {
				s.clock = ""
			}
			gittest.Write(t, s.dir+"/../home", ".gitconfig", "[user]\n\tname = Ann Example\n\temail = ann@example.org\n")
			require.NoError(t, fault.Make(s.dir, append(s.environ(), "HOME="+filepath.Join(s.dir, "../home"), "GIT_CONFIG_GLOBAL=")))
			s.run("git config user.name 'Ann Example'")
			s.serve()
			s.open()
			a := s.ask(http.MethodGet, s.base, nil, nil)
			first, _, _ := strings.Cut(a.body, `id="part-flow"`)
			first = html.UnescapeString(strings.ReplaceAll(first, "<wbr>", ""))
			for _, need := range fault.Needs {
				require.Regexp(t, need.Sentence, first)
				require.Contains(t, first, `<code class="command">`+need.Command+`</code>`)
			}
			requireGolden(t, filepath.Join("testdata", "faults", fault.Name+".html"), s.steady(a.body))
			if fault.Name == "trust" && runtime.GOOS == "linux" {
				s.end(os.Kill)
				s.serve("--act")
				s.open()
				require.Contains(t, s.page("task/task-1"), `method="post"`)
				inbox := s.page("inbox")
				require.Contains(t, html.UnescapeString(strings.ReplaceAll(inbox, "<wbr>", "")), fault.Needs[0].Command)
				require.NotContains(t, inbox, `method="post"`, "a command is allowed in the terminal alone")
			}
		})
	}
}

// changing is what differs from run to run: the secret path, sums, versions, ids of objects
// and processes, and on boards of the real time all times.
var changing = regexp.MustCompile(`data-sum="[0-9a-f]+"|data-version="[0-9]+"|\b[0-9a-f]{40}\b|\b[0-9a-f]{10}\b|process [0-9]+`)

// steady is a page without what differs from run to run.
func (s *site) steady(page string) string {
	at, _ := url.Parse(s.base)
	_, page, _ = strings.Cut(page, "<main ")
	page = changing.ReplaceAllString(strings.ReplaceAll(page, at.Path, "/"), "…")
	if s.clock == "" {
		page = regexp.MustCompile(`<time .*?</time>`).ReplaceAllString(page, "<time>…</time>")
		page = regexp.MustCompile(`\b[0-9]+[smh] left|\b[0-9]+[smh] ago|, [0-9]+s\b`).ReplaceAllString(page, "…")
	}
	return page
}

// requireGolden compares a page with the one that is kept. With UPDATE_GOLDEN it is kept.
func requireGolden(t *testing.T, path, page string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		gittest.Write(t, filepath.Dir(path), filepath.Base(path), page)
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), page)
}

// BenchmarkLargeBoard measures the first page of a board with 10,000 tasks, and how long
// after a move an open page has it.
func BenchmarkLargeBoard(b *testing.B) {
	s := newSite(b, "")
	s.clock = ""
	for part := range 20 {
		var list strings.Builder
		for n := range 500 {
			fmt.Fprintf(&list, "- {title: 'Task %d of %d', done_when: it is done, spec: specs/vision.md, scope: parser}\n", n, part)
		}
		gittest.Write(b, s.dir, "../t.yaml", list.String())
		s.run("git liza task add --from ../t.yaml")
	}
	began := time.Now()
	s.serve()
	s.open()
	s.page("")
	b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms/start")
	b.ResetTimer()
	for b.Loop() {
		s.page("")
	}
	b.StopTimer()
	waited := time.Duration(0)
	const moves = 5
	for n := range moves {
		want := fmt.Sprintf("because of %d", n)
		done := make(chan time.Time)
		go func() {
			s.events("", func(said string) bool { return strings.Contains(said, want) })
			done <- time.Now()
		}()
		s.run("git liza resume --reason R || :")
		s.run("git liza pause --reason '" + want + "'")
		began := time.Now()
		waited += (<-done).Sub(began)
	}
	b.ReportMetric(float64(waited.Milliseconds())/moves, "ms/event")
	b.ReportMetric(0, "ns/op")
}
